"""Aliases: ciphertext tokens as short placeholders while a model reads and writes."""

from __future__ import annotations

import re

from sage_rag.privacy.tokens import PLACEHOLDER, PLACEHOLDERS, TOKEN, StreamReplacer

_HIDDEN = re.compile(rf"{TOKEN.pattern}|{PLACEHOLDER.pattern}")


class Aliases:
    """Give each token of one conversation a placeholder, and give the tokens back.

    Equal tokens share an alias across question, history and passages. A model can copy
    `[PERSON_1]` without a slip where it would misspell a ciphertext.
    """

    def __init__(self) -> None:
        self._originals: dict[str, str] = {}
        self._aliases: dict[str, str] = {}
        self._counts: dict[str, int] = {}

    def hide(self, text: str) -> str:
        """Return the text with aliases for its tokens.

        Text that already looks like a placeholder gets an alias too: it must not come back as
        somebody's token.
        """
        return _HIDDEN.sub(self._alias, text)

    def expander(self) -> StreamReplacer:
        """Return a replacer that turns aliases in a stream back; unknown ones stay as they are."""
        return StreamReplacer(PLACEHOLDERS, lambda m: self._originals.get(m.group(), m.group()))

    def _alias(self, match: re.Match[str]) -> str:
        original = match.group()
        if original not in self._aliases:
            kind = match.group(1) or match.group(3)
            self._counts[kind] = self._counts.get(kind, 0) + 1
            alias = f"[{kind}_{self._counts[kind]}]"
            self._aliases[original], self._originals[alias] = alias, original
        return self._aliases[original]
