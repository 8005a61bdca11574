"""What every model, engine and property is written in; it knows none of them."""
