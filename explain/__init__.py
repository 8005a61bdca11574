"""What a violation needs, and what its trace could do without."""
