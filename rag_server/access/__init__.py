"""Who may use a service: API keys, their scopes, rates and budgets."""
