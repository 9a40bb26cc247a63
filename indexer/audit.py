"""The last look before publishing: every passage against the whole corpus.

The gate compares a draft with its own original. This catches the rest: a name that was recognised
in one document and overlooked in another, or wording that a draft shares with somebody else's
record.
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Iterable, Iterator

import numpy as np

from privacy.leakage import tokenize
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


class WordingAudit:
    """Find runs of `run_tokens` words that stand in any original; 8 bytes a word of the corpus."""

    def __init__(self, originals: Iterable[str], run_tokens: int) -> None:
        self._run_tokens = run_tokens
        hashes = array("q")
        for text in originals:
            hashes.extend(self._windows(text))
        self._known = np.unique(np.frombuffer(hashes, dtype=np.int64))

    def repeats(self, text: str) -> bool:
        """Return whether a text repeats such a run outside its tokens."""
        windows = np.fromiter(self._windows(TOKEN.sub(" \u241f ", text)), dtype=np.int64)
        places = np.searchsorted(self._known, windows)
        found = places < len(self._known)
        return bool(np.any(self._known[places[found]] == windows[found]))

    def _windows(self, text: str) -> Iterator[int]:
        """Hash each run of words; a chance collision (2^-64 each) only quarantines too much."""
        tokens = tokenize(text)
        for start in range(len(tokens) - self._run_tokens + 1):
            yield hash(tuple(tokens[start : start + self._run_tokens]))
