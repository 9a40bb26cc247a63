"""Round sums and measures, or replace quantities by others of similar size; units stay.

A dose, a laboratory value or another medical measure is never rounded: 125 mg is not 120 mg.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from decimal import Decimal

from sage_rag.privacy.operators.keyed import KeyedChoice
from sage_rag.privacy.recognizers.tagging.clinical_words import UNITS_OF_MEASURE
from sage_rag.privacy.words import normalize

_NUMBER = re.compile(
    r"[1-9]\d{0,2}(?:([,.' \u202f])\d{3})(?:\1\d{3})*(?:[.,]\d{1,2})?(?!\d)|\d+(?:[.,]\d+)?"
)
_UNIT = re.compile(r"[^\W\d_]|[$€£¥₹]")
_MEDICAL = re.compile(rf"\d[ ]?(?:{UNITS_OF_MEASURE}|[mµ]?[gl]\b)", re.IGNORECASE)
_ROUGH = re.compile(r"\b(?:about|around|approximately|nearly|almost|over|under|some)\b", re.I)
_SPREAD = 30
"""A surrogate lies within this many per cent of its value."""


def rounded(value: str, figures: int) -> str | None:
    """Return a sum or measure with each number rounded to `figures` significant digits.

    Separators and units stay: "EUR 12,345.67" becomes "about EUR 12,000". A number with no more
    digits than that is unchanged. `None` for a value without figures ("three hundred"), without a
    unit or currency ("1234567" may be a code), or of medicine.
    """
    new = _each(value, lambda number: _round(number, figures))
    if new is None or new == value:
        return new
    if not _UNIT.search(value) or _MEDICAL.search(value):
        return None
    return new if _ROUGH.search(value) else f"about {new}"


def surrogate_quantity(value: str, choice: KeyedChoice) -> str | None:
    """Return a quantity with each number replaced by another one within 30 per cent.

    `None` for a value without figures.
    """

    def other(number: Decimal) -> Decimal:
        drawn = choice.number(2 * _SPREAD, "quantity", normalize(value), str(number)) - _SPREAD
        per_cent = drawn if drawn < 0 else drawn + 1
        exponent = number.as_tuple().exponent
        unit = Decimal(1).scaleb(exponent if isinstance(exponent, int) else 0)
        new = (number * (100 + per_cent) / 100).quantize(unit)
        return new if new != number else number + unit

    return _each(value, other)


def _each(value: str, change: Callable[[Decimal], Decimal]) -> str | None:
    if not _NUMBER.search(value):
        return None
    return _NUMBER.sub(lambda match: _rewritten(match, change), value)


def _rewritten(match: re.Match[str], change: Callable[[Decimal], Decimal]) -> str:
    """Return a changed number with the separators of the old one."""
    text, group = match.group(), match.group(1) or ""
    tail = re.search(r"[.,](\d{1,2})$", text) if group else re.search(r"[.,](\d+)$", text)
    point = tail.group()[0] if tail else ""
    whole = text[: tail.start()] if tail else text
    number = Decimal(re.sub(r"\D", "", whole) + (f".{tail[1]}" if tail else ""))
    new = format(change(number), "f")
    before, _, after = new.partition(".")
    if group:
        before = re.sub(r"(?<=\d)(?=(?:\d{3})+$)", group, before)
    return before + (point + after if after else "")


def _round(number: Decimal, figures: int) -> Decimal:
    if number == 0:
        return number
    unit = Decimal(1).scaleb(number.adjusted() - figures + 1)
    if number == number.quantize(unit):  # it has no more digits than that
        return number
    new = number.quantize(unit)
    return new.quantize(Decimal(1)) if unit > 1 else new
