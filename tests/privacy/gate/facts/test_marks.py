"""The longest phrase at a place is read, and no other one inside of it."""

import pytest

from sage_rag.privacy.gate.facts.marks import find_marks


@pytest.mark.parametrize(
    ("text", "kind", "value"),
    [
        ("no more than two", "comparator", "most"),
        ("there is no need to fast", "force", "none"),
        ("it may not be used", "force", "forbid"),
        ("my mother is ill", "person", "mother"),
        ("call us if it hurts", "condition", "if"),
        ("it is probably gout", "certainty", "hedged"),
    ],
)
def test_a_phrase_has_its_meaning(text: str, kind: str, value: str) -> None:
    assert (kind, value) in {(m.kind, m.value) for m in find_marks(text.split())}


@pytest.mark.parametrize("text", ["no more than two", "there is no need to fast"])
def test_a_word_inside_of_a_longer_phrase_is_no_negation(text: str) -> None:
    assert all(m.kind != "negation" for m in find_marks(text.split()))
