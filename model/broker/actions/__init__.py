"""The steps of a Kafka partition, one file per participant: who acts is which file."""
