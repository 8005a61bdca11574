"""What shows the findings again: on real brokers, with Kafka's own controller."""
