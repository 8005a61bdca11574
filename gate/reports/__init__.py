"""What a gate found, for people and for programs."""
