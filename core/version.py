"""The version of Tidegate."""

VERSION = "0.1.0"
