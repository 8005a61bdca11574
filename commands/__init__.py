"""The commands that run many searches; they join model, properties and checker as ``cli`` does."""
