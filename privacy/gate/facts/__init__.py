"""Facts of a sentence: negations, numbers, sides, conditions and others, in canonical forms."""
