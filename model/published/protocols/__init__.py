"""The published protocols, one file each; each docstring describes the change."""
