"""What is asked about protocols beyond one check: what differs, what is needed, what is minimal."""
