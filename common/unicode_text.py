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


def without_controls(text: str) -> str:
    """Return the text without control characters but line feed and tab: terminals obey them."""
    return _CONTROL.sub("", text)
