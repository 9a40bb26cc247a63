"""Other spellings of a date: `12 May 2011`, `May 12th, 2011`, `12.05.2011`, `2011-05-12`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import product

from sage_rag.privacy.english import MONTHS
from sage_rag.privacy.operators.calendar import Day, WrittenDate
from sage_rag.privacy.recognizers.forms.dates import DATES
from sage_rag.training.controlled.number_words import (
    ORDINALS,
    ordinals_in_figures,
    year_in_words,
)

_SHORT_MONTHS = {8: ("sep", "sept")}
"""Short names of a month other than its first three letters, by its place in the year."""
_TEENS = range(11, 14)
_ROMAN = "I II III IV V VI VII VIII IX X XI XII".split()
_SHORT_YEAR = 2
_DAY_OF = re.compile(r"\bday of\b", re.IGNORECASE)


def date_spellings(text: str) -> Iterator[str]:
    """Yield each date of a text in the notations of English, in figures and in words.

    A date without a year is spelled in words alone: `12/05` is as often a fraction. A year alone
    has one spelling. Separators are left to the search, which compares letters and digits.
    """
    text = _DAY_OF.sub("of", ordinals_in_figures(text))
    whole = WrittenDate(text)
    written = [whole] if whole.named else list(_dates_within(text))
    for found in written:
        if found.named is None:
            continue
        months = _months(found)
        yield from _spellings(found.named, months)
        if found.is_ambiguous:
            day = found.named
            swapped = Day(day.year, day.day, day.month)
            yield from _spellings(swapped, _names(swapped.month))


def _dates_within(text: str) -> Iterator[WrittenDate]:
    """Yield the dates of a text with several: `between 3 May 2011 and 4 June 2012`."""
    for pattern in DATES:
        for span in pattern.find(text):
            yield WrittenDate(text[span.start : span.end])


def _months(written: WrittenDate) -> set[str]:
    own = written.month_as_written
    named = written.named
    return _names(named.month if named else None) | ({own.lower()} if own else set())


def _names(month: int | None) -> set[str]:
    if month is None:
        return set()
    name = MONTHS[month - 1]
    return {name, *_SHORT_MONTHS.get(month - 1, (name[:3],))}


def _spellings(day: Day, months: set[str]) -> Iterator[str]:
    if day.month is None:
        return
    if day.day is None:
        if day.year is not None:
            yield from _of_month(day.year, day.month, months)
        return
    years = ("",) if day.year is None else (str(day.year), f"{day.year % 100:02d}")
    yield from _in_words(day.day, months, years)
    yield from _read_aloud(day, months)
    if day.year is not None:
        yield from _in_figures(day.year, day.month, day.day)


def _of_month(year: int, month: int, months: set[str]) -> Iterator[str]:
    for name in months:
        yield from (f"{name} {year}", f"{name} of {year}", f"{year} {name}")
    for number in {str(month), f"{month:02d}"}:
        yield from (f"{number}/{year}", f"{year}-{number}")
    yield f"{year}年{month}月"


def _in_words(day: int, months: set[str], years: tuple[str, ...]) -> Iterator[str]:
    plain = {str(day), f"{day:02d}"}
    ordinal = f"{day}{_suffix(day)}"
    before = {*plain, ordinal, *(f"{d} {of}" for d in (*plain, ordinal) for of in ("of", "day of"))}
    after = {*plain, ordinal, f"the {ordinal}", f"the {day}"}
    for name, year in product(months, years):
        yield from (f"{d} {name} {year}" for d in before)
        yield from (f"{name} {d} {year}" for d in after)
        if len(year) > _SHORT_YEAR:
            yield from (f"{year} {name} {d}" for d in (*plain, ordinal))
            yield from (f"{d} {name} of {year}" for d in (*plain, ordinal))


def _read_aloud(day: Day, months: set[str]) -> Iterator[str]:
    """Yield the day as an ordinal in words: `the twelfth of May two thousand and eleven`."""
    ordinal = ORDINALS[(day.day or 1) - 1]
    years = ("",) if day.year is None else (str(day.year), *year_in_words(day.year))
    for name, year in product(months, years):
        yield from (f"{ordinal} {of}{name} {year}" for of in ("", "of ", "day of "))
        yield from (f"{name} {the}{ordinal} {year}" for the in ("", "the "))


def _in_figures(year: int, month: int, day: int) -> Iterator[str]:
    """Yield both orders of day and month; with two digits of the year, padded parts alone."""
    for d, m in product({str(day), f"{day:02d}"}, {str(month), f"{month:02d}"}):
        yield from (f"{d}.{m}.{year}", f"{m}/{d}/{year}", f"{year}-{m}-{d}")
    yield from (f"{d}.{_ROMAN[month - 1]}.{year}" for d in {str(day), f"{day:02d}"})
    d, m, y = f"{day:02d}", f"{month:02d}", f"{year % 100:02d}"
    yield from (f"{d}.{m}.{y}", f"{m}/{d}/{y}", f"{y}-{m}-{d}")
    yield from (f"{year}年{month}月{day}{word}" for word in "日号")


def _suffix(day: int) -> str:
    return "th" if day in _TEENS else {1: "st", 2: "nd", 3: "rd"}.get(day % 10, "th")
