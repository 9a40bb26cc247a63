"""Count, before any record is protected, how much of a corpus a consensus could say."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

import numpy as np
from numpy.typing import NDArray

from sage_rag.indexer.corpus import Document
from sage_rag.privacy.gate.draft_words import draft_tokens
from sage_rag.privacy.gate.support import RUN_WORDS, SupportCounts

LEVELS = (2, 3, 5)
"""The values of k that a dry run compares."""


def survival(documents: Callable[[], Iterable[Document]]) -> dict[int, float]:
    """Return, for each k, the share of words that are in a run of four words of k subjects.

    `documents` reads the corpus; it is read twice. The share is an upper bound: a topic has fewer
    subjects than the corpus, and private values are counted here as words.
    """
    counts = SupportCounts((d.subject_hash, d.fields.values()) for d in documents())
    words = 0
    said = dict.fromkeys(LEVELS, 0)
    for document in documents():
        for text in document.fields.values():
            tokens = draft_tokens(text)
            support = _support(counts.of_runs(tokens, min(RUN_WORDS, len(tokens) or 1)), tokens)
            words += len(tokens)
            for k in LEVELS:
                said[k] += int((support >= k).sum())
    return {k: said[k] / words if words else 0.0 for k in LEVELS}


def _support(runs: NDArray[np.int64], tokens: list[str]) -> NDArray[np.int64]:
    """Return for each word the highest support of a run that contains it."""
    support = np.zeros(len(tokens), np.int64)
    size = len(tokens) - len(runs) + 1
    for offset in range(size if len(runs) else 0):
        part = support[offset : offset + len(runs)]
        np.maximum(part, runs, out=part)
    return support


def survival_line(shares: Mapping[int, float]) -> str:
    """Return the shares in one line."""
    listed = ", ".join(f"{share:.0%} at k = {k}" for k, share in shares.items())
    return f"a consensus could say at most this share of the words: {listed}"
