"""The version of Tidegate."""

__version__ = "0.2.0"
