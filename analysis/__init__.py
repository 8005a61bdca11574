"""Beyond one check: how protocols differ, what a trace needs, which bounds are minimal."""
