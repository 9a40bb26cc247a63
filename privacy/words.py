"""Words of a text for leakage measures, and the form in which values are compared.

A word is a case-folded run of `\\w`. In scripts without spaces every character is a word: otherwise
a copied clause would count as one word.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass

UNSPACED_RANGES = (
    (0x0E00, 0x0EFF),  # Thai, Lao
    (0x1000, 0x109F),  # Burmese
    (0x1780, 0x17FF),  # Khmer
    (0x3040, 0x30FF),  # kana
    (0x3400, 0x4DBF),  # Han, to the end
    (0x4E00, 0x9FFF),
    (0xF900, 0xFAFF),
    (0x20000, 0x3FFFF),
)
"""Code points of scripts without spaces between words."""
UNSPACED = "".join(f"{chr(first)}-{chr(last)}" for first, last in UNSPACED_RANGES)
"""The same, as a part of a character class."""
WORD = re.compile(rf"[{UNSPACED}]|[^\W{UNSPACED}]+")
"""One word: a character of a script without spaces, or a run of `\\w`."""
_FOREIGN_WORD = re.compile(rf"[{UNSPACED}]|[^\W\x00-\x7f]")
"""A character that can occur in a word but is not ASCII."""
_ASCII_WORDS = {c: chr(c).lower() if re.match(r"\w", chr(c)) else " " for c in range(128)}


@dataclass(frozen=True, slots=True)
class Word:
    """One word of a text with its range in code points."""

    text: str
    start: int
    end: int


def words(text: str) -> list[Word]:
    """Return the case-folded words of a text with their positions."""
    return [Word(m.group().casefold(), m.start(), m.end()) for m in WORD.finditer(text)]


def tokenize(text: str) -> list[str]:
    """Return the case-folded words of a text."""
    if not text.isascii():
        if _FOREIGN_WORD.search(text):
            return [token.casefold() for token in WORD.findall(text)]
        text = text.encode("ascii", "replace").decode("ascii")
    return text.translate(_ASCII_WORDS).split()


def normalize(text: str) -> str:
    """Return the form for comparing identifiers: NFKC, case-folded, single spaces."""
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split())


def digits(text: str) -> str:
    """Return the decimal digits of a text as ASCII."""
    return "".join(
        str(unicodedata.digit(c)) for c in unicodedata.normalize("NFKC", text) if c.isdecimal()
    )
