"""The broker family: brokers crash and restart, requests and responses are in flight."""
