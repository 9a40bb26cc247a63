"""What an operator sees of a service: metrics, an audit log. Never a text of a client."""
