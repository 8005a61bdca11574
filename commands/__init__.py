"""The commands: each parses, asks the library and prints; ``python.py`` has them as functions."""
