"""Windows over long texts, in what a model counts in: each unit is read with context and decided
in one core, so that no span is lost at a cut or found twice.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Window:
    """Units `[start, end)` go to the model; what reaches into `[core_start, core_end)` counts.

    The cores of a text's windows partition it, and a window goes on past its core on both sides,
    so that nothing up to that length is cut. What crosses from one core into the next may come
    from both windows.
    """

    start: int
    end: int
    core_start: int
    core_end: int

    def decides(self, start: int, end: int) -> bool:
        """Return whether a find of this window counts."""
        return start < self.core_end and end > self.core_start


def windows(length: int, *, size: int, margin: int) -> Iterator[Window]:
    """Yield windows of at most `size` units with `margin` units of context on either side.

    Raises:
        ValueError: when no unit is left between the margins.
    """
    step = size - 2 * margin
    if step < 1 or margin < 0:
        raise ValueError(f"a window of {size} units has no room for margins of {margin}")
    start = 0
    while start < length:
        end = min(length, start + size)
        last = end == length
        yield Window(start, end, start + margin if start else 0, length if last else end - margin)
        if last:
            return
        start += step
