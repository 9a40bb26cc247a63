"""Which original of a corpus a text is alike to by ROUGE-L, without aligning it with each."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Sequence
from math import ceil

import numpy as np
from numpy.typing import NDArray

from sage_rag.privacy.gate.leakage import longest_common_subsequence
from sage_rag.privacy.words import tokenize

_Ints = NDArray[np.int64]


class SimilarityAudit:
    """Find an original to which a text's ROUGE-L F is over a limit; exact.

    The k-th occurrence of a word in a text is an *item*, so that the items that two texts share
    are the words that they have in common whatever the order: an upper bound of what ROUGE-L
    counts. F over t, of a text of m words and an original of n, takes more than t(m + n)/2 common
    words, and more than tm/(2 - t), since the original has them, too. So fewer than tm/(2 - t) of
    the text's items, the most frequent ones, may be left out of the search: each original sought
    shares one of the others. Those that could have enough are counted whole, and only those that
    have enough are aligned.

    Keeps 8 bytes a word of the corpus, and its vocabulary; takes 64 while it is built. A text
    costs time in proportion to the entries of its rarer items, a few for each original, in numpy.
    Does not guarantee: that few are aligned. Of texts from about 900 words on, the common words of
    a language alone are enough, and nearly every original of that length is: up to 1 ms for 2,500.

    Source: Chaudhuri, Ganti and Kaushik (2006), "A primitive operator for similarity joins in data
    cleaning", the prefix filter. Differs: bags, and F in place of overlap.
    """

    def __init__(self, originals: Iterable[str], limit: float) -> None:
        """Read the originals once; `limit` is in [0, 1]."""
        vocabulary: dict[str, int] = {}
        words, lengths = array("i"), array("q")
        for text in originals:
            tokens = tokenize(text)
            words.extend([vocabulary.setdefault(token, len(vocabulary)) for token in tokens])
            lengths.append(len(tokens))
        self._limit = limit
        self._vocabulary = vocabulary
        self._words = list(vocabulary)
        self._lengths = np.array(lengths, dtype=np.int64)
        self._starts = _from_zero(self._lengths)
        self._index(np.frombuffer(words, dtype=np.int32) if words else np.zeros(0, np.int32))

    def _index(self, words: NDArray[np.int32]) -> None:
        """Number the items, those of one word in a row; list the originals that hold each."""
        documents = np.repeat(np.arange(len(self._lengths), dtype=np.int32), self._lengths)
        order = np.argsort(words, kind="stable")
        words, documents = words[order], documents[order]
        changed = (np.diff(words, prepend=-1) != 0) | (np.diff(documents, prepend=-1) != 0)
        begins = np.flatnonzero(changed)
        counts = np.diff(begins, append=len(words))
        most = np.zeros(len(self._words), dtype=np.int64)
        np.maximum.at(most, words[begins], counts)
        self._first = _from_zero(most)
        """The first item of each word."""
        occurrence = np.arange(len(words)) - np.repeat(begins, counts)
        items = (self._first[words] + occurrence).astype(np.int32)
        self._items = np.empty_like(items)
        """The items of all originals, as they are read."""
        self._items[order] = items
        self._holders = documents[np.argsort(items, kind="stable")]
        """The originals that hold an item, by item."""
        self._places = _from_zero(np.bincount(items, minlength=int(self._first[-1])))

    def similar(self, text: str) -> float | None:
        """Return the F of an original over the limit; `None` where there is none.

        Of several it is that of the one with the most words in common.
        """
        tokens = tokenize(text)
        items = self._items_of(tokens)
        enough = self._limit * (len(tokens) + self._lengths) / 2
        found = self._possible(items, len(tokens), enough)
        overlaps = self._overlaps(items, found)
        kept = overlaps >= enough[found]
        found, overlaps = found[kept], overlaps[kept]
        for original in found[np.argsort(-overlaps, kind="stable")]:
            others = self._tokens(int(original))
            common = longest_common_subsequence(tokens, others)
            f1 = 2 * common / (len(tokens) + len(others))
            if f1 > self._limit:
                return f1
        return None

    def _items_of(self, tokens: Sequence[str]) -> _Ints:
        """Return the items of a text that some original has."""
        known = [self._vocabulary[token] for token in tokens if token in self._vocabulary]
        words = np.sort(np.array(known, dtype=np.int64))
        items = self._first[words] + np.arange(len(words)) - np.searchsorted(words, words)
        return items[items < self._first[words + 1]]

    def _possible(self, items: _Ints, size: int, enough: NDArray[np.float64]) -> _Ints:
        """Return the originals that may have enough items in common, by the rarer items."""
        spared = max(ceil(self._limit * size / (2 - self._limit)) - 1, 0)
        entries = self._places[items + 1] - self._places[items]
        rarer = items[np.argsort(-entries, kind="stable")[spared:]]
        if not len(rarer):
            return np.zeros(0, dtype=np.int64)
        slices = zip(self._places[rarer].tolist(), self._places[rarer + 1].tolist(), strict=True)
        holders = np.concatenate([self._holders[a:b] for a, b in slices], dtype=np.int64)
        shared = np.bincount(holders, minlength=len(enough))
        return np.flatnonzero((shared > 0) & (shared + spared >= enough))

    def _overlaps(self, items: _Ints, originals: _Ints) -> _Ints:
        """Return how many items each of some originals has in common with the text."""
        if not len(originals):
            return originals
        held = np.zeros(len(self._places), dtype=np.bool_)
        held[items] = True
        starts, lengths = self._starts[originals], self._lengths[originals]
        slices = zip(starts.tolist(), (starts + lengths).tolist(), strict=True)
        shared = held[np.concatenate([self._items[a:b] for a, b in slices])]
        return np.add.reduceat(shared, _from_zero(lengths)[:-1], dtype=np.int64)

    def _tokens(self, original: int) -> list[str]:
        items = self._items[self._starts[original] : self._starts[original + 1]]
        words = np.searchsorted(self._first, items, side="right") - 1
        return [self._words[word] for word in words.tolist()]


def _from_zero(lengths: _Ints) -> _Ints:
    """Return where each of so many lengths in a row begins, and where the last one ends."""
    return np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(lengths)])
