"""Which row is trained on when: a pure function of seed, epoch and index.

A run that continues needs no state of a data loader, only the number of its step.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from sage_rag.training.pretraining.packing import Piece, Rows
from sage_rag.training.pretraining.token_shards import TokenShards

Source = tuple[TokenShards, Rows]


@dataclass(frozen=True, slots=True)
class Order:
    """The order of the rows of a corpus, mixed with rows of other text.

    Each epoch has every row of the corpus once, and replay rows, which continue through the replay
    text from epoch to epoch.
    """

    corpus: Source
    replay: Source | None
    replay_rows: int
    """Replay rows per epoch."""
    seed: int

    @property
    def rows_per_epoch(self) -> int:
        """The number of rows of an epoch."""
        return len(self.corpus[1]) + self.replay_rows

    def row(self, epoch: int, index: int) -> tuple[TokenShards, Sequence[Piece]]:
        """Return the row at an index of an epoch."""
        place = int(_permutation(self.seed, epoch, self.rows_per_epoch)[index])
        shards, rows = self.corpus
        if place < len(rows):
            return shards, rows[place]
        if self.replay is None:
            raise IndexError(index)
        shards, rows = self.replay
        number = epoch * self.replay_rows + place - len(self.corpus[1])
        round_, place = divmod(number, len(rows))
        return shards, rows[int(_permutation(self.seed + 1, round_, len(rows))[place])]


def order_of(corpus: Source, replay: Source | None, replay_share: float, seed: int) -> Order:
    """Return an order in which `replay_share` of the rows are replay rows."""
    count = round(replay_share / (1 - replay_share) * len(corpus[1])) if replay else 0
    return Order(corpus, replay, count, seed)


@lru_cache(maxsize=4)
def _permutation(seed: int, epoch: int, size: int) -> NDArray[np.int64]:
    return np.random.default_rng([seed, epoch]).permutation(size)
