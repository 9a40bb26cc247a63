"""Word boundaries, in scripts with spaces and without; text that UTF-8 libraries accept."""

from __future__ import annotations

import re
import unicodedata

_UNSPACED = (
    (0x0E00, 0x0EFF),  # Thai, Lao
    (0x1000, 0x109F),  # Myanmar
    (0x1780, 0x17FF),  # Khmer
    (0x3040, 0x30FF),  # kana
    (0x3400, 0x4DBF),
    (0x4E00, 0x9FFF),
    (0xAC00, 0xD7AF),  # Hangul has spaces, but joins particles to names
    (0xF900, 0xFAFF),
    (0x20000, 0x3FFFF),
)
_SURROGATE = re.compile("[\ud800-\udfff]")


def well_formed(text: str) -> str:
    """Return the text with U+FFFD for lone surrogates, which no UTF-8 library accepts.

    Guarantees: as many code points as before, so that offsets hold.
    """
    return _SURROGATE.sub("\ufffd", text)


def joined(left: str, right: str) -> bool:
    """Return whether two neighbouring characters belong to one word.

    Between letters of a script without spaces there may always be a word boundary.
    """
    if unicodedata.category(right)[0] == "M":
        return True
    if unspaced(left) or unspaced(right):
        return False
    return (left.isalnum() or unicodedata.category(left)[0] == "M") and right.isalnum()


def unspaced(character: str) -> bool:
    """Return whether a character belongs to a script without spaces between words."""
    code = ord(character)
    return code >= _UNSPACED[0][0] and any(first <= code <= last for first, last in _UNSPACED)


def at_borders(text: str, start: int, end: int) -> bool:
    """Return whether a non-empty range `[start, end)` neither begins nor ends inside a word."""
    return not (
        (start > 0 and joined(text[start - 1], text[start]))
        or (end < len(text) and joined(text[end - 1], text[end]))
    )


def whole_words(text: str, start: int, end: int) -> tuple[int, int]:
    """Return a non-empty range, extended to the ends of the words that it cuts."""
    while start > 0 and joined(text[start - 1], text[start]):
        start -= 1
    while end < len(text) and joined(text[end - 1], text[end]):
        end += 1
    return start, end
