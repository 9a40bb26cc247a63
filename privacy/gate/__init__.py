"""The gate: measures what a draft leaks and what it loses, and applies limits."""
