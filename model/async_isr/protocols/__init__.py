"""The protocols of the async-isr family; the story of each is its docstring."""
