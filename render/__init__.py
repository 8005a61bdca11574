"""What people and other programs read of a search."""
