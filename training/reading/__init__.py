"""Train the reader on invented records and the questions that they answer or do not answer."""
