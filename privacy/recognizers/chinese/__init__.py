"""Recognition in Chinese text: rules, a tagger and its weights."""
