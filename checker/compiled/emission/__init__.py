"""Machine code from the typed form."""
