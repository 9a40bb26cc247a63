"""Make lengths of time coarser, and leave times that name no calendar day: "last week", "4 pm".

Recognizers mark them as dates, but they name none, and a reader needs them: "every eight hours" is
a dose. Only English is read.
"""

from __future__ import annotations

import re

_SHORT = "second sec minute min hour hr".split()
_LONG = "day night week wk fortnight month mth year yr decade".split()
_VAGUE = (
    "spring summer autumn winter morning afternoon evening noon midday midnight weekend bedtime"
    " today tonight tomorrow yesterday overnight now daily weekly monthly yearly hourly nightly"
    " recently currently"
).split()
_ONES = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen"
    " sixteen seventeen eighteen nineteen"
).split()
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety".split()
_NUMBERS = {word: number for number, word in enumerate(_ONES)} | {
    word: 10 * number for number, word in enumerate(_TENS, 2)
}
_NUMBER = rf"(?:\d{{1,3}}(?:\.\d)?|(?:{'|'.join(_TENS)})(?:[- ](?:{'|'.join(_ONES[1:10])}))?" + (
    rf"|{'|'.join(reversed(_ONES))})"
)
_BEFORE = (
    r"(?:(?:the|this|that|last|next|every|each|all|past|previous|first|following|whole|entire|same"
    r"|about|around|over|under|almost|nearly|more than|less than|at least|up to|within|in|for|after"
    r"|since|another|only|just)\s+)*"
)
_AFTER = r"(?:\s+(?:ago|before|later|earlier|long|now|or so))?"
_UNIT = rf"(?:{'|'.join([*_SHORT, *_LONG])})s?"
_COUNTED = re.compile(
    rf"(?P<before>{_BEFORE})(?:\d{{1,3}}\s?[-–/]\s?|{_NUMBER}\s*(?:to|or)\s+)?(?P<number>{_NUMBER})"
    r"(?:\+|\s\d/\d|\s+or\s+(?:more|so))?(?P<gap>[ -]|(?<=\d)|(?<=\+))"
    rf"(?P<unit>{_UNIT})(?P<after>{_AFTER})",
    re.IGNORECASE | re.ASCII,
)
_UNCOUNTED = re.compile(
    rf"{_BEFORE}(?:(?:an?|few|several|many|couple of|half an?)\s+)*"
    rf"(?:{_UNIT}|{'|'.join(_VAGUE)})s?{_AFTER}",
    re.IGNORECASE | re.ASCII,
)
_HOUR = re.compile(
    r"(?:(?P<from>\d{1,2}) ?(?:to|-|and) ?)?(?P<hour>\d{1,2}) ?(?:[ap]\.?m\.?|o['’]clock)",
    re.IGNORECASE | re.ASCII,
)
"""A time of day to the hour. One with minutes may be in another record: it is not left."""
_WEEKDAYS = "monday tuesday wednesday thursday friday saturday sunday".split()
_WEEKDAY = re.compile(
    rf"(?:(?:the|this|last|next|every|each|on|since|until|till|by|before|after)\s+)*"
    rf"(?:{'|'.join(_WEEKDAYS)})s?(?:['’]s)?"
    rf"(?:\s+(?:morning|afternoon|evening|night|before|after))?",
    re.IGNORECASE | re.ASCII,
)
_BOUNDS = ((5, "a few"), (13, "several"))
_MOST = "many"
_HOURS = 24


def is_relative(value: str) -> bool:
    """Return whether a time names no calendar day: "yesterday", "last week", "Monday", "4 pm".

    Without the day of writing it identifies none, so it is no private value.
    """
    hour = _HOUR.fullmatch(value)
    if hour is not None:
        return all(int(n) <= _HOURS for n in hour.group("from", "hour") if n)
    return bool(_UNCOUNTED.fullmatch(value) or _WEEKDAY.fullmatch(value))


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
    number = _read(counted["number"])
    if number <= 1 or unit.lower().rstrip("s") in _SHORT:
        return value
    many = next((word for bound, word in _BOUNDS if number < bound), _MOST)
    if gap == "-":
        return f"{before}{many.removeprefix('a ')}-{unit}{after}"
    return f"{before}{many} {unit}{after}"


def _read(number: str) -> float:
    if number[0].isdigit():
        return float(number)
    return float(sum(_NUMBERS[word] for word in re.split(r"[- ]", number.lower())))
