"""Choose a few records that represent a corpus."""

from __future__ import annotations

import hashlib
import heapq
import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Generic, TypeVar

from sage_rag.privacy.words import tokenize

SAMPLES = 5
"""How many records the attribute identifier sees. Source: arXiv 2406.14773, §3.1, A.1.1."""
_POOL = 100
"""Records compared with each other. Bounds memory and time for a corpus of any size."""
_EDGE = 0.05
"""Share of the shortest and of the longest records that is left out if enough others remain."""
_ODD = 0.25
"""Share of the records least like the rest that is left out if enough others remain: outliers are
the farthest from everything and represent nothing."""

_T = TypeVar("_T")
_Vector = Mapping[str, float]


def choose_samples(
    items: Iterable[_T], text: Callable[[_T], str], *, count: int = SAMPLES, seed: int = 0
) -> list[_T]:
    """Return up to `count` items that differ from each other.

    One pass; holds at most 100 items. The texts and the seed decide the choice and its order, and
    the order of `items` does not. From a seeded uniform pool, without extreme lengths and outliers,
    it takes the item most like the whole pool, then repeatedly the one farthest from those taken,
    by their words.
    """
    pool = SamplePool[_T](seed)
    for item in items:
        pool.add(item, text(item))
    return pool.choose(text, count)


class SamplePool(Generic[_T]):
    """A seeded uniform sample of at most `most` items, drawn while they are read.

    It holds the items whose texts have the lowest hashes, so it does not depend on their order.
    """

    def __init__(self, seed: int = 0, *, most: int = _POOL) -> None:
        self._most = most
        self._seed = seed.to_bytes(8, "big")
        self._size = 0
        self._pool: list[tuple[int, int, _T]] = []
        """A heap of negated hash, number and item: the highest hash is first."""

    def add(self, item: _T, text: str) -> None:
        """Take the next item into account."""
        digest = hashlib.blake2b(text.encode("utf-8", "replace"), key=self._seed, digest_size=8)
        entry = (-int.from_bytes(digest.digest(), "big"), self._size, item)
        self._size += 1
        if len(self._pool) < self._most:
            heapq.heappush(self._pool, entry)
        else:
            heapq.heappushpop(self._pool, entry)

    @property
    def items(self) -> list[_T]:
        """The items of the sample, by the hashes of their texts."""
        return [item for _, _, item in sorted(self._pool, key=lambda entry: (-entry[0], entry[1]))]

    def choose(
        self,
        text: Callable[[_T], str],
        count: int = SAMPLES,
        *,
        fits: Callable[[_T], bool] = lambda item: True,
    ) -> list[_T]:
        """Return what `choose_samples` returns for the items added so far, those that fit."""
        return _chosen([item for item in self.items if fits(item)], text, count)


def _chosen(drawn: Sequence[_T], text: Callable[[_T], str], count: int) -> list[_T]:
    by_length = sorted(range(len(drawn)), key=lambda place: len(text(drawn[place])))
    edge = min(int(len(drawn) * _EDGE), (len(drawn) - count) // 2)
    kept = sorted(by_length[edge : len(drawn) - edge] if edge > 0 else by_length)
    vectors = _vectors([text(drawn[place]) for place in kept])
    return [drawn[kept[place]] for place in sorted(_farthest(vectors, count))]


def _vectors(texts: Sequence[str]) -> list[_Vector]:
    """Return a TF-IDF vector of length 1 for each text.

    Words that occur in one text alone are left out: no two texts share them.
    """
    counts = [Counter(tokenize(text)) for text in texts]
    spread = Counter(word for count in counts for word in count)
    rarity = {w: math.log((1 + len(texts)) / n) for w, n in spread.items() if n > 1}
    return [
        _unit({w: (1 + math.log(n)) * rarity[w] for w, n in count.items() if w in rarity})
        for count in counts
    ]


def _unit(vector: _Vector) -> _Vector:
    length = math.sqrt(sum(value * value for value in vector.values()))
    return {word: value / length for word, value in vector.items()} if length else vector


def _farthest(vectors: Sequence[_Vector], count: int) -> list[int]:
    """Return the indexes of the most typical vector and of those farthest from the chosen ones."""
    nearest_likeness = _nearest_likeness(vectors)
    common = sorted(range(len(vectors)), key=lambda place: -nearest_likeness[place])
    rest = common[: max(count, len(common) - int(len(common) * _ODD))]
    total: Counter[str] = Counter()
    for place in rest:
        total.update(vectors[place])
    nearest = {place: -_likeness(vectors[place], total) for place in rest}
    chosen: list[int] = []
    while nearest and len(chosen) < count:
        chosen.append(min(nearest, key=lambda place: nearest[place]))
        del nearest[chosen[-1]]
        for place in nearest:
            likeness = _likeness(vectors[place], vectors[chosen[-1]])
            nearest[place] = max(nearest[place], likeness) if len(chosen) > 1 else likeness
    return chosen


def _nearest_likeness(vectors: Sequence[_Vector]) -> list[float]:
    """Return the likeness of each vector to its nearest other one."""
    nearest = [0.0] * len(vectors)
    for place, vector in enumerate(vectors):
        for other in range(place):
            likeness = _likeness(vector, vectors[other])
            nearest[place] = max(nearest[place], likeness)
            nearest[other] = max(nearest[other], likeness)
    return nearest


def _likeness(one: _Vector, other: _Vector) -> float:
    return sum(value * other[word] for word, value in one.items() if word in other)
