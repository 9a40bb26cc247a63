"""Count, before any record is protected, how much of a corpus a consensus could say."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sage_rag.indexer.corpus import Document
from sage_rag.privacy.gate.draft_words import draft_tokens
from sage_rag.privacy.gate.support import RUN_WORDS, SupportCounts, least_subjects
from sage_rag.privacy.recognizers.wordlists import FUNCTION_WORDS

LEVELS = (2, 3, 5)
"""The values of k that a dry run compares."""
_FEW_RUNS = 0.1
"""Of 600 dialogues of a forum, .05 are said by enough at k = 2: they state next to nothing."""


@dataclass(frozen=True, slots=True)
class Survival:
    """The shares of a corpus that a consensus of k subjects may say, in [0, 1].

    `words`: of the words that are no function words, those of k subjects. `runs`: of the runs of
    four words, those of 2k subjects. No statement contains another one.
    """

    words: float
    runs: float


def survival(documents: Callable[[], Iterable[Document]]) -> dict[int, Survival]:
    """Return by k what a consensus could say at most; `documents` reads the corpus, twice.

    A topic has fewer subjects than the corpus, and private values are counted here as words: a
    version says less.
    """
    counts = SupportCounts((d.subject_hash, d.fields.values()) for d in documents())
    most = least_subjects(RUN_WORDS, LEVELS[-1])
    words, runs = np.zeros(most + 1, np.int64), np.zeros(most + 1, np.int64)
    for document in documents():
        for text in document.fields.values():
            tokens = draft_tokens(text)
            content = np.array([token not in FUNCTION_WORDS for token in tokens], dtype=bool)
            said = counts.of_runs(tokens, 1)[content]
            words += np.bincount(np.minimum(said, most), minlength=most + 1)
            said = counts.of_runs(tokens, RUN_WORDS)
            runs += np.bincount(np.minimum(said, most), minlength=most + 1)

    def share(histogram: NDArray[np.int64], k: int) -> float:
        return float(histogram[k:].sum() / max(int(histogram.sum()), 1))

    return {k: Survival(share(words, k), share(runs, least_subjects(RUN_WORDS, k))) for k in LEVELS}


def survival_line(shares: Mapping[int, Survival]) -> str:
    """Return the shares in one line."""
    listed = "; ".join(f"k = {k}: {s.words:.0%} and {s.runs:.0%}" for k, s in shares.items())
    line = f"enough subjects say, of the content words and of the runs of four words: {listed}"
    few = shares[LEVELS[0]].runs < _FEW_RUNS if shares else False
    return f"{line}; so few that a consensus lists topics, or is refused" if few else line
