"""Make dates coarser, count them from a document's first date, or move them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import date

from sage_rag.privacy.english import MONTHS
from sage_rag.privacy.operators.calendar import WrittenDate, reads_day_first, shift_weekdays
from sage_rag.privacy.operators.durations import coarse_time

_SEVERAL = re.compile(r"(\s*[,/–—]\s*(?:and\s+)?|\s+(?:and|to|or|until|till|through|-)\s+)")
_FIRST_DAY = re.compile(
    r"\d{1,2}(?:st|nd|rd|th)?\s*(?:-|–|to|and|&|,)\s*(?=\d{1,2}[^\d.:/]*[^\W\d_]{3})"
)
"""The first day of a range in one month: "5 to 9 May 2020"."""
_KEPT_BEFORE = re.compile(
    r"(?P<words>(?:\b(?:since|from|until|till|before|after|by|in|around|about|approximately|circa"
    r"|between|past|prior\s+to|later\s+than|earlier\s+than)\s+)*)(?:the\s+)?\Z",
    re.IGNORECASE,
)
BOUND = re.compile(
    r"\b(?:after|before|until|till|by|from|past|prior\s+to|(?:later|earlier)\s+than)\s+(?:the\s+)?\Z",
    re.IGNORECASE,
)
"""Before a date that begins or ends a time: "after 15 May" is not "after May"."""
_WEEKDAY = "(?:mon|tues|wednes|thurs|fri|satur|sun)days?"
PART_OF = re.compile(
    rf"\b(?:end|beginning|start|middle|half|quarter|weeks?|weekends?|days?|eve|{_WEEKDAY}|first|last"
    r"|second|third|fourth)\s+(?:of|in|before|after)\s+(?:the\s+)?\Z"
    rf"|\b(?:early|late|mid|first|last|second|third|fourth|{_WEEKDAY})[\s-]+\Z",
    re.IGNORECASE,
)
"""Before a date of which it says a part: "the end of March 2019" is not "the end of 2019"."""
NUMBER_OF = re.compile(
    r"(?:\b(?:version|ver|v|release|build|lot|batch|sections?|sec|clauses?|articles?|art|paragraphs?"
    r"|para|rules?|chapter|part|item|figure|fig|table|appendix|annex|firmware|model|no|number)\.?"
    r"|§)\s*\Z",
    re.IGNORECASE,
)
"""Before a number that is no date: "version 10.5.20"."""
_KEPT_AFTER = re.compile(r"\s+(?:of\s+)?(?:this|last|next|that|the same)\s+year\b", re.IGNORECASE)
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
        written = [WrittenDate(value, day_first=day_first) for value in dates]
        named = [d for w in written if not w.is_ambiguous and (d := w.named)]
        full = [day for d in named if (day := d.as_date())]
        years = [d.year for w in written if (d := w.named) and d.year]
        return cls(day_first, min(full, default=None), max(years, default=None), shift_days)


def to_month(value: str, calendar: Calendar) -> str | None:
    """Return the month and year that a date names, or `coarse_time`; `None` if it is not read.

    A date in figures that has two readings becomes its year.
    """
    return coarse_time(value) or _each_date(value, lambda one: _month(one, calendar))


def to_year(value: str, calendar: Calendar) -> str | None:
    """Return the year of a date, or `coarse_time`; `None` if it is not read or names no year.

    So, too, for a year more than 89 before the latest one in the document: as a year of birth it
    would show an age over 89.
    """
    return coarse_time(value) or _each_date(value, lambda one: _year(one, calendar))


def to_offset(value: str, calendar: Calendar) -> str | None:
    """Return `day 12` for the twelfth day after the document's first date.

    Anything but a full date becomes `coarse_time`, or `None`.
    """
    read = WrittenDate(value, day_first=calendar.day_first)
    day = read.named.as_date() if read.named and not read.is_ambiguous else None
    if day is None or calendar.first is None:
        return coarse_time(value)
    return f"day {(day - calendar.first).days}"


def shift(value: str, calendar: Calendar) -> str | None:
    """Return a date moved by the document's shift, or `coarse_time`; `None` if it is not read.

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
        return shift_weekdays(undated, calendar.shift_days)
    return None


def _each_date(value: str, coarsen: Callable[[WrittenDate], str | None]) -> str | None:
    """Return a value with each of its dates coarser; `None` unless all of it can be read."""
    if (whole := _coarser(value, coarsen, alone=True)) is not None:
        return whole
    parts = _SEVERAL.split(value)
    if len(parts) == 1:
        return None
    coarse = [_coarser(part, coarsen) for part in parts[::2]]
    read = [part for part in coarse if part is not None]
    if len(read) < len(coarse):
        return None
    return "".join(a + b for a, b in zip(read, [*parts[1::2], ""], strict=True))


def _coarser(
    value: str, coarsen: Callable[[WrittenDate], str | None], *, alone: bool = False
) -> str | None:
    """Return a coarser date; one that is `alone` after a bound becomes "a date in May 2024"."""
    single = _FIRST_DAY.sub("", value, count=1)
    read = WrittenDate(single)
    coarse = coarsen(read) if read.named else None
    if coarse is None:
        return None
    around, rest = read.around
    found, after = (_KEPT_BEFORE.search(around), _KEPT_AFTER.match(rest))
    before = found["words"] if found else ""
    same = coarse == single[len(around) : len(single) - len(rest)]
    if found and alone and BOUND.search(before):
        article = "a " if found.group() == before else ""
        before = found.group() if same else f"{found.group()}{article}date in "
    return before + coarse + (after.group() if after else "")


def _month(read: WrittenDate, _: Calendar) -> str | None:
    named = read.named
    if named is None:
        return None
    month = read.month_as_written
    if month is None and named.month is not None and not read.is_ambiguous:
        month = MONTHS[named.month - 1].capitalize()
    return " ".join(str(part) for part in (month, named.year) if part) or None


def _year(read: WrittenDate, calendar: Calendar) -> str | None:
    year = read.named.year if read.named else None
    if year is None:
        return None
    latest = calendar.latest_year
    return None if latest is not None and latest - year > _OLDEST else str(year)
