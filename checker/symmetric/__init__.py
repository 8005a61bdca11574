"""Proves from the code that a model treats its replicas alike, so that ``--symmetry`` is sound.

Think of two runs of a function: one in a state, and one in a permutation of that state.  The
analysis follows both at once, and classifies each value in the second run: the same (a plain
number), renamed (a replica, or a set of replicas), or neither.  Both runs must take the same
branches, and what they write must be renamed alike.  Any construct without that proof is refused.
"""
