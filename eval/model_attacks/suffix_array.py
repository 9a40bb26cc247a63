"""A suffix array over the words of texts: finds long runs of words that two texts share.

The suffixes are those that begin at a word, and they are sorted by their first words alone: runs of
35 words need no more. So a corpus of 100 MB has some 20 million suffixes rather than 100 million.
Prefix doubling (Manber and Myers, 1993) sorts them by numpy, and each round only those that are
equal so far (Larsson and Sadakane, 2007): few are after six words. A library sorts suffixes of
bytes, five times as many, and would be one more dependency.
"""

from __future__ import annotations

import itertools
import re
from collections import defaultdict
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
_PIECE = 2**16
"""Characters that are cut into words at a time: a list of all words of a novel would be large."""
_KEY_BITS = 63


def words_of(text: str) -> list[str]:
    """Return the words of a text in lower case, without punctuation at their borders."""
    return _WORD.findall(text.lower())


class WordSuffixArray:
    """The words of texts, sorted by the `run_words` words that begin at each.

    Memory: 8 bytes for each word, and about 80 while it is built.
    """

    def __init__(self, texts: Iterable[str], run_words: int = RUN_WORDS) -> None:
        """Index the texts.

        Raises:
            InputError: when the texts have no word.
        """
        self._run_words = run_words
        self._numbers: dict[str, int] = defaultdict(itertools.count(_BORDER + 1).__next__)
        self._words = np.concatenate([np.zeros(0, dtype=np.int32), *self._numbered(texts)])
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

    def _numbered(self, texts: Iterable[str]) -> Iterator[NDArray[np.int32]]:
        """Yield the numbers of the words of pieces of texts, with a border after each text."""
        for text in texts:
            for piece in _pieces(text):
                numbers = map(self._numbers.__getitem__, words_of(piece))  # adds new words
                yield np.fromiter(numbers, dtype=np.int32)
            yield np.full(1, _BORDER, dtype=np.int32)

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


def _pieces(text: str) -> Iterator[str]:
    """Cut a text at ends of lines, which no word crosses, into pieces of about `_PIECE`."""
    start = 0
    while start < len(text):
        end = text.find("\n", start + _PIECE)
        end = len(text) if end < 0 else end
        yield text[start:end]
        start = end


def _sorted_suffixes(words: NDArray[np.int32], depth: int) -> NDArray[np.int32]:
    """Return the starts of all suffixes, ordered by at least their first `depth` words."""
    keys, length = _first_keys(words)
    order = np.argsort(keys).astype(np.int32)
    places = np.arange(len(words), dtype=np.int32)
    ranks = np.empty_like(places)
    tied = _rank(keys[order], order, places, ranks)
    while length < depth and tied.any():
        places = places[tied]
        own = order[places]
        keys = ranks[own].astype(np.int64) * (len(words) + 1)
        inside = own < len(words) - length
        keys[inside] += ranks[own[inside] + length] + 1  # what lies behind the end sorts first
        by_key = np.argsort(keys)
        order[places] = own[by_key]
        tied = _rank(keys[by_key], order[places], places, ranks)
        length *= 2
    return order


def _first_keys(words: NDArray[np.int32]) -> tuple[NDArray[np.int64], int]:
    """Return numbers that order suffixes by their first words, and how many words these are."""
    bits = int(words.max(initial=0) + 1).bit_length()
    length = max(1, _KEY_BITS // bits)
    keys = np.zeros(len(words), dtype=np.int64)
    for offset in range(length):
        keys <<= bits
        keys[: max(0, len(words) - offset)] += words[offset:].astype(np.int64) + 1
    return keys, length


def _rank(
    keys: NDArray[np.int64],
    starts: NDArray[np.int32],
    places: NDArray[np.int32],
    ranks: NDArray[np.int32],
) -> NDArray[np.bool_]:
    """Write the rank of each suffix: the first place, in all suffixes, of those of its key.

    `keys`: sorted. `starts`, `places`: of the suffix of each key, in the words and in the order.
    Returns which suffixes share their key.
    """
    begins = np.ones(len(keys), dtype=np.bool_)
    begins[1:] = keys[1:] != keys[:-1]
    ranks[starts] = places[np.flatnonzero(begins)[np.cumsum(begins) - 1]]
    ends = np.append(begins[1:], [True])
    tied: NDArray[np.bool_] = ~(begins & ends)
    return tied
