"""Replace occurrences of a pattern in a text that arrives in pieces."""

from __future__ import annotations

import re
from collections.abc import Callable


class PatternStream:
    """Replace each match of a pattern; the result does not depend on where the text is cut.

    `tail` matches the end of a text that more text could make a match, or part of one; this end is
    held back. It must be bounded, so that no text is held back for ever. A match may depend on one
    character before it. `unfinished` matches the end of a whole text that is replaced, too.
    """

    def __init__(
        self,
        pattern: re.Pattern[str],
        tail: re.Pattern[str],
        replace: Callable[[re.Match[str]], str],
        unfinished: re.Pattern[str] | None = None,
    ) -> None:
        self._pattern = pattern
        self._tail = tail
        self._replace = replace
        self._unfinished = unfinished
        self._before = ""
        self._held = ""

    def feed(self, piece: str) -> str:
        """Accept the next piece; return the text that later pieces cannot change."""
        text = self._before + self._held + piece
        tail = self._tail.search(text, len(self._before))
        return self._replaced(text, tail.start() if tail else len(text))

    def flush(self) -> str:
        """End the text: return what was held back."""
        text = self._before + self._held
        match = self._unfinished.search(text, len(self._before)) if self._unfinished else None
        if match is None:
            return self._replaced(text, len(text))
        return self._replaced(text, match.start()) + self._replace(match)

    def _replaced(self, text: str, end: int) -> str:
        """Return a text after the character before it and up to `end`; hold the rest."""
        parts, begin = [], len(self._before)
        for match in self._pattern.finditer(text, begin):
            if match.start() >= end:
                break
            parts += [text[begin : match.start()], self._replace(match)]
            begin = match.end()
        end = max(begin, end)
        parts.append(text[begin:end])
        self._before, self._held = text[:end][-1:], text[end:]
        return "".join(parts)
