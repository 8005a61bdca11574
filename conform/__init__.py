"""What real brokers do, compared with the model: a saved trace, or random walks."""
