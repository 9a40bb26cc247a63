"""Irreversible operators: what stands in a text instead of a value."""

from __future__ import annotations

import re

from privacy.entities import EntityType

_NUMBER = re.compile(r"\d+(?:\.\d+)?")
_YEAR = re.compile(r"\b(?:1[89]|20)\d\d\b")
_MONTH = re.compile(
    r"\b(jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?"
    r"|sep(?:t(?:ember)?)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\b\.?",
    re.IGNORECASE,
)
_SHORT_YEAR = re.compile(r"\b\d{1,2}[./-] ?\d{1,2}[./-] ?(\d\d)\b")
_LETTERS = re.compile(r"[^\W\d_]{3,}")
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
    *((n, n + 9) for n in range(20, 90, 10)),
)
"""Paediatric stages, then decades; 18 and 19 join the twenties' band below, and ages over 89 are
one band (45 CFR 164.514(b)(2)(i)(C))."""


def redact(entity_type: EntityType) -> str:
    """Return the mark that replaces a redacted value."""
    return f"<{entity_type}>"


def generalize(value: str, entity_type: EntityType) -> str:
    """Return a coarser value: ages as bands, dates as month and year.

    A date that names neither becomes `that day`, an age without a number `some age`, any other
    type its redaction mark. White space around the value stays, and so does a full stop at its
    end: it may be the sentence's.
    """
    core = value.strip()
    before, after = value.split(core, 1) if core else ("", "")
    coarse = _COARSEN.get(entity_type, lambda _: redact(entity_type))(core)
    stop = "." if core.endswith(".") and not coarse.endswith(".") else ""
    return before + coarse + stop + after


def _coarse_age(value: str) -> str:
    unit = _YOUNG.search(value)
    figures = _NUMBER_WORD.sub(lambda m: str(_number(m)), value)
    if not _NUMBER.search(figures):
        return "some age"
    return _NUMBER.sub(lambda m: _age_band(float(m.group()), unit), figures, count=1)


def _number(match: re.Match[str]) -> int:
    """Return the number that English words name, up to 99."""
    tens, ones = match["tens"], match["ones"] or match["teens"]
    found = _TENS.index(tens.lower()) * 10 + 20 if tens else 0
    return found + (_ONES.index(ones.lower()) + 1 if ones else 0)


def _coarse_date(value: str) -> str:
    month, year = _MONTH.search(value), _YEAR.search(value)
    short_year = _SHORT_YEAR.search(value)
    named = month.group().rstrip(".") if month else _foreign_month(value)
    full_year = year.group() if year else _full_year(short_year[1]) if short_year else None
    return " ".join(part for part in (named, full_year) if part) or "that day"


def _full_year(two_digits: str) -> str:
    """Return the year that two digits mean, of a text from before 2040."""
    return f"{20 if int(two_digits) < 40 else 19}{two_digits}"


def _foreign_month(value: str) -> str | None:
    """Return the last word of a date with figures: in most languages the month."""
    found = [w for w in _LETTERS.findall(value) if w.lower() not in ("the", "and")]
    return found[-1] if found and any(c.isdigit() for c in value) else None


_COARSEN = {EntityType.AGE: _coarse_age, EntityType.DATE_TIME: _coarse_date}


def _age_band(age: float, unit: re.Match[str] | None) -> str:
    if unit is not None:
        bands = _YOUNG_BANDS[{"mo": "month", "wk": "week"}.get(unit[1].lower(), unit[1].lower())]
    elif age >= 90:
        return "90 or more"
    elif 18 <= age < 30:
        return "18-29"
    else:
        bands = _AGE_BANDS
    low, high = next((b for b in reversed(bands) if age >= b[0]), bands[0])
    return f"{low}-{high}"
