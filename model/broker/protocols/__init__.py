"""The protocols of the broker family, one file each; the story of the change is its docstring."""
