"""How the rules of a model are lowered into the typed form."""
