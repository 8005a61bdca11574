"""Models of one's own: a protocol that one Python file declares."""
