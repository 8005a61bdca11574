"""The version of Tidegate."""

__version__ = "0.1.0"
