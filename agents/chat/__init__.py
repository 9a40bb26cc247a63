"""Calls of chat models: the interface, backends, budget, rate limits, retries and a cache."""
