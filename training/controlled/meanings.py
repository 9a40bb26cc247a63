"""Dates and sums of a text by what they mean, whatever their notation."""

from __future__ import annotations

import re

from sage_rag.privacy.gate.facts.quantities import read_quantities
from sage_rag.privacy.operators.calendar import Day, WrittenDate
from sage_rag.privacy.recognizers.forms.dates import DATES
from sage_rag.privacy.recognizers.forms.patterns import PatternRecognizer
from sage_rag.privacy.recognizers.forms.quantities import QUANTITIES

_RECOGNIZER = PatternRecognizer((*DATES, *QUANTITIES))
_CURRENCIES = ("dollar", "euro", "pound", "franc")
_GROUPS = re.compile(r"(?<=\d)[.'’ \u00a0\u202f](?=\d{3}(?!\d))")
"""Separators of thousands that English does not use: `1.000 €`, `1 000 €`."""


def meaning_of(value: str) -> str | None:
    """Return a value that is one date with a month or one sum in one form, `None` for another.

    `12.05.2011` and `May 12, 2011` have the meaning `2011-05-12`; `$1,000` has `1000 dollar`.
    """
    found = _dates(value) or _sums(value)
    return found[0] if len(found) == 1 else None


def meanings_in(text: str) -> frozenset[str]:
    """Return the meanings of all dates and sums that patterns find in a text.

    An ambiguous date in figures has both of its readings.
    """
    spans = _RECOGNIZER.recognize(text)
    parts = (text[span.start : span.end] for span in spans)
    return frozenset(meaning for part in parts for meaning in (*_dates(part), *_sums(part)))


def _dates(text: str) -> list[str]:
    written = WrittenDate(text)
    day = written.named
    if day is None or day.month is None:
        return []
    readings = [day, Day(day.year, day.day, day.month)] if written.is_ambiguous else [day]
    return [f"{read.year or '?'}-{read.month or 0:02d}-{read.day or 0:02d}" for read in readings]


def _sums(text: str) -> list[str]:
    found = read_quantities(_GROUPS.sub("", text.lower()))
    return [f"{q.low} {q.unit}" for q in found if q.unit in _CURRENCIES]
