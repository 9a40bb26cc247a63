"""Count how many tokens a sequence has in common with each of many others, order aside.

The count bounds the longest common subsequence from above, so a pair that cannot reach a
threshold by its bags need not be aligned at all.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray


class BagIndex:
    """The bags of tokens of a list of sequences, by token.

    The k-th occurrence of a token is an item of its own, so that counting shared items gives the
    size of the intersection of the bags.
    """

    def __init__(self, sequences: Sequence[Sequence[str]]) -> None:
        postings: dict[tuple[str, int], list[int]] = defaultdict(list)
        for index, sequence in enumerate(sequences):
            for item in _items(sequence):
                postings[item].append(index)
        self._postings = {item: np.asarray(rows, np.int32) for item, rows in postings.items()}
        self._size = len(sequences)

    def overlaps(self, tokens: Sequence[str]) -> NDArray[np.int64]:
        """Return `(sequences,)`: the tokens in common with each sequence."""
        counts = np.zeros(self._size, dtype=np.int64)
        for item in _items(tokens):
            rows = self._postings.get(item)
            if rows is not None:
                counts[rows] += 1  # a sequence stands once in the posting of an item
        return counts


def _items(tokens: Sequence[str]) -> Iterator[tuple[str, int]]:
    seen: dict[str, int] = defaultdict(int)
    for token in tokens:
        yield token, seen[token]
        seen[token] += 1
