"""Reads the code of a model before it runs: is the model a function of its state."""
