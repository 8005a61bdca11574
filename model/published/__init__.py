"""The published family: the protocols as their designers wrote them in TLA+, state for state."""
