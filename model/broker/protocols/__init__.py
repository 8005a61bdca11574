"""The protocols of the broker family, one file each; each docstring describes the change."""
