"""Search values in a text, whatever its case, spaces and separators."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

from sage_rag.privacy.words import digits, normalize

LEAST_DIGITS = 7
"""Fewer digits occur by chance. Source: the shortest subscriber numbers, ITU-T E.164."""

_SEPARATORS = re.compile(r"(?<=\d)[\s().\-/–]{1,3}(?=\d)")
_SCHEME = re.compile(r"^[a-z][a-z0-9+.-]*://|^www\.")
_ONE_WORD = re.compile(r"\W*[\w-]*\W*")


class SearchedText:
    """A text, prepared once for many values."""

    def __init__(self, text: str) -> None:
        self._folded = normalize(text)
        self._numbers = _SEPARATORS.sub("", unicodedata.normalize("NFKC", text))

    def holds_text(self, value: str) -> bool:
        """Return whether a `normalize`d value occurs here, not inside a longer word."""
        start = self._folded.find(value)
        while start >= 0:
            end = start + len(value)
            if not (_joins(self._folded, start) or _joins(self._folded, end)):
                return True
            start = self._folded.find(value, start + 1)
        return False

    def holds_number(self, number: str) -> bool:
        """Return whether these digits occur here in a row, apart from separators."""
        return number in self._numbers


def _joins(text: str, border: int) -> bool:
    """Return whether the characters on both sides of a border belong to one word."""
    if not 0 < border < len(text):
        return False
    left, right = text[border - 1], text[border]
    return _is_word(left) and _is_word(right)


def _is_word(character: str) -> bool:
    return character.isalnum() or character == "_"


def normalize_phone(value: str) -> str:
    """Return a phone number's digits without an international prefix or the code +1.

    Other country codes stay: without one it is another number.
    """
    number = digits(value).removeprefix("00")
    return number[1:] if len(number) == 11 and number.startswith("1") else number


def normalize_url(value: str) -> str:
    """Return a URL case-folded, without scheme, `www.` and final slashes or full stops.

    The rest of "http://ChatDoctor" is a word that occurs in prose, so it keeps its scheme.
    """
    folded = normalize(value).rstrip("/.,;")
    bare = folded
    while (shorter := _SCHEME.sub("", bare)) != bare:
        bare = shorter
    return folded if _ONE_WORD.fullmatch(bare) else bare


def is_number(value: str) -> bool:
    """Return whether a value is a number, compared by its digits alone."""
    found = len(digits(value))
    return found >= LEAST_DIGITS and found * 2 >= len(value)


@lru_cache(maxsize=4096)
def prepare(text: str) -> SearchedText:
    """Return an output in prepared form; several detectors search each."""
    return SearchedText(text)
