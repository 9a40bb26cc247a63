"""Aliases: short placeholders that replace ciphertext tokens for a chat model."""

from __future__ import annotations

import re

from sage_rag.privacy.tokens import PLACEHOLDER, PLACEHOLDERS, TOKEN, StreamReplacer

_HIDDEN = re.compile(rf"{TOKEN.pattern}|{PLACEHOLDER.pattern}")


class Aliases:
    """Replace each token of one conversation by an alias, and aliases by their tokens.

    Equal tokens share an alias in question, history and passages. A model copies `[PERSON_1]`
    without errors, but often misspells a ciphertext.
    """

    def __init__(self) -> None:
        self._originals: dict[str, str] = {}
        self._aliases: dict[str, str] = {}
        self._counts: dict[str, int] = {}

    def hide(self, text: str) -> str:
        """Return the text with aliases for its tokens.

        Text that looks like a placeholder gets an alias, too. Otherwise it could become the token
        of another person.
        """
        return _HIDDEN.sub(self._alias, text)

    def expander(self) -> StreamReplacer:
        """Return a replacer of aliases in a stream; unknown aliases stay unchanged."""
        return StreamReplacer(PLACEHOLDERS, lambda m: self._originals.get(m.group(), m.group()))

    def _alias(self, match: re.Match[str]) -> str:
        original = match.group()
        if original not in self._aliases:
            kind = match.group(1) or match.group(3)
            self._counts[kind] = self._counts.get(kind, 0) + 1
            alias = f"[{kind}_{self._counts[kind]}]"
            self._aliases[original], self._originals[alias] = alias, original
        return self._aliases[original]
