"""Other endpoints of the OpenAI API, as translations of chat completions."""
