"""The async-isr family: a leader that asks the controller to change the ISR, as published."""
