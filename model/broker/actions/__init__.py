"""The steps of a Kafka partition, one file per participant."""
