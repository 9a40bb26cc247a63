"""From named values to spans: what counts as standing in the text, and what as invented."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sage_rag.privacy.entities import EntityType
from sage_rag.privacy.recognizers.backends.extraction import Value, locate

PERSON = EntityType.PERSON

TABLE = [
    ("Ada Quist saw Ada Quist.", "Ada Quist", ["Ada Quist", "Ada Quist"]),
    ("Ada\nQuist came", "Ada Quist", ["Ada\nQuist"]),
    ("Ada and Adam, not Canada", "Ada", ["Ada"]),
    # Only where it is not there as written do case, spacing and disguise matter.
    ("will Will pay?", "Will", ["Will"]),
    ("ADA QUIST", "Ada Quist", ["ADA QUIST"]),
    ("call 0151 - 20 30 40", "0151-203040", ["0151 - 20 30 40"]),
    ("call 015120 3040", "0151 203040", ["015120 3040"]),
    ("A\u200bda Qui\u00adst", "Ada Quist", ["A\u200bda Qui\u00adst"]),
    ("Ａda Quist", "Ada Quist", ["Ａda Quist"]),
    ("Zoe\u0308 Quist", "Zoë Quist", ["Zoe\u0308 Quist"]),
    # Inside words only as a last resort, and then the whole word.
    ("we met the Quists", "Quist", ["Quists"]),
    ("we met the Quists and Quist", "Quist", ["Quist"]),
    ("an island", "isl", ["island"]),
    ("an island", "is", []),
    # Scripts without spaces have no word borders.
    ("我叫张伟住在北京", "张伟", ["张伟"]),
    ("김민준은 갔다", "김민준", ["김민준"]),
    # A spaced-out short value is no value.
    ("this is a nice day", "AN", []),
    ("🙂 Ada 🙂", "Ada", ["Ada"]),
    ("(Ada's)", "Ada", ["Ada"]),
    ("a+b? yes", "a+b?", ["a+b?"]),
    ("nobody here", "Ada Quist", []),
    ("text", "  ", []),
]  # fmt: skip


@pytest.mark.parametrize(("text", "value", "expected"), TABLE)
def test_values_are_found_the_strictest_way_that_finds_any(
    text: str, value: str, expected: list[str]
) -> None:
    spans = locate(text, [Value(value, PERSON)], 0.8)
    assert [text[s.start : s.end] for s in spans] == expected


def test_a_value_named_twice_counts_once_and_two_types_give_two_spans() -> None:
    values = [Value("Bern", PERSON), Value("Bern", PERSON), Value("Bern", EntityType.LOCATION)]
    spans = locate("in Bern", values, 0.5)
    assert [(s.start, s.end, s.score) for s in spans] == [(3, 7, 0.5), (3, 7, 0.5)]
    assert {s.entity_type for s in spans} == {PERSON, EntityType.LOCATION}


def test_a_value_is_not_shown() -> None:
    assert "Quist" not in repr(Value("Ada Quist", PERSON))


@given(st.text(max_size=60), st.text(max_size=12))
def test_every_span_lies_in_the_text_and_no_value_breaks_the_search(text: str, value: str) -> None:
    spans = locate(text, [Value(value, PERSON)], 1.0)
    assert all(0 <= s.start < s.end <= len(text) for s in spans)


@given(st.text(max_size=30), st.text(alphabet="AdaQuist 张伟0", min_size=1), st.text(max_size=30))
def test_what_stands_between_spaces_is_found(before: str, value: str, after: str) -> None:
    if not value.strip():
        return
    text = f"{before} {value} {after}"
    spans = locate(text, [Value(value, PERSON)], 1.0)
    assert value.strip() in {text[s.start : s.end] for s in spans}
