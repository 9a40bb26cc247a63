"""Word borders, in scripts with spaces and without."""

from __future__ import annotations

import unicodedata

from sage_rag.privacy.words import UNSPACED_RANGES

_HANGUL = (0xAC00, 0xD7AF)
"""Hangul has spaces, but joins particles to names."""
_UNSPACED = (*UNSPACED_RANGES, _HANGUL)


def same_word(left: str, right: str) -> bool:
    """Return whether two neighbouring characters belong to one word.

    Between letters of a script without spaces there may always be a word border.
    """
    if unicodedata.category(right)[0] == "M":
        return True
    if is_unspaced(left) or is_unspaced(right):
        return False
    return (left.isalnum() or unicodedata.category(left)[0] == "M") and right.isalnum()


def is_unspaced(character: str) -> bool:
    """Return whether a character belongs to a script without spaces between words."""
    code = ord(character)
    return code >= _UNSPACED[0][0] and any(first <= code <= last for first, last in _UNSPACED)


def at_word_borders(text: str, start: int, end: int) -> bool:
    """Return whether a non-empty range `[start, end)` neither begins nor ends inside a word."""
    return not (
        (start > 0 and same_word(text[start - 1], text[start]))
        or (end < len(text) and same_word(text[end - 1], text[end]))
    )


def extended_to_words(text: str, start: int, end: int) -> tuple[int, int]:
    """Return a non-empty range, extended to the ends of the words that it cuts."""
    while start > 0 and same_word(text[start - 1], text[start]):
        start -= 1
    while end < len(text) and same_word(text[end - 1], text[end]):
        end += 1
    return start, end
