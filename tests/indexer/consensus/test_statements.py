"""Statements of records by rules."""

from __future__ import annotations

import pytest

from sage_rag.indexer.consensus.nouns import noun_words
from sage_rag.indexer.consensus.statements import statements
from sage_rag.privacy.gate.support import SupportCounts


def of(text, *others):
    """Return the statements of a text that three subjects say, or more with `others`."""
    counts = SupportCounts([(str(i), [text]) for i in range(3)] + [(o, [o]) for o in others])
    return [statement.text for statement in statements(text, counts, 3, noun_words([text]))]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Drink plenty of water.", ["Drink plenty of water"]),
        ("Should I see a doctor?", ["Should I see a doctor?"]),
        ("She has a rash on her arm.", ["She has a rash on her arm"]),
        ("Take rest, avoid heavy lifting and use a warm pad.",
         ["Take rest", "avoid heavy lifting and use a warm pad"]),
    ],
)  # fmt: skip
def test_clauses_are_whole(text, expected):
    assert of(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "Hello and welcome to our clinic.",
        "Hope this answers your query.",
        "[PERSON_1] [DATE_1].",
        "40-49 mg.",
        "It feels.",
        "",
    ],
)
def test_courtesies_numbers_and_values_are_left_out(text):
    assert of(text) == []


def test_what_is_negated_is_not_a_statement_without_its_negation():
    found = of("There is no sign of a fracture, do not stop the tablets.")
    assert not any(text.startswith(("sign", "a fracture", "the tablets")) for text in found)


def test_nothing_loses_its_condition():
    assert "take the tablets" not in map(str.lower, of("Take the tablets if the fever is high."))


def test_what_fewer_say_is_left_out():
    counts = SupportCounts(
        [("a", ["My parrot has a rash."]), ("b", ["A rash."]), ("c", ["a rash"])]
    )
    found = [s.text for s in statements("My parrot has a rash.", counts, 3, frozenset())]
    assert found == ["a rash"]


def test_places_follow_the_text():
    counts = SupportCounts([(str(i), ["A rash. A fever."]) for i in range(3)])
    first, second = statements("A rash. A fever.", counts, 3, frozenset())
    assert 0 == first.place < second.place < 1
