"""Which words of a corpus are nouns, and which are verbs."""

from __future__ import annotations

from sage_rag.indexer.consensus.word_classes import word_classes

TEXTS = [
    "The swelling was caused by a fall, and the pain is very bad.",
    "I want to give more tablets for the pain. Fever, cough.",
]


def test_nouns_end_a_phrase_after_a_determiner_or_a_preposition() -> None:
    assert {"swelling", "fall", "pain"} <= word_classes(TEXTS).nouns


def test_words_after_a_pronoun_an_auxiliary_or_an_adverb_are_others() -> None:
    assert word_classes(TEXTS).nouns.isdisjoint({"caused", "bad", "give", "want"})


def test_words_of_lists_count_as_nouns() -> None:
    assert {"fever", "cough"} <= word_classes(TEXTS).nouns


def test_verbs_follow_a_modal_or_a_pronoun_more_often_than_a_determiner() -> None:
    classes = word_classes(
        ["You should chart it, they avoid the chart or a chart, a pain or the pain"]
    )
    assert "avoid" in classes.verbs
    assert classes.verbs.isdisjoint({"chart", "pain", "the"})
