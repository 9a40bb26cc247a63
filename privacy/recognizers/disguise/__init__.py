"""Disguised spellings ("j o h n", "ada(at)mail"), read as a person reads them."""
