"""Overlapping windows over long texts, so that no span is lost at a cut or found twice.

A unit is what the model counts: a character, a token or a word piece. Each unit is decided in the
core of one window, where it has context on both sides.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Window:
    """The model reads units `[start, end)`; a span that touches `[core_start, core_end)` counts.

    The cores of a text's windows partition it. A window extends beyond its core on both sides, so
    that no span up to that length is cut. A span that crosses from one core into the next may come
    from both windows.
    """

    start: int
    end: int
    core_start: int
    core_end: int

    def decides(self, start: int, end: int) -> bool:
        """Return whether a span of this window counts."""
        return start < self.core_end and end > self.core_start


def windows(length: int, *, size: int, margin: int) -> Iterator[Window]:
    """Yield windows of at most `size` units with `margin` units of context on either side.

    Raises:
        ValueError: when no unit is left between the margins.
    """
    step = size - 2 * margin
    if step < 1 or margin < 0:
        raise ValueError(f"a window of {size} units is too short for margins of {margin}")
    start = 0
    while start < length:
        end = min(length, start + size)
        last = end == length
        yield Window(start, end, start + margin if start else 0, length if last else end - margin)
        if last:
            return
        start += step
