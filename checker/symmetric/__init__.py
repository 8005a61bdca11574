"""Shows from the code that a model treats its replicas alike, so that ``--symmetry`` is sound.

Think of two runs of a function: one in a state, and one in the state that a permutation of the
replicas makes of it.  The analysis follows both at once, and says of each value how it is in the
second run: the same (a plain number), renamed (a replica, or a set of replicas), or neither.  Both
runs must take the same branches, and what they write must be renamed alike.  A construct of which
that cannot be shown is refused.
"""
