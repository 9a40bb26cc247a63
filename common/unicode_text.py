"""Text that every UTF-8 library accepts, and that no terminal obeys."""

from __future__ import annotations

import re

_SURROGATE = re.compile("[\ud800-\udfff]")
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")


def well_formed(text: str) -> str:
    """Return the text with U+FFFD for lone surrogates, which no UTF-8 library accepts.

    Guarantees: as many code points as before, so that offsets stay valid.
    """
    return _SURROGATE.sub("\ufffd", text)


class SurrogateJoiner:
    """Join surrogate halves that arrive in different pieces; U+FFFD for a half that stays alone."""

    def __init__(self) -> None:
        self._held = ""

    def feed(self, piece: str) -> str:
        """Accept the next piece; return the text that is complete."""
        text = self._held + piece
        self._held = text[-1:] if "\ud800" <= text[-1:] <= "\udbff" else ""
        return _joined(text[: len(text) - len(self._held)])

    def flush(self) -> str:
        """End the text: return what was held back."""
        held, self._held = self._held, ""
        return _joined(held)


def _joined(text: str) -> str:
    if not _SURROGATE.search(text):
        return text
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def without_controls(text: str) -> str:
    """Return the text without control characters but line feed and tab: terminals obey them."""
    return _CONTROL.sub("", text)
