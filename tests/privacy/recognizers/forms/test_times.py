"""Times that name no calendar day."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sage_rag.privacy.recognizers.default import default_recognizer
from sage_rag.privacy.recognizers.forms.times import is_relative

RELATIVE = [
    "yesterday",
    "yesterday evening",
    "the day before yesterday",
    "day after tomorrow",
    "last week",
    "the week before last",
    "late last night",
    "the other day",
    "this morning",
    "a few days ago",
    "Monday",
    "next Tuesday afternoon",
    "on Sundays",
    "4 pm",
    "2 to 3 am",
    "10 o'clock",
]


@pytest.mark.parametrize("value", RELATIVE)
def test_a_relative_time_names_no_day(value: str) -> None:
    assert is_relative(value)
    assert is_relative(value.upper())


@pytest.mark.parametrize(
    "value",
    [
        "",
        " ",
        "3rd of last month",
        "May",
        "last May",
        "2 weeks ago",
        "Monday 3 May",
        "10:31",
        "10:31 am",
        "25 pm",
        "2021",
        "on Keller",
        "Mr Day",
    ],
)
def test_a_date_a_length_or_a_minute_is_no_relative_time(value: str) -> None:
    assert not is_relative(value)


@given(st.text(alphabet="0123456789:./ -", min_size=1, max_size=12))
def test_figures_alone_are_no_relative_time(value: str) -> None:
    assert not is_relative(value)


@pytest.mark.parametrize("value", RELATIVE)
def test_a_relative_time_is_never_recognised(value: str) -> None:
    text = f"My knee hurts since {value} and it does not stop."
    found = [text[s.start : s.end] for s in default_recognizer().recognize(text)]
    assert not [v for v in found if v in value or value in v]


@pytest.mark.parametrize("value", ["the 3rd of last month", "21st of this month"])
def test_the_day_of_a_month_that_is_not_named_is_recognised(value: str) -> None:
    text = f"My knee hurts since {value} and it does not stop."
    found = [text[s.start : s.end] for s in default_recognizer().recognize(text)]
    assert value in found
