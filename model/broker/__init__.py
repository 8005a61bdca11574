"""The broker family: brokers crash and restart, requests and answers are under way for a while."""
