"""What models, properties and engines are written in and exchange; it knows none of them."""
