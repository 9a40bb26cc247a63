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
    """Return a coarser value: ages as bands, dates as month and year; else the redaction mark.

    White space around the value stays, so that no words run together.
    """
    core = value.strip()
    before, after = value.split(core, 1) if core else ("", "")
    return before + _generalize(core, entity_type) + after


def _generalize(value: str, entity_type: EntityType) -> str:
    if entity_type is EntityType.AGE and _NUMBER.search(value):
        unit = _YOUNG.search(value)
        return _NUMBER.sub(lambda m: _age_band(float(m.group()), unit), value, count=1)
    if entity_type is EntityType.DATE_TIME:
        month, year = _MONTH.search(value), _YEAR.search(value)
        parts = [m.group().rstrip(".") for m in (month, year) if m]
        if parts:
            return " ".join(parts)
    return redact(entity_type)


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
