"""The published protocols, one file each; the story of the change is its docstring."""
