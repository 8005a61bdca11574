"""How to search.  Knows nothing of Kafka: imports only the vocabulary."""
