"""Cut documents into pieces and pack the pieces into rows in which none sees another.

Dimensions: B rows, L tokens of a row.
"""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from sage_rag.training.pretraining.token_shards import TokenShards

NO_TARGET = -100
"""The target of a token that has no next one in its document."""
_WINDOW = 2000
"""Pieces that are packed together: enough for full rows, few enough for a quick search."""

Piece = tuple[int, int]
"""The first token of a piece in its corpus, and the token after its last one."""


@dataclass(frozen=True, slots=True)
class Rows:
    """Rows of a corpus: row i holds `pieces[starts[i] : starts[i + 1]]`.

    `pieces` (n, 2): places of tokens in the corpus. `starts` (rows + 1,).
    """

    pieces: NDArray[np.int64]
    starts: NDArray[np.int64]

    def __len__(self) -> int:
        """Return the number of rows."""
        return len(self.starts) - 1

    def __getitem__(self, row: int) -> list[Piece]:
        """Return the pieces of one row."""
        found = self.pieces[self.starts[row] : self.starts[row + 1]]
        return [(int(start), int(end)) for start, end in found]


@dataclass(frozen=True, slots=True)
class Batch:
    """Rows of tokens, each an array (B, L) of int64.

    `documents`: the number of a token's piece within its row; tokens of other numbers are
    invisible to it. `positions`: its place within the piece. `targets`: the next token of the
    piece, or `NO_TARGET`.
    """

    tokens: Tensor
    positions: Tensor
    documents: Tensor
    targets: Tensor

    def to(self, device: torch.device) -> Batch:
        """Return the batch on a device."""
        return Batch(*(getattr(self, name).to(device) for name in self.__slots__))

    def target_count(self) -> int:
        """Return the number of tokens that the loss is taken over."""
        return int((self.targets != NO_TARGET).sum())


def pieces_of(documents: NDArray[np.int64], row_tokens: int) -> NDArray[np.int64]:
    """Return the pieces (n, 2) of documents, given their first tokens and the corpus's end.

    A document longer than a row is split. The last token of a piece is the first one of the next,
    so that each token after a document's first is the target of exactly one token.
    """
    step = row_tokens - 1
    starts, ends = documents[:-1], documents[1:]
    counts = np.maximum(1, -(-(ends - starts - 1) // step))
    document = np.repeat(np.arange(len(starts)), counts)
    number = np.arange(len(document)) - np.repeat(np.cumsum(counts) - counts, counts)
    first = starts[document] + number * step
    return np.stack([first, np.minimum(first + row_tokens, ends[document])], axis=1)


def pack(documents: NDArray[np.int64], row_tokens: int, seed: int) -> Rows:
    """Pack the shuffled pieces of documents into rows of at most `row_tokens` tokens.

    Each window of pieces is packed by best fit, longest first, which leaves few places empty.
    """
    shuffled = np.random.default_rng(seed).permutation(pieces_of(documents, row_tokens))
    order: list[int] = []
    starts = [0]
    for begin in range(0, len(shuffled), _WINDOW):
        window = shuffled[begin : begin + _WINDOW]
        for row in _best_fit((window[:, 1] - window[:, 0]).tolist(), row_tokens):
            order += [begin + place for place in row]
            starts.append(len(order))
    return Rows(shuffled[order], np.array(starts, dtype=np.int64))


def _best_fit(lengths: Sequence[int], capacity: int) -> list[list[int]]:
    """Return the items of each row: an item goes to the fullest row that has room for it."""
    rows: list[list[int]] = []
    room: list[tuple[int, int]] = []  # the free places of a row, and its number
    for item in sorted(range(len(lengths)), key=lambda item: -lengths[item]):
        place = bisect_left(room, (lengths[item], -1))
        if place == len(room):
            row, free = len(rows), capacity
            rows.append([])
        else:
            free, row = room.pop(place)
        rows[row].append(item)
        if free > lengths[item]:
            insort(room, (free - lengths[item], row))
    return rows


def batch_of(
    rows: Sequence[tuple[TokenShards, Sequence[Piece]]], row_tokens: int, fill: int
) -> Batch:
    """Return rows as arrays; the places that a row leaves empty are a document of `fill` tokens."""
    shape = (len(rows), row_tokens)
    tokens = np.full(shape, fill, dtype=np.int64)
    positions = np.zeros(shape, dtype=np.int64)
    documents = np.full(shape, -1, dtype=np.int64)
    targets = np.full(shape, NO_TARGET, dtype=np.int64)
    for row, number, start, place, shards, end in _placed(rows):
        length = end - start
        tokens[row, place : place + length] = shards.tokens(start, end)
        positions[row, place : place + length] = np.arange(length)
        documents[row, place : place + length] = number
        targets[row, place : place + length - 1] = tokens[row, place + 1 : place + length]
    return Batch(*(torch.from_numpy(a) for a in (tokens, positions, documents, targets)))


def _placed(
    rows: Sequence[tuple[TokenShards, Sequence[Piece]]],
) -> Iterator[tuple[int, int, int, int, TokenShards, int]]:
    """Yield row, number within the row, start, place within the row, shards and end of a piece."""
    for row, (shards, pieces) in enumerate(rows):
        place = 0
        for number, (start, end) in enumerate(pieces):
            yield row, number, start, place, shards, end
            place += end - start


def block_diagonal_mask(documents_BL: Tensor) -> Tensor:
    """Return which tokens (columns) a token (row) sees: (B, 1, L, L) bool.

    It sees itself and the tokens before it of its own document. Positions that start at 0 in each
    document do not hide the others: without a mask, attention reaches them.
    """
    length = documents_BL.shape[1]
    same_BLL = documents_BL[:, :, None] == documents_BL[:, None, :]
    earlier_LL = torch.ones(length, length, dtype=torch.bool, device=documents_BL.device).tril()
    return (same_BLL & earlier_LL)[:, None]
