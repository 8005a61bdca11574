"""What must hold.  Properties read states, never steps, and know nothing of searching.

A model declares its own.  Those of the broker family are imported on first use: a check of a custom
model needs none of them.
"""

NOT_PROMISED = frozenset({"OneFailureLeavesCandidate"})
"""Properties that every protocol violates within some bounds: users ask for them by name."""
