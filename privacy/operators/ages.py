"""Replace ages by bands, or by other ages of the same band."""

from __future__ import annotations

import re
from collections.abc import Callable

from sage_rag.privacy.operators.keyed import KeyedChoice
from sage_rag.privacy.words import normalize

_NUMBER = re.compile(r"\d+(?:\.\d+)?")
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety".split()
_ONES = (
    "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen "
    "sixteen seventeen eighteen nineteen"
).split()
_NUMBER_WORD = re.compile(
    rf"\b(?:(?P<tens>{'|'.join(_TENS)})(?:[ -](?P<ones>{'|'.join(_ONES[:9])}))?"
    rf"|(?P<teens>{'|'.join(sorted(_ONES, key=len, reverse=True))}))\b",
    re.IGNORECASE,
)
_YOUNG = re.compile(r"\b(month|mo|week|wk|day)", re.IGNORECASE)
_YOUNG_BANDS: dict[str, tuple[tuple[int, int], ...]] = {
    "month": ((0, 5), (6, 11), (12, 23), (24, 35)),
    "week": ((0, 5), (6, 11), (12, 23), (24, 51)),
    "day": ((0, 6), (7, 27), (28, 90)),
}
"""Bands of an infant's age by its unit: neonatal and infant stages."""
_AGE_BANDS: tuple[tuple[int, int], ...] = (
    (0, 1),
    (2, 5),
    (6, 11),
    (12, 17),
    (18, 29),
    *((n, n + 9) for n in range(30, 90, 10)),
)
"""Paediatric stages, then decades."""
_OLDEST = 89
"""Ages over 89 are one band (45 CFR 164.514(b)(2)(i)(C))."""
_VERY_OLD = "90 or more"
_UNKNOWN = "some age"
_Write = Callable[[float, str | None], str]
"""Writes an age, given its unit if it is a child's: month, week or day."""


def age_band(value: str) -> str:
    """Return an age as a band, or `some age` for a value without a number."""
    return _replace_number(value, _band)


def age_up_to_89(value: str) -> str:
    """Return an age unchanged up to 89, above as `90 or more`, `some age` without a number."""

    def capped(age: float, unit: str | None) -> str:
        return _VERY_OLD if unit is None and age > _OLDEST else f"{age:g}"

    return _replace_number(value, capped)


def surrogate_age(value: str, choice: KeyedChoice) -> str:
    """Return another age of the same band; over 89 another age over 89."""

    def other(age: float, unit: str | None) -> str:
        band = (90, 99) if unit is None and age > _OLDEST else _band_of(age, unit)
        ages = [n for n in range(band[0], band[1] + 1) if n != int(age)]
        return str(ages[choice.number(len(ages), "age", normalize(value))])

    return _replace_number(value, other)


def _replace_number(value: str, write: _Write) -> str:
    """Return a value with its first number, in figures or words, replaced."""
    unit = _YOUNG.search(value)
    figures = _NUMBER_WORD.sub(lambda m: str(_number(m)), value)
    if not _NUMBER.search(figures):
        return _UNKNOWN
    name = _unit(unit[1]) if unit else None
    return _NUMBER.sub(lambda m: write(float(m.group()), name), figures, count=1)


def _unit(written: str) -> str:
    return {"mo": "month", "wk": "week"}.get(written.lower(), written.lower())


def _number(match: re.Match[str]) -> int:
    """Return the number that English words name, up to 99."""
    tens, ones = match["tens"], match["ones"] or match["teens"]
    found = _TENS.index(tens.lower()) * 10 + 20 if tens else 0
    return found + (_ONES.index(ones.lower()) + 1 if ones else 0)


def _band_of(age: float, unit: str | None) -> tuple[int, int]:
    bands = _AGE_BANDS if unit is None else _YOUNG_BANDS[unit]
    return next((b for b in reversed(bands) if age >= b[0]), bands[0])


def _band(age: float, unit: str | None) -> str:
    if unit is None and age > _OLDEST:
        return _VERY_OLD
    low, high = _band_of(age, unit)
    return f"{low}-{high}"
