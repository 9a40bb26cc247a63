"""Text that every UTF-8 library accepts."""

from __future__ import annotations

import re

_SURROGATE = re.compile("[\ud800-\udfff]")


def well_formed(text: str) -> str:
    """Return the text with U+FFFD for lone surrogates, which no UTF-8 library accepts.

    Guarantees: as many code points as before, so that offsets stay valid.
    """
    return _SURROGATE.sub("\ufffd", text)
