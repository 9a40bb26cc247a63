"""Other spellings of a sum or a measure: `EUR 1,000`, `1000 euros`, `1.000,00 €`, `1 thousand`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from decimal import Decimal
from itertools import product

from sage_rag.training.controlled.number_words import HUNDRED, THOUSAND, in_words

_NUMBER = re.compile(
    r"\d{1,3}(?P<group>[.,'’ \u00a0\u202f])\d{3}(?:(?P=group)\d{3})*(?:[.,]\d{1,2})?(?!\d)"
    r"|\d+(?:[.,]\d+)?"
)
_SCALES = {
    3: ("thousand", "k"),
    6: ("million", "millions", "mln", "m"),
    9: ("billion", "billions", "bn"),
}
_EXPONENTS = {word: exponent for exponent, words in _SCALES.items() for word in words}
_SCALE = re.compile(rf"[ \u00a0-]?({'|'.join(sorted(_EXPONENTS, key=len, reverse=True))})\b", re.I)
_MONEY = re.compile(
    r"[$€£¥₹₽₺₩₪%]|per ?cent|\b(?-i:[A-Z]{3})\b|dollar|euro|pound|pence|cent|franc|mark|kron|crown"
    r"|zlot|lir[ae]|schilling|shilling|peso|peseta|ruble|rouble|rupee|yen|yuan|forint|drachma|guilder",
    re.IGNORECASE,
)
"""Signs, codes and names of money and of shares."""
_FEWEST_DIGITS = 3


def sum_spellings(text: str) -> Iterator[str]:
    """Yield the numbers of a quantity without their units, in figures and in words.

    The number alone is blocked, so the unit may be written in any way. A measure of two digits
    (`70 kg`) has its own spelling alone: its number occurs in every text.
    """
    money = _MONEY.search(text) is not None
    for match in _NUMBER.finditer(text):
        amount = _amount(match, text)
        if money or len(str(int(amount))) >= _FEWEST_DIGITS:
            yield from _figures(amount)


def _amount(match: re.Match[str], text: str) -> Decimal:
    written = match.group()
    tail = re.search(r"[.,](\d{1,2})$" if match["group"] else r"[.,](\d+)$", written)
    whole = written[: tail.start()] if tail else written
    amount = Decimal(re.sub(r"\D", "", whole) + (f".{tail[1]}" if tail else ""))
    scale = _SCALE.match(text, match.end())
    return amount.scaleb(_EXPONENTS[scale[1].lower()]) if scale else amount


def _figures(amount: Decimal) -> Iterator[str]:
    if amount == amount.to_integral_value():
        yield from (f"{amount:.0f}", f"{amount:.0f}.00")
        if HUNDRED <= amount < THOUSAND**4:
            yield from _words(int(amount))
    else:
        yield from (f"{amount.normalize():f}", f"{amount:.2f}")
    for exponent, words in _SCALES.items():
        count = amount.scaleb(-exponent).normalize()
        places = count.as_tuple().exponent
        if count >= 1 and isinstance(places, int) and places >= -2:
            shown = {f"{count:f}", f"{count:.2f}"} if places < 0 else {f"{count:f}"}
            yield from (f"{number} {word}" for number, word in product(shown, words))


def _words(number: int) -> set[str]:
    """Return a whole number of at least one hundred in words, with and without `and`."""
    spelled = in_words(number)
    both = {spelled, spelled.replace(" and ", " ")}
    return both | {f"a {text.removeprefix('one ')}" for text in both if text.startswith("one ")}
