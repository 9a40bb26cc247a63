"""Find originals that a text is similar to by ROUGE-L, without aligning it with each."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator, Sequence
from math import ceil

import numpy as np
from numpy.typing import NDArray

from sage_rag.privacy.gate.draft_words import draft_tokens
from sage_rag.privacy.gate.leakage import f1
from sage_rag.privacy.gate.subsequences import longest_common_subsequence

_Ints = NDArray[np.int64]


class BagIndex:
    """The words that a text has in common with each of many others, whatever their order.

    The k-th occurrence of a word in a text is an *item*, so the items that two texts share are the
    intersection of their bags of words. Its size bounds their longest common subsequence from
    above. Keeps 8 bytes a word and the vocabulary; takes 64 while it is built.
    """

    def __init__(self, texts: Iterable[Sequence[str]]) -> None:
        """Read the words of each text once."""
        vocabulary: dict[str, int] = {}
        words, lengths = array("i"), array("q")
        for tokens in texts:
            words.extend([vocabulary.setdefault(token, len(vocabulary)) for token in tokens])
            lengths.append(len(tokens))
        self.lengths: _Ints = np.array(lengths, dtype=np.int64)
        """Words of each text."""
        self._vocabulary = vocabulary
        self._words = list(vocabulary)
        self._starts = _prefix_sums(self.lengths)
        self._index(np.frombuffer(words, dtype=np.int32) if words else np.zeros(0, np.int32))

    def _index(self, words: NDArray[np.int32]) -> None:
        """Number the items, word by word, and list the texts that hold each."""
        documents = np.repeat(np.arange(len(self.lengths), dtype=np.int32), self.lengths)
        order = np.argsort(words, kind="stable")
        words, documents = words[order], documents[order]
        changed = (np.diff(words, prepend=-1) != 0) | (np.diff(documents, prepend=-1) != 0)
        begins = np.flatnonzero(changed)
        counts = np.diff(begins, append=len(words))
        most = np.zeros(len(self._words), dtype=np.int64)
        np.maximum.at(most, words[begins], counts)
        self._first = _prefix_sums(most)
        """The first item of each word."""
        occurrence = np.arange(len(words)) - np.repeat(begins, counts)
        items = (self._first[words] + occurrence).astype(np.int32)
        self._items = np.empty_like(items)
        """The items of all texts, in reading order."""
        self._items[order] = items
        self._holders = documents[np.argsort(items, kind="stable")]
        """The texts that hold each item, by item."""
        self._places = _prefix_sums(np.bincount(items, minlength=int(self._first[-1])))

    def items_of(self, tokens: Sequence[str]) -> _Ints:
        """Return those items of a text that occur in the index."""
        known = [self._vocabulary[token] for token in tokens if token in self._vocabulary]
        words = np.sort(np.array(known, dtype=np.int64))
        items = self._first[words] + np.arange(len(words)) - np.searchsorted(words, words)
        return items[items < self._first[words + 1]]

    def counts(self, items: _Ints) -> _Ints:
        """Return in how many texts each item occurs."""
        return self._places[items + 1] - self._places[items]

    def shared(self, items: _Ints) -> _Ints:
        """Return `(texts,)`: how many of these items each text holds."""
        slices = zip(self._places[items].tolist(), self._places[items + 1].tolist(), strict=True)
        holders = [self._holders[a:b] for a, b in slices]
        flat = np.concatenate(holders) if holders else np.zeros(0, np.int32)
        return np.bincount(flat, minlength=len(self.lengths))

    def shared_with(self, texts: _Ints, items: _Ints) -> _Ints:
        """Return `(len(texts),)`: how many of these items each chosen text holds."""
        if not len(texts):
            return texts
        held = np.zeros(len(self._places), dtype=np.bool_)
        held[items] = True
        starts, lengths = self._starts[texts], self.lengths[texts]
        slices = zip(starts.tolist(), (starts + lengths).tolist(), strict=True)
        shared = held[np.concatenate([self._items[a:b] for a, b in slices])]
        return np.add.reduceat(shared, _prefix_sums(lengths)[:-1], dtype=np.int64)

    def words(self, text: int) -> list[str]:
        """Return the words of a text."""
        items = self._items[self._starts[text] : self._starts[text + 1]]
        words = np.searchsorted(self._first, items, side="right") - 1
        return [self._words[word] for word in words.tolist()]


class SimilarityAudit:
    """Find an original to which a text's ROUGE-L F is over a limit; exact.

    The words in common bound what ROUGE-L counts. F over t, of a text of m words and an original
    of n, takes more than t(m + n)/2 common words, and more than tm/(2 - t), since the original has
    them, too. So the search may leave out fewer than tm/(2 - t) of the text's items, the most
    frequent ones: each original sought shares one of the others. Originals that could have enough
    are counted whole; those that have enough are aligned.

    A text costs time in proportion to the entries of its rarer items, a few for each original, in
    numpy. Does not guarantee: that few are aligned. For texts of about 900 words or more, the
    common words of a language alone are enough, and nearly every original of that length is
    aligned: up to 1 ms for 2,500.

    Source: Chaudhuri, Ganti and Kaushik (2006), "A primitive operator for similarity joins in data
    cleaning", the prefix filter. Differs: bags, and F in place of overlap.
    """

    def __init__(self, originals: Iterable[str], limit: float) -> None:
        """Read the originals once; `limit` is in [0, 1]."""
        self._limit = limit
        self._bags = BagIndex(map(draft_tokens, originals))

    def similar(self, text: str) -> float | None:
        """Return the F of an original over the limit; `None` if there is none.

        If there are several, it is the F of the one with the most words in common.
        """
        return next((found_f1 for _, found_f1 in self.all_similar(text)), None)

    def all_similar(self, text: str) -> Iterator[tuple[int, float]]:
        """Yield number and F of each original over the limit, by the words in common."""
        tokens = draft_tokens(text)
        items = self._bags.items_of(tokens)
        enough = self._limit * (len(tokens) + self._bags.lengths) / 2
        found = self._possible(items, len(tokens), enough)
        overlaps = self._bags.shared_with(found, items)
        kept = overlaps >= enough[found]
        found, overlaps = found[kept], overlaps[kept]
        for original in found[np.argsort(-overlaps, kind="stable")].tolist():
            others = self._bags.words(original)
            common = longest_common_subsequence(tokens, others)
            found_f1 = f1(common, len(tokens), len(others))
            if found_f1 > self._limit:
                yield original, found_f1

    def _possible(self, items: _Ints, size: int, enough: NDArray[np.float64]) -> _Ints:
        """Return the originals that may have enough items in common, by the rarer items."""
        omitted = max(ceil(self._limit * size / (2 - self._limit)) - 1, 0)
        rarer = items[np.argsort(-self._bags.counts(items), kind="stable")[omitted:]]
        shared = self._bags.shared(rarer)
        return np.flatnonzero((shared > 0) & (shared + omitted >= enough))


def _prefix_sums(lengths: _Ints) -> _Ints:
    """Return the prefix sums of `lengths`, starting at 0: `(n + 1,)`."""
    return np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(lengths)])
