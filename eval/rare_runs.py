"""Runs of words that passages share with a few originals: wording that points at these few."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from pydantic import BaseModel, ConfigDict

from sage_rag.common.proportions import Proportion
from sage_rag.privacy.gate.draft_words import draft_tokens

MOST_WORDS = 10
"""Longest run that is counted; the gate refuses runs of ten words of any original."""

_FOUR = 4
"""Words of the runs that recipe `consensus` counts."""

_Run = tuple[str, ...]


class RareRuns(BaseModel):
    """Runs that passages share with fewer than `k` subjects' originals, but with at least one.

    `longest`: words of the longest one, at most `MOST_WORDS`. `passages`: passages with such a run
    of four words or more. A run that no original has is not rare: it points at no one.
    """

    model_config = ConfigDict(frozen=True)
    k: int
    longest: int
    passages: Proportion


def rare_runs(
    passages: Sequence[str], originals: Sequence[str], subjects: Sequence[str], k: int
) -> RareRuns:
    """Compare passages with all originals; `subjects`: whose record each original is.

    Words are those of the gate: case-folded, punctuation ignored, so a run may cross sentences.
    """
    published = [draft_tokens(text) for text in passages]
    tokens = [draft_tokens(text) for text in originals]
    longest, marked = 0, set[int]()
    for words in range(1, MOST_WORDS + 1):
        rare = _rare(published, tokens, subjects, words, k)
        holders = {n for n, text in enumerate(published) if not rare.isdisjoint(_runs(text, words))}
        if holders:
            longest = words
        if words >= _FOUR:
            marked |= holders
    return RareRuns(k=k, longest=longest, passages=Proportion.of(len(marked), len(published)))


def _rare(
    published: Sequence[Sequence[str]],
    originals: Sequence[Sequence[str]],
    subjects: Sequence[str],
    words: int,
    k: int,
) -> set[_Run]:
    """Return the passages' runs of `words` words that fewer than `k` subjects have."""
    wanted = {run for text in published for run in _runs(text, words)}
    seen: set[tuple[str, _Run]] = set()
    for subject, text in zip(subjects, originals, strict=True):
        seen.update((subject, run) for run in _runs(text, words) if run in wanted)
    counts = Counter(run for _, run in seen)
    return {run for run, count in counts.items() if count < k}


def _runs(tokens: Sequence[str], words: int) -> Iterator[_Run]:
    return zip(*(tokens[offset:] for offset in range(words)), strict=False)
