"""Make dates coarser, count them from a document's first date, or move them."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date

from sage_rag.privacy.operators.calendar import WrittenDate, reads_day_first, shift_weekdays
from sage_rag.privacy.operators.durations import coarse_time
from sage_rag.privacy.recognizers.forms.dates import MONTHS_IN_WORDS

_YEAR = re.compile(r"\b(?:1[89]|20)\d\d\b")
_MONTH = re.compile(
    r"\b(jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?"
    r"|sep(?:t(?:ember)?)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\b\.?",
    re.IGNORECASE,
)
_MONTH_NAMES = (
    "January February March April May June July August September October November December"
).split()
_SHORT_YEAR = re.compile(r"\b\d{1,2}[./-] ?\d{1,2}[./-] ?(\d\d)\b")
_LETTERS = re.compile(r"[^\W\d_]{3,}")
_UNKNOWN = "that day"
_OLDEST = 89
"""Years. An element of a date that shows a higher age must be removed
(45 CFR 164.514(b)(2)(i)(C))."""


@dataclass(frozen=True, slots=True)
class Calendar:
    """The properties that the dates of one document share.

    `first`: its earliest full date, day 0 of `to = "offset"`. `latest_year`: the latest year named.
    `shift_days`: the number of days that its dates move by, under operator `surrogate`.
    """

    day_first: bool = False
    first: date | None = None
    latest_year: int | None = None
    shift_days: int | None = None

    @classmethod
    def of(cls, text: str, dates: Iterable[str], shift_days: int | None = None) -> Calendar:
        """Read a document's text and the dates recognised in it."""
        day_first = reads_day_first(text)
        named = [d for v in dates if (d := WrittenDate(v, day_first=day_first).named)]
        full = [day for d in named if (day := d.as_date())]
        years = [d.year for d in named if d.year]
        return cls(day_first, min(full, default=None), max(years, default=None), shift_days)


def to_month(value: str, _: Calendar) -> str:
    """Return the month and year that a date names, else `coarse_time` or `that day`."""
    if (undated := coarse_time(value)) is not None:
        return undated
    month = _MONTH.search(value)
    named = (
        month.group().rstrip(".") if month else _foreign_month(value) or _month_in_figures(value)
    )
    return " ".join(part for part in (named, _year(value)) if part) or _UNKNOWN


def to_year(value: str, calendar: Calendar) -> str:
    """Return the year of a date, else `coarse_time` or `that day`.

    A year more than 89 before the latest one in the document is left out: as a year of birth it
    would show an age over 89.
    """
    year = WrittenDate(value, day_first=calendar.day_first).named
    found = str(year.year) if year and year.year else _year(value)
    if found is None:
        return coarse_time(value) or _UNKNOWN
    latest = calendar.latest_year
    return _UNKNOWN if latest is not None and latest - int(found) > _OLDEST else found


def to_offset(value: str, calendar: Calendar) -> str:
    """Return `day 12` for the twelfth day after the document's first date.

    Anything but a full date becomes `coarse_time` or `that day`.
    """
    named = WrittenDate(value, day_first=calendar.day_first).named
    day = named.as_date() if named else None
    if day is None or calendar.first is None:
        return coarse_time(value) or _UNKNOWN
    return f"day {(day - calendar.first).days}"


def shift(value: str, calendar: Calendar) -> str:
    """Return a date moved by the document's shift; else `coarse_time`, or `that day`.

    Guarantees: full dates of one document keep their order and their distances in days; months
    and years without a day keep their order among themselves.
    Does not guarantee: the order of dates without a year, or of dates in figures that were misread
    (`03/04/2021` in a document without a sign which number is the month).
    """
    if not calendar.shift_days:
        raise ValueError("a document's shift is at least one day")
    date_in = WrittenDate(value, day_first=calendar.day_first)
    if (moved := date_in.shifted(calendar.shift_days)) is not None:
        return moved
    if (undated := coarse_time(value)) is not None:
        return undated
    weekday = shift_weekdays(value, calendar.shift_days)
    return _UNKNOWN if weekday == value or any(map(str.isdigit, value)) else weekday


def _year(value: str) -> str | None:
    if year := _YEAR.search(value):
        return year.group()
    short = _SHORT_YEAR.search(value)
    return _full_year(short[1]) if short else None


def _full_year(two_digits: str) -> str:
    """Return the year that two digits mean in a text from before 2040."""
    return f"{20 if int(two_digits) < 40 else 19}{two_digits}"


def _month_in_figures(value: str) -> str | None:
    """Return the month of a date in figures, where both readings give the same."""
    read = [WrittenDate(value, day_first=day_first).named for day_first in (True, False)]
    months = {named.month for named in read if named is not None}
    month = months.pop() if len(months) == 1 else None
    return None if month is None else _MONTH_NAMES[month - 1]


def _foreign_month(value: str) -> str | None:
    """Return the last month that a date with figures names in another language than English."""
    found = [word for word in _LETTERS.findall(value) if word.lower() in MONTHS_IN_WORDS]
    return found[-1] if found and any(c.isdigit() for c in value) else None
