"""All that can be asked of a protocol: what it is, what holds, how it differs, what brokers do."""
