"""Custom models: a protocol that one Python file declares."""
