"""Which words of a corpus are nouns."""

from __future__ import annotations

from sage_rag.indexer.consensus.nouns import noun_words

TEXTS = [
    "The swelling was caused by a fall, and the pain is very bad.",
    "I want to give more tablets for the pain. Fever, cough.",
]


def test_nouns_end_a_phrase_after_a_determiner_or_a_preposition() -> None:
    assert {"swelling", "fall", "pain"} <= noun_words(TEXTS)


def test_words_after_a_pronoun_an_auxiliary_or_an_adverb_are_others() -> None:
    assert noun_words(TEXTS).isdisjoint({"caused", "bad", "give", "want"})


def test_words_of_lists_count_as_nouns() -> None:
    assert {"fever", "cough"} <= noun_words(TEXTS)
