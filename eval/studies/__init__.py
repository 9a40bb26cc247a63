"""Studies: measurements that write pages of `docs/results` (`python -m sage_rag.eval.studies`)."""
