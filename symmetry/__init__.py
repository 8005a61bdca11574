"""Proves from the typed form that a model treats replicas alike, so that ``--symmetry`` is sound.

Think of two runs of a function: one in a state, and one in a permutation of that state.  The proof
follows both at once: each value in the second run is related to that in the first one, as
:mod:`.relations` has it.  Both runs must take the same branches, and what they write must be
renamed alike.  What has no proof is refused.
"""
