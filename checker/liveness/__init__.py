"""Liveness properties under fairness, and the lassos that violate them.

A behavior that violates a liveness property is infinite.  Since the state space is finite, one of
them is a *lasso*: a stem, and a cycle that repeats for ever.  It counts only if it is fair:
``demands`` lists the fairness conditions, ``formulas`` says which states a violation may visit,
``arrays`` finds the fair cycles, and ``lasso`` makes a readable one and checks it step by step.
"""
