"""Real Kafka brokers: start them, force the steps of a behavior on them, and compare.

This room knows the model through behaviors alone: the names and arguments of steps, and states as
values by name.
"""
