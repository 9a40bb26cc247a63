"""Inflected forms and synonyms share a key; opposites do not."""

import pytest

from sage_rag.privacy.gate.facts.words import is_drug, poles, word_keys


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("stopped", "stops"),
        ("bled", "bleeding"),
        ("payment", "paid"),
        ("infections", "infected"),
        ("doctor", "physician"),
        ("operation", "surgery"),
        ("high_blood_pressure", "hypertension"),
        ("allergic", "allergies"),
    ],
)
def test_words_that_can_mean_the_same_share_a_key(one: str, other: str) -> None:
    assert word_keys(one) & word_keys(other)


@pytest.mark.parametrize(("one", "other"), [("start", "stop"), ("rise", "fall"), ("left", "right")])
def test_other_words_share_none(one: str, other: str) -> None:
    assert not word_keys(one) & word_keys(other)


def test_opposites_are_the_two_sides_of_one_pair() -> None:
    def sides(word: str) -> set[tuple[int, int]]:
        return {pole for key in word_keys(word) for pole in poles().get(key, ())}

    assert any((number, 1 - side) in sides("fallen") for number, side in sides("risen"))
    assert any((number, 1 - side) in sides("rejected") for number, side in sides("granted"))


def test_drugs_are_known_by_their_ending() -> None:
    assert is_drug("flucloxacillin")
    assert is_drug("warfarin")
    assert not is_drug("chair")
