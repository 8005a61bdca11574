"""The protocols of the async-isr family; each docstring describes its protocol."""
