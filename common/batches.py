"""Cut sequences into batches."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TypeVar

_T = TypeVar("_T")


def batches_of(items: Sequence[_T], size: int) -> Iterator[Sequence[_T]]:
    """Yield consecutive batches of `size` items; the last one may be smaller."""
    for start in range(0, len(items), size):
        yield items[start : start + size]


def padded_batches(
    items: Iterable[_T], length: Callable[[_T], int], budget: int
) -> Iterator[list[_T]]:
    """Yield consecutive batches that are at most `budget` long when padded.

    The padded length is the greatest `length` times the number of items. An item over the budget is
    a batch of its own.
    """
    batch: list[_T] = []
    longest = 0
    for item in items:
        longest = max(longest, length(item))
        if batch and longest * (len(batch) + 1) > budget:
            yield batch
            batch, longest = [], length(item)
        batch.append(item)
    if batch:
        yield batch
