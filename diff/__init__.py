"""How two protocols, two revisions of one, or two systems differ."""
