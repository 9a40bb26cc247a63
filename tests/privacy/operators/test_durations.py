"""Times that name no date."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sage_rag.privacy.operators.durations import coarse_time


@pytest.mark.parametrize(
    ("value", "coarse"),
    [
        ("nine days", "several days"),
        ("10 days", "several days"),
        ("two weeks ago", "a few weeks ago"),
        ("for about thirty-six years", "for about many years"),
        ("2-3 weeks", "a few weeks"),
        ("two to six months", "several months"),
        ("14-day", "many-day"),
        ("three-week", "few-week"),
        ("one week", "one week"),
        ("1 day", "1 day"),
        ("every eight hours", "every eight hours"),
        ("48 hours", "48 hours"),
        ("20 min", "20 min"),
        ("30mins", "30mins"),
        ("5 or 6 hrs", "5 or 6 hrs"),
        ("12 yrs", "several yrs"),
        ("4/5 years", "several years"),
        ("6to 7 years", "several years"),
        ("10+ years", "several years"),
        ("6 1/2 months", "several months"),
        ("six or more days", "several days"),
        ("two or so weeks", "a few weeks"),
        ("ten o'clock", None),
        ("2 to 3 am", "2 to 3 am"),
        ("12.03ng", None),
        ("twenty minutes", "twenty minutes"),
        ("4 pm", "4 pm"),
        ("10:30", None),
        ("8 o'clock", "8 o'clock"),
        ("this morning", "this morning"),
        ("last year", "last year"),
        ("a few days", "a few days"),
        ("yesterday", "yesterday"),
        ("half an hour", "half an hour"),
        ("Monday", "Monday"),
        ("last Friday night", "last Friday night"),
        ("25 pm", None),
        ("the day before", "the day before"),
        ("3rd of last month", None),
        ("3 May 2021", None),
        ("May 2021", None),
        ("2021", None),
        ("18/9", None),
        ("Mrs Day", None),
        ("six", None),
        ("ſix days", None),
        ("SİX DAYS", None),
        ("2", None),
        ("", None),
    ],
)
def test_a_time_without_a_date_is_made_coarser(value: str, coarse: str | None) -> None:
    assert coarse_time(value) == coarse
    if value.isascii():
        assert (coarse_time(value.upper()) is None) == (coarse is None)


@given(st.integers(2, 999), st.sampled_from(["days", "weeks", "months", "years"]))
def test_no_number_of_days_and_more_shows(number: int, unit: str) -> None:
    coarse = coarse_time(f"{number} {unit}")
    assert coarse is not None
    assert not any(map(str.isdigit, coarse))


@given(st.text(max_size=40))
def test_what_cannot_be_read_is_not_guessed(value: str) -> None:
    assert coarse_time(f"#{value}") is None
