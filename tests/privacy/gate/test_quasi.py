"""Quasi-identifier combinations against counting by hand."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sage_rag.privacy.entities import EntityType
from sage_rag.privacy.gate.quasi import (
    LEVELS,
    UniqueCombination,
    anonymity,
    is_quasi,
    quasi_values,
)
from sage_rag.privacy.spans import Span

AGE, DATE, PLACE = EntityType.AGE, EntityType.DATE_TIME, EntityType.LOCATION

VALUES = st.frozensets(st.sampled_from("abc"), min_size=1, max_size=2)
CORPORA = st.lists(st.dictionaries(st.sampled_from([AGE, DATE, PLACE]), VALUES), max_size=12)


@pytest.mark.parametrize(
    ("entity_type", "expected"),
    [
        (EntityType.AGE, True),
        (EntityType.DATE_TIME, True),
        (EntityType.LOCATION, True),
        (EntityType.ORGANIZATION, True),
        (EntityType.QUANTITY, True),
        (EntityType.DEMOGRAPHIC, True),
        (EntityType.MISC, True),
        (EntityType.PERSON, False),
        (EntityType.EMAIL_ADDRESS, False),
        (EntityType.SOURCE, False),
    ],
)
def test_types_that_identify_in_combination(entity_type: EntityType, expected: bool) -> None:
    assert is_quasi(entity_type) is expected


def spans(text: str, **values: str) -> list[Span]:
    return [
        Span(text.index(value), text.index(value) + len(value), EntityType(name))
        for name, value in values.items()
    ]


def test_values_are_taken_as_published() -> None:
    text = "A woman of 40-49 from LOCATION_[abc] came in May  2021 to PERSON_[x]"
    found = quasi_values(text, spans(text, AGE="40-49", DATE_TIME="May  2021"))
    assert found == {
        AGE: {"40-49"},
        DATE: {"may 2021"},
        PLACE: {"LOCATION_[abc]"},
    }


def test_tokens_beside_the_text_count_and_direct_ones_do_not() -> None:
    found = quasi_values("nothing", (), ["LOCATION_[abc]", "PERSON_[x]", "no token"])
    assert found == {PLACE: {"LOCATION_[abc]"}}


def test_placeholders_and_what_is_recognised_in_markup_are_no_values() -> None:
    text = "[LOCATION_1] or LOCATION_[may]"
    found = quasi_values(text, spans(text, LOCATION="[LOCATION_1]", DATE_TIME="may"))
    assert found == {PLACE: {"LOCATION_[may]"}}


def test_equal_values_in_other_spelling_are_equal() -> None:
    one, other = "MAY 2021", "May\n2021"
    spelled = [quasi_values(text, [Span(0, len(text), DATE)]) for text in (one, other)]
    assert spelled[0] == spelled[1]


def test_a_corpus_is_viewed() -> None:
    corpus = [
        *[{AGE: frozenset({"40-49"}), PLACE: frozenset({"p"})}] * 5,
        {AGE: frozenset({"40-49"}), PLACE: frozenset({"q"})},
        {AGE: frozenset({"50-59"}), PLACE: frozenset({"p"})},
        {AGE: frozenset({"50-59"}), PLACE: frozenset({"q"})},
        *[{}] * 10,
    ]
    view = anonymity(corpus)
    assert (view.documents, view.classes, view.smallest) == (18, 5, 1)
    assert view.under == {2: 3, 5: 3, 10: 8}
    assert view.combinations == (UniqueCombination((AGE, PLACE), 3),)


def test_a_combination_that_adds_nothing_is_left_out() -> None:
    corpus = [{AGE: frozenset({age}), DATE: frozenset({"may"})} for age in "abc"]
    assert anonymity(corpus).combinations == (UniqueCombination((AGE,), 3),)


def test_an_empty_corpus_has_no_class() -> None:
    view = anonymity([])
    assert (view.documents, view.classes, view.smallest) == (0, 0, 0)
    assert view.under == dict.fromkeys(LEVELS, 0)


@given(CORPORA)
def test_sizes_agree_with_comparing_every_pair(
    corpus: list[dict[EntityType, frozenset[str]]],
) -> None:
    sizes = [sum(one == other for other in corpus) for one in corpus]
    report = anonymity(corpus)
    assert report.smallest == min(sizes, default=0)
    assert report.under == {level: sum(size < level for size in sizes) for level in LEVELS}


@given(CORPORA)
def test_singling_out_agrees_with_counting(
    corpus: list[dict[EntityType, frozenset[str]]],
) -> None:
    for found in anonymity(corpus).combinations:
        rows = Counter(tuple(d.get(t, frozenset()) for t in found.types) for d in corpus)
        assert found.documents == sum(count == 1 for count in rows.values()) > 0


@given(CORPORA)
def test_all_types_together_single_out_as_many_as_are_alone(
    corpus: list[dict[EntityType, frozenset[str]]],
) -> None:
    view = anonymity([*corpus, {AGE: frozenset({"z"})}])
    assert max((c.documents for c in view.combinations), default=0) == view.under[2]


def test_a_view_holds_no_value() -> None:
    assert "keller" not in repr(anonymity([{AGE: frozenset({"keller"})}])).lower()
