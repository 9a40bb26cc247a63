"""Talking to chat models: the seam, and calls with budget, rates, retries and a cache."""
