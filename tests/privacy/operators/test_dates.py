"""Moving dates."""

from __future__ import annotations

from datetime import date, timedelta
from itertools import pairwise

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from sage_rag.privacy.operators.calendar import WrittenDate, reads_day_first
from sage_rag.privacy.operators.dates import Calendar, shift

DAYS = st.dates(date(1930, 1, 1), date(2035, 12, 31))
SHIFTS = st.integers(-1000, 1000).filter(lambda n: n % 7 != 0)
NOTATIONS = ["%Y-%m-%d", "%d %B %Y", "%B %d, %Y", "%d.%m.%Y", "%d-%b-%Y", "%Y年%m月%d日"]


@given(DAYS, SHIFTS, st.sampled_from(NOTATIONS))
def test_a_full_date_moves_in_its_own_notation(day: date, days: int, notation: str) -> None:
    moved = shift(day.strftime(notation), Calendar(shift_days=days))
    assert WrittenDate(moved).named is not None
    assert WrittenDate(moved).named.as_date() == day + timedelta(days=days)  # type: ignore[union-attr]


@given(st.lists(DAYS, min_size=2, max_size=6), SHIFTS)
def test_the_dates_of_a_document_keep_order_and_distance(days: list[date], by: int) -> None:
    calendar = Calendar(shift_days=by)
    moved = [WrittenDate(shift(f"{d:%d %B %Y}", calendar)).named for d in days]
    found = [m.as_date() for m in moved if m]
    assert [b - a for a, b in pairwise(days)] == [b - a for a, b in pairwise(found) if a and b]


@given(st.integers(1950, 2030), st.integers(1950, 2030), SHIFTS)
def test_bare_years_keep_their_order_and_change(one: int, other: int, by: int) -> None:
    assume(one < other)
    calendar = Calendar(shift_days=by)
    assert int(shift(str(one), calendar)) < int(shift(str(other), calendar))
    assert shift(str(one), calendar) != str(one)


@pytest.mark.parametrize(
    ("value", "moved"),
    [
        ("12th of March", "21st of April"),
        ("Sonntag, 21. Juli", "Freitag, 30. August"),
        ("FRIDAY 3 MAY 2019", "WEDNESDAY 12 JUNE 2019"),
        ("2 de septiembre de 2019", "12 de octubre de 2019"),
        ("3 Mar 21", "12 Apr 21"),
        ("2021-03-12T10:30:00", "2021-04-21T10:30:00"),
        ("31/12/2020", "09/02/2021"),
        ("March 2021", "April 2021"),
        ("2021", "2022"),
        ("last Monday", "last Saturday"),
        ("yesterday", "yesterday"),
        ("10:30", None),
        ("12-14 March 2021", None),
        ("10.5.20.19", None),
        ("4 pm", "4 pm"),
        ("March or April 2021", None),
        ("the 1990s", None),
        ("30 February 2021", None),
    ],
)
def test_notations(value: str, moved: str | None) -> None:
    assert shift(value, Calendar(shift_days=40)) == moved


@pytest.mark.parametrize(
    ("text", "day_first"),
    [
        ("on 31/12/2020 and 03/04/2021", True),
        ("on 12/31/2020 and 03/04/2021", False),
        ("am 03.04.2021", True),
        ("03/04/2021", False),
    ],
)
def test_a_document_tells_which_figure_is_the_day(text: str, day_first: bool) -> None:
    assert reads_day_first(text) is day_first


def test_a_shift_of_nothing_is_refused() -> None:
    with pytest.raises(ValueError, match="at least one day"):
        shift("3 May 2021", Calendar())


@given(st.text(max_size=30), SHIFTS)
def test_no_text_breaks_the_reader(text: str, by: int) -> None:
    shift(text, Calendar.of(text, [text], by))
