"""Tidegate: an explicit-state model checker for Kafka's replication protocol."""

__version__ = "0.1.0"
