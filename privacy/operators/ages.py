"""Replace ages by bands, or by other ages of the same band.

A value is changed only where the whole of it reads as one age: `47`, `aged 47`, `4 yrs old`,
`5-month-old`, `54F`. Anything else (`212lbs`, `40 to 50`, `teenage`) is not read. `age_up_to_89`
also keeps two ages and decades: `40 to 50`, `late 60s`.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from dataclasses import dataclass

from sage_rag.privacy.english import ONES, TENS, number_of
from sage_rag.privacy.operators.keyed import KeyedChoice
from sage_rag.privacy.words import normalize

_NUMBER = re.compile(
    rf"(?P<figures>\d{{1,3}}(?:\.\d{{1,2}})?)|\b(?:(?:{'|'.join(TENS)})"
    rf"(?:[ -](?:{'|'.join(ONES[1:10])}))?"
    rf"|{'|'.join(sorted(ONES[1:], key=len, reverse=True))})\b",
    re.IGNORECASE,
)
_DECADE = re.compile(
    r"(?:(?:early|mid|late)[ -]*)?"
    r"(?P<decade>[2-8]0['’]?s|(?:twen|thir|for|fif|six|seven|eigh)ties)",
    re.IGNORECASE,
)
_MINOR = re.compile(
    r"(?P<years>\d[ -]?(?:years?|yrs?|y))?(?:[ ]\d/\d|[ ]?½|[ ]and[ ]a[ ]half"
    r"|(?(years)[ ,]*(?:and[ ])?\d{1,2}[ ]?(?:months?|mos?)\b|(?!)))",
    re.IGNORECASE,
)
"""What is less than a unit: `and a half`, `and 3 months` after years."""
_UNITS = {
    "year": "year years yr yrs ys y yo yom yof yy 岁 周岁",
    "month": "month months mth mths mo mos",
    "week": "week weeks wk wks",
    "day": "day days",
    "hour": "hour hours hr hrs",
}
_UNIT_OF = {word: unit for unit, words in _UNITS.items() for word in words.split()}
_OTHER_WORDS = frozenset(
    "o old olds of age aged ages is male female m f man woman boy girl lady gentleman guy baby"
    " child kid 现年 年仅 时年".split()
)
_WORD = re.compile(r"[\u4e00-\u9fff]+|[^\W\d_]+")
_SIGNS = re.compile(r"[\s.,:;=()/-]*")
_NEAR_AGES = frozenset(
    "to and or between about around almost nearly over under only just now early mid late s in at"
    " my your his her their".split()
)
"""Words next to one age or two that stay."""
_NO_AGES = re.compile(r"\d{4}|\d/\d\d|\d[./-]\d{1,2}[./-]\d")
"""A code, or a date."""
_BANDS: dict[str, tuple[tuple[int, int], ...]] = {
    "year": (
        (0, 1),
        (2, 5),
        (6, 11),
        (12, 17),
        (18, 29),
        *((n, n + 9) for n in range(30, 90, 10)),
    ),
    "month": ((0, 5), (6, 11), (12, 23), (24, 35)),
    "week": ((0, 5), (6, 11), (12, 23), (24, 51)),
    "day": ((0, 6), (7, 27), (28, 90)),
    "hour": ((0, 23), (24, 71)),
}
"""Bands by unit: neonatal, infant and paediatric stages, then decades. The last band of years ends
at 89: ages over that are one band (45 CFR 164.514(b)(2)(i)(C))."""
_OLDEST = 125
_Change = Callable[["_Age"], str]


@dataclass(frozen=True, slots=True)
class _Age:
    """A value that reads as one age: its number, unit, and the text around the number."""

    number: float
    written: str
    unit: str
    before: str
    after: str

    @property
    def band(self) -> tuple[int, int] | None:
        """The band with the number; `None` above the last one."""
        bands = _BANDS[self.unit]
        if self.number >= bands[-1][1] + 1:
            return None
        return next(b for b in reversed(bands) if self.number >= b[0])


def age_band(value: str) -> str | None:
    """Return an age as a band; `None` for a value that does not read as one age."""
    if decade := _DECADE.fullmatch(value):
        return decade["decade"]
    return _with_number(value, _band)


def age_up_to_89(value: str) -> str | None:
    """Return one or two ages up to 89 unchanged, one above as `90 or more`.

    `None` for what is not read: a name, a code or a date of birth does not stay.
    """
    if max(_ages(value), default=math.inf) <= _BANDS["year"][-1][1]:
        return value
    return _with_number(
        value, lambda age: _or_more(age) if age.unit == "year" and not age.band else age.written
    )


def age_of(value: str) -> tuple[float, str] | None:
    """Return number and unit of a value that reads as one age, in figures or words, or `None`."""
    age = _read(value)
    return None if age is None else (age.number, age.unit)


def surrogate_age(value: str, choice: KeyedChoice) -> str | None:
    """Return another age of the same band, over the last one of ten years; `None` if not read."""

    def other(age: _Age) -> str:
        last = _BANDS[age.unit][-1][1] + 1
        low, high = age.band or (last, last + 9)
        ages = [n for n in range(low, high + 1) if n != int(age.number)]
        return str(ages[choice.number(len(ages), "age", normalize(value))])

    return _with_number(value, other)


def _ages(value: str) -> list[float]:
    """Return the one or two ages that a value consists of; nothing for any other value."""
    text = _MINOR.sub(lambda m: m["years"] or "", value)
    numbers = [_number(match) for match in _NUMBER.finditer(text)]
    rest = _NUMBER.sub(" ", re.sub(r"(?<=\d)['’]s\b|–", " ", text))
    is_age = len(numbers) <= 2 and not _NO_AGES.search(text) and _is_of_age(rest, _NEAR_AGES)
    return numbers if is_age else []


def _with_number(value: str, change: _Change) -> str | None:
    age = _read(value)
    return None if age is None else age.before + change(age) + age.after


def _read(value: str) -> _Age | None:
    """Return the one age that a value consists of, or `None`."""
    text = _MINOR.sub(lambda m: m["years"] or "", value)
    numbers = list(_NUMBER.finditer(text))
    if len(numbers) != 1:
        return None
    before, after = text[: numbers[0].start()], text[numbers[0].end() :]
    rest = f"{before} {after}"
    if not _is_of_age(rest):
        return None
    units = (_UNIT_OF.get(word.lower()) for word in _WORD.findall(rest))
    unit = next(filter(None, units), "year")
    number = _number(numbers[0])
    if unit == "year" and number > _OLDEST:
        return None
    return _Age(number, numbers[0].group(), unit, before, after)


def _is_of_age(rest: str, more: frozenset[str] = frozenset()) -> bool:
    """Return whether the text around a number has only signs and words of ages, or of `more`."""
    words = {word.lower() for word in _WORD.findall(rest)}
    signs = _WORD.sub("", rest)
    return words <= {*_UNIT_OF, *_OTHER_WORDS, *more} and _SIGNS.fullmatch(signs) is not None


def _number(match: re.Match[str]) -> float:
    """Return the number in figures or English words, up to 99 in words."""
    if match["figures"]:
        return float(match["figures"])
    return number_of(match.group())


def _band(age: _Age) -> str:
    return f"{age.band[0]}-{age.band[1]}" if age.band else _or_more(age)


def _or_more(age: _Age) -> str:
    return f"{_BANDS[age.unit][-1][1] + 1} or more"
