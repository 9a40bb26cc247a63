"""One file for each way to reach a chat model."""
