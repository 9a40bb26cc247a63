"""Study: how well retrieval finds records, by corpus, recipe and way of searching."""
