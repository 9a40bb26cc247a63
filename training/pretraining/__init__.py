"""Continual pretraining of causal language models, from tokenizer to exported model."""
