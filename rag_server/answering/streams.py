"""Replace occurrences of a pattern in a text that arrives in pieces."""

from __future__ import annotations

import re
from collections.abc import Callable


class PatternStream:
    """Replace each match of a pattern; the result does not depend on where the text is cut.

    `tail` matches the end of a text that more text could make a match, or part of one; this end is
    held back. It must be bounded, so that no text is held back for ever.
    """

    def __init__(
        self,
        pattern: re.Pattern[str],
        tail: re.Pattern[str],
        replace: Callable[[re.Match[str]], str],
    ) -> None:
        self._pattern = pattern
        self._tail = tail
        self._replace = replace
        self._held = ""

    def feed(self, piece: str) -> str:
        """Accept the next piece; return the text that later pieces cannot change."""
        text = self._held + piece
        tail = self._tail.search(text)
        end = tail.start() if tail else len(text)
        self._held = text[end:]
        return self._pattern.sub(self._replace, text[:end])

    def flush(self) -> str:
        """End the text: return what was held back."""
        text, self._held = self._held, ""
        return self._pattern.sub(self._replace, text)
