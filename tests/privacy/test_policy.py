"""Policies, operators and spans."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from privacy.entities import EntityType
from privacy.exceptions import InputError
from privacy.operators import generalize
from privacy.policy import Operator, parse_policy, preset, preset_names
from privacy.spans import Span, resolve_overlaps


@pytest.mark.parametrize("name", preset_names())
def test_every_shipped_policy_treats_every_type(name: str) -> None:
    policy = preset(name)
    assert {policy.operator(t) for t in EntityType} <= set(Operator)
    assert policy.operator(EntityType.LITERAL) is Operator.ENCRYPT


def test_a_policy_that_keeps_direct_identifiers_needs_an_explicit_word() -> None:
    source = '[operators]\nPERSON = "keep"\n'
    with pytest.raises(InputError, match="PERSON"):
        parse_policy("mine", source)
    parse_policy("mine", "allow_plain_direct_identifiers = true\n" + source)


@pytest.mark.parametrize(
    "source", ["default = 3", 'default = "hide"', '[operators]\nNAME = "encrypt"', "= x"]
)
def test_a_malformed_policy_is_one_clear_error(source: str) -> None:
    with pytest.raises(InputError, match="policy `mine`"):
        parse_policy("mine", source)


def test_an_unknown_preset_names_the_known_ones() -> None:
    with pytest.raises(InputError) as caught:
        preset("none")
    assert "sage" in str(caught.value.hint)


@pytest.mark.parametrize(
    ("value", "coarse"),
    [
        ("47", "40-49"),
        ("47-year-old", "40-49-year-old"),
        ("4 yrs old", "2-5 yrs old"),
        ("0", "0-1"),
        ("18", "18-29"),
        ("89", "80-89"),
        ("93 years", "90 or more years"),
        ("5 months old", "0-5 months old"),
        ("18 mo", "12-23 mo"),
        ("3-week-old", "0-5-week-old"),
        ("10 days", "7-27 days"),
        ("forty", "40-49"),
        ("sixty-three years old", "60-69 years old"),
        ("six weeks old", "6-11 weeks old"),
        ("nineteen", "18-29"),
        ("teenage", "some age"),
    ],
)
def test_ages_become_bands(value: str, coarse: str) -> None:
    assert generalize(value, EntityType.AGE) == coarse


@pytest.mark.parametrize(
    ("value", "coarse"),
    [
        ("12 March 2021", "March 2021"),
        ("Mar. 3rd", "Mar"),
        ("2021-03-12", "2021"),
        ("12/03/21", "2021"),
        ("14.10.24", "2024"),
        ("04/05/67", "1967"),
        ("18/9", "that day"),
        ("2 de septiembre.", "septiembre."),
        ("Sonntag, 21. Juli", "Juli"),
        ("30th April.", "April."),
        (" 3 May ", " May "),
    ],
)
def test_dates_become_months(value: str, coarse: str) -> None:
    assert generalize(value, EntityType.DATE_TIME) == coarse


SPANS = st.lists(
    st.tuples(st.integers(0, 20), st.integers(1, 8), st.sampled_from(EntityType)).map(
        lambda s: Span(s[0], s[0] + s[1], s[2])
    ),
    max_size=8,
)


@given(SPANS)
def test_resolving_keeps_every_character_covered_and_no_overlap(spans: list[Span]) -> None:
    kept = resolve_overlaps(spans)
    covered = [place for span in kept for place in range(span.start, span.end)]
    assert len(covered) == len(set(covered))
    assert set(covered) == {place for s in spans for place in range(s.start, s.end)}
    assert kept == sorted(kept, key=lambda s: s.start)


def test_the_longer_span_wins_and_the_rest_stays_covered() -> None:
    name, mail = Span(0, 9, EntityType.PERSON), Span(6, 20, EntityType.EMAIL_ADDRESS)
    assert resolve_overlaps([name, mail]) == [Span(0, 6, EntityType.PERSON), mail]
