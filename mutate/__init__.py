"""Mutants of a protocol: what searches them, and what becomes of each."""
