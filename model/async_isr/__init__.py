"""The async-isr family: a leader that requests ISR changes from the controller, as published."""
