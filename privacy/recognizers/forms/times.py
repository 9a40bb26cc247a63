"""Times that name no calendar day: "yesterday", "last week", "on Monday", "at 4 pm".

Such a time identifies no day without the day of writing, so it is no private value under any
policy: the default recognizer leaves it in clear always, in every mention. With a day's number
("the 3rd of last month"), a date or minutes ("at 10:31") it is private. Only English is read.
"""

from __future__ import annotations

import re

from sage_rag.privacy.english import WEEKDAYS

SHORT_UNITS = "second sec minute min hour hr".split()
LONG_UNITS = "day night week wk fortnight month mth year yr decade".split()
UNIT = rf"(?:{'|'.join([*SHORT_UNITS, *LONG_UNITS])})s?"
"""A unit of time, in the singular or plural."""
BEFORE = (
    r"(?:(?:the|this|that|last|next|every|each|all|past|previous|first|following|whole|entire|same"
    r"|other|early|earlier|late|later|about|around|over|under|almost|nearly|more than|less than"
    r"|at least|up to|within|in|on|for|after|since|another|only|just)\s+)*"
)
AFTER = r"(?:\s+(?:ago|before last|before|later|earlier|long|now|or so))?"
"""Words before and after a length of time."""
_VAGUE = (
    "spring summer autumn winter morning afternoon evening noon midday midnight weekend bedtime"
    " today tonight tomorrow yesterday overnight now daily weekly monthly yearly hourly nightly"
    " recently currently"
).split()
_PART_OF_DAY = r"(?:\s+(?:morning|lunchtime|afternoon|evening|night))?"
_HOURS = 24
_HOUR = re.compile(
    r"(?:(?P<from>\d{1,2}) ?(?:to|-|and) ?)?(?P<hour>\d{1,2}) ?(?:[ap]\.?m\.?|o['’]clock)",
    re.IGNORECASE | re.ASCII,
)
"""A time of day to the hour. One with minutes may be in another record: it is private."""
_RELATIVE = re.compile(
    rf"{BEFORE}(?:(?:an?|few|several|many|couple of|half an?)\s+)*(?:{UNIT}|{'|'.join(_VAGUE)})s?"
    rf"{_PART_OF_DAY}{AFTER}"
    r"|(?:the\s+)?day\s+(?:before\s+yesterday|after\s+tomorrow)"
    rf"|(?:the|this|last|next|every|each|on|since|until|till|by|before|after|\s)*"
    rf"\b(?:{'|'.join(WEEKDAYS)})s?(?:['’]s)?{_PART_OF_DAY}{AFTER}",
    re.IGNORECASE | re.ASCII,
)


def is_relative(value: str) -> bool:
    """Return whether a time names no calendar day: "yesterday", "last week", "Monday", "4 pm"."""
    hour = _HOUR.fullmatch(value)
    if hour is not None:
        return all(int(n) <= _HOURS for n in hour.group("from", "hour") if n)
    return _RELATIVE.fullmatch(value) is not None
