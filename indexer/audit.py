"""The last look before publishing: identifiers of the whole corpus in every passage.

The gate compares a draft with its own original. This catches the rest: a name that was recognised
in one document and overlooked in another.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from privacy.tokens import TOKEN

_WORD = re.compile(r"\w+")
_MIN_CHARS = 6
"""Shorter values ("Li", "A 4") stand in ordinary prose by chance."""


class IdentifierAudit:
    """Find known direct identifiers, as token sequences, in any text; linear in its length.

    Case counts: without it a name that is also two words ("Will Young") would accuse prose.
    """

    def __init__(self) -> None:
        self._values: dict[str, set[tuple[str, ...]]] = {}

    def add(self, values: Iterable[str]) -> None:
        """Remember plain values. One-word values are left to the gate: words are ambiguous."""
        for value in values:
            tokens = tuple(_WORD.findall(value))
            if len(value) >= _MIN_CHARS and (len(tokens) > 1 or value.isdigit()):
                self._values.setdefault(tokens[0], set()).add(tokens)

    def count(self, text: str) -> int:
        """Return how many known values stand in a text outside its tokens."""
        tokens = _WORD.findall(TOKEN.sub(" _ ", text))
        return sum(
            tuple(tokens[index : index + len(value)]) == value
            for index, token in enumerate(tokens)
            for value in self._values.get(token, ())
        )
