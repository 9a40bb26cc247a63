"""Write a count with its noun."""

from __future__ import annotations


def counted(count: int, one: str, many: str | None = None) -> str:
    """Return `1 line`, `2 lines`; `many` is the plural that is not `one` with an s."""
    return f"{count:,} {one if count == 1 else many or f'{one}s'}"
