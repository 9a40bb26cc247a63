"""A suffix array over the words of texts: finds long runs of words that two texts share.

The suffixes are those that begin at a word, and they are sorted by their first words alone: runs of
35 words need no more. So a corpus of 100 MB has some 20 million suffixes rather than 100 million,
and prefix doubling (Manber and Myers, 1993) sorts them in seven rounds of numpy's sort. A library
sorts suffixes of bytes, five times as many, and would be one more dependency.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from sage_rag.common.exceptions import InputError

RUN_WORDS = 35
"""Source: Kobashi et al., Crypto-LLM, A.2.2, for the 50 tokens of Nasr et al. (2023)."""
_WORD = re.compile(r"\w+(?:['’.-]\w+)*")
_UNKNOWN = -1
_BORDER = 0
"""Between two texts, so that no run crosses it."""
_WINDOWS = 2**18
"""Windows that are searched at a time: 37 MB of words."""


def words_of(text: str) -> list[str]:
    """Return the words of a text in lower case, without punctuation at their borders."""
    return _WORD.findall(text.lower())


class WordSuffixArray:
    """The words of texts, sorted by the `run_words` words that begin at each.

    Memory: 12 bytes for each word, and about 50 while it is built.
    """

    def __init__(self, texts: Iterable[str], run_words: int = RUN_WORDS) -> None:
        """Index the texts.

        Raises:
            InputError: when the texts have no word.
        """
        self._run_words = run_words
        self._numbers: dict[str, int] = {}
        self._words = np.fromiter(self._numbered(texts), dtype=np.int32)
        if not self._numbers:
            raise InputError("the training text has no words to search")
        padding = np.full(run_words, _BORDER, dtype=np.int32)
        self._sorted = _sorted_suffixes(self._words, run_words)
        self._words = np.concatenate((self._words, padding))

    def __len__(self) -> int:
        """Return the number of words."""
        return len(self._sorted)

    def runs_in(self, texts: Sequence[str]) -> list[list[str]]:
        """Return, for each text, the beginnings of the runs that it shares with the indexed texts.

        A run is a maximal sequence of positions from which `run_words` words occur in the indexed
        texts; its first `run_words` words stand for it, in lower case, joined by spaces.
        """
        words = [words_of(text) for text in texts]
        numbers = [[self._numbers.get(word, _UNKNOWN) for word in found] for found in words]
        counts = [max(0, len(found) - self._run_words + 1) for found in words]
        occurs = self._occurring(numbers, counts)
        runs: list[list[str]] = []
        for found, count in zip(words, counts, strict=True):
            own, occurs = occurs[:count], occurs[count:]
            starts = np.flatnonzero(own & ~np.concatenate(([False], own))[:-1])
            runs.append([" ".join(found[at : at + self._run_words]) for at in starts])
        return runs

    def _numbered(self, texts: Iterable[str]) -> Iterator[int]:
        numbers = self._numbers
        for text in texts:
            for line in text.splitlines():  # a list of all words of a novel would be large
                for word in words_of(line):
                    yield numbers.setdefault(word, len(numbers) + 1)
            yield _BORDER

    def _occurring(
        self, numbers: Sequence[Sequence[int]], counts: Sequence[int]
    ) -> NDArray[np.bool_]:
        """Return whether each window of `run_words` words occurs, for all texts in a row."""
        flat = np.fromiter((n for found in numbers for n in found), dtype=np.int32)
        offsets = np.cumsum([0, *map(len, numbers)])[:-1]
        starts = np.concatenate(
            [np.arange(count) + at for count, at in zip(counts, offsets, strict=True)] or [[]]
        ).astype(np.int64)
        found = [
            self._occurs(flat[starts[i : i + _WINDOWS, None] + np.arange(self._run_words)])
            for i in range(0, len(starts), _WINDOWS)
        ]
        return np.concatenate(found) if found else np.zeros(0, dtype=np.bool_)

    def _occurs(self, windows: NDArray[np.int32]) -> NDArray[np.bool_]:
        """Return whether each row of (n, run_words) occurs, by n binary searches at a time."""
        low = np.zeros(len(windows), dtype=np.int64)
        high = np.full(len(windows), len(self._sorted))
        while (open_ := np.flatnonzero(low < high)).size:
            middle = (low[open_] + high[open_]) // 2
            less = _less(self._at(middle), windows[open_])
            low[open_[less]] = middle[less] + 1
            high[open_[~less]] = middle[~less]
        inside = low < len(self._sorted)
        found = np.zeros(len(windows), dtype=np.bool_)
        found[inside] = (self._at(low[inside]) == windows[inside]).all(axis=1)
        return found

    def _at(self, places: NDArray[np.int64]) -> NDArray[np.int32]:
        """Return the first words of the suffixes at places of the sorted order."""
        windows: NDArray[np.int32] = self._words[
            self._sorted[places, None] + np.arange(self._run_words)
        ]
        return windows


def _less(own: NDArray[np.int32], other: NDArray[np.int32]) -> NDArray[np.bool_]:
    """Compare rows by their first different word."""
    first = np.argmax(own != other, axis=1)
    rows = np.arange(len(own))
    less: NDArray[np.bool_] = own[rows, first] < other[rows, first]
    return less


def _sorted_suffixes(words: NDArray[np.int32], depth: int) -> NDArray[np.int32]:
    """Return the starts of all suffixes, ordered by at least their first `depth` words."""
    ranks = words.astype(np.int64)
    length = 1
    while True:
        order = np.argsort(ranks)
        if length >= depth:
            return order.astype(np.int32)
        ranks = _dense_ranks(ranks, order)
        following = np.zeros_like(ranks)
        following[:-length] = ranks[length:] + 1  # what lies behind the end sorts first
        ranks = ranks * (len(ranks) + 1) + following
        length *= 2


def _dense_ranks(keys: NDArray[np.int64], order: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the rank of each key; equal keys have equal ranks."""
    sorted_keys = keys[order]
    steps = np.zeros(len(keys), dtype=np.int64)
    steps[1:] = sorted_keys[1:] != sorted_keys[:-1]
    ranks = np.empty_like(keys)
    ranks[order] = np.cumsum(steps)
    return ranks
