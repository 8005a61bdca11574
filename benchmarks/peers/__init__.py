"""Other model checkers, and the model of the published KIP-320 in their languages."""
