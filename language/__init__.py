"""The language of models: which part of Python it is, and how to write what lies outside of it."""
