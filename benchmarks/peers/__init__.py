"""Other model checkers, and the model of published/kip-320 in their languages."""
