"""Chat models: one file for each library, and the client of OpenAI-compatible endpoints."""
