"""Where a run's recognising and embedding are done: in this process, in others, or on Ray."""
