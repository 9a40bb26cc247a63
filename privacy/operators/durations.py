"""Make lengths of time coarser.

Recognizers mark them as dates, but they name none, and a reader needs them: "every eight hours" is
a dose. Only English is read.
"""

from __future__ import annotations

import re

from sage_rag.privacy.english import ONES, TENS, number_of
from sage_rag.privacy.recognizers.forms.times import (
    AFTER,
    BEFORE,
    SHORT_UNITS,
    UNIT,
    is_relative,
)

_NUMBER = (
    rf"(?:\d{{1,3}}(?:\.\d)?|(?:{'|'.join(TENS)})(?:[- ](?:{'|'.join(ONES[1:10])}))?"
    rf"|{'|'.join(reversed(ONES))})"
)
_COUNTED = re.compile(
    rf"(?P<before>{BEFORE})(?:\d{{1,3}}\s?[-–/]\s?|{_NUMBER}\s*(?:to|or)\s+)?(?P<number>{_NUMBER})"
    r"(?:\+|\s\d/\d|\s+or\s+(?:more|so))?(?P<gap>[ -]|(?<=\d)|(?<=\+))"
    rf"(?P<unit>{UNIT})(?P<after>{AFTER})",
    re.IGNORECASE | re.ASCII,
)
_BOUNDS = ((5, "a few"), (13, "several"))
_MOST = "many"


def coarse_time(value: str) -> str | None:
    """Return a coarser form of a time without a date; `None` for anything else.

    Lengths of days and more lose their number ("nine days" becomes "several days"; from 2 "a few",
    from 5 "several", from 13 "many"). Shorter ones stay, and so does a time that names no calendar
    day (`is_relative`). A time of day with minutes and a bare number are not read.
    """
    if is_relative(value):
        return value
    counted = _COUNTED.fullmatch(value)
    if counted is None:
        return None
    before, gap, unit, after = counted.group("before", "gap", "unit", "after")
    written = counted["number"]
    number = float(written) if written[0].isdigit() else number_of(written)
    if number <= 1 or unit.lower().rstrip("s") in SHORT_UNITS:
        return value
    many = next((word for bound, word in _BOUNDS if number < bound), _MOST)
    if gap == "-":
        return f"{before}{many.removeprefix('a ')}-{unit}{after}"
    return f"{before}{many} {unit}{after}"
