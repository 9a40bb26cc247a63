"""Round quantities, or replace them by others of similar size; units stay."""

from __future__ import annotations

import re
from collections.abc import Callable
from decimal import Decimal

from sage_rag.privacy.operators.keyed import KeyedChoice
from sage_rag.privacy.words import normalize

_NUMBER = re.compile(
    r"\d{1,3}(?:([,.' \u202f])\d{3})(?:\1\d{3})*(?:[.,]\d{1,2})?(?!\d)|\d+(?:[.,]\d+)?"
)
_UNKNOWN = "some amount"
_SPREAD = 30
"""A surrogate lies within this many per cent of its value."""


def rounded(value: str, figures: int) -> str:
    """Return a quantity with each number rounded to `figures` significant digits.

    Separators and units stay: "EUR 12,345.67" becomes "EUR 12,000". A number with no more digits
    than that is unchanged. A value without figures ("three hundred") becomes `some amount`.
    """
    return _each(value, lambda number: _round(number, figures))


def surrogate_quantity(value: str, choice: KeyedChoice) -> str:
    """Return a quantity with each number replaced by another one within 30 per cent."""

    def other(number: Decimal) -> Decimal:
        drawn = choice.number(2 * _SPREAD, "quantity", normalize(value), str(number)) - _SPREAD
        per_cent = drawn if drawn < 0 else drawn + 1
        exponent = number.as_tuple().exponent
        unit = Decimal(1).scaleb(exponent if isinstance(exponent, int) else 0)
        new = (number * (100 + per_cent) / 100).quantize(unit)
        return new if new != number else number + unit

    return _each(value, other)


def _each(value: str, change: Callable[[Decimal], Decimal]) -> str:
    if not _NUMBER.search(value):
        return _UNKNOWN
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
