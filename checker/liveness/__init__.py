"""Liveness: what must eventually happen, under fairness, and the lasso where it does not.

A behavior that violates a liveness property is infinite.  The state space is finite, so there is
one that is a *lasso*: a stem, and a cycle that repeats for ever.  It counts only if it is fair:
``demands`` says what fairness demands, ``formulas`` which states a violation may visit,
``components`` finds the cycles that are fair, and ``lasso`` makes one that people can read and
checks it step by step.
"""
