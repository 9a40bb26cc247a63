"""The gate: measures of what a draft leaks and what it loses, with limits."""
