"""MiniLM as an encoder to build on: package, network, precisions, a model that runs."""
