"""All that can be asked of any protocol: its name, its properties, its bounds, and what holds."""
