"""How work grows with its size, without a clock's absolute word."""

from collections.abc import Callable
from time import process_time


def growth(work: Callable[[int], object], size: int) -> float:
    """Return how many times longer work of four times the size takes: 4 if linear, 16 if square.

    Processor time, best of three of each, so that other processes do not count.
    """

    def seconds(of: int) -> float:
        began = process_time()
        work(of)
        return process_time() - began

    work(size)
    return min(seconds(4 * size) for _ in range(3)) / max(
        1e-4, min(seconds(size) for _ in range(3))
    )


LINEAR = 9.0
"""Between 4 and 16, with room for caches that no longer hold everything."""
