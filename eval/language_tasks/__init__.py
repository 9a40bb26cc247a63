"""Public benchmarks of language models, through EleutherAI's lm-evaluation-harness."""
