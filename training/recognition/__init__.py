"""Train the taggers of the shipped recognizers."""
