"""The commands; the only place that joins a model, properties and an engine."""
