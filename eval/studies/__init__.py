"""Studies: measurements that produce the tables of docs/results."""
