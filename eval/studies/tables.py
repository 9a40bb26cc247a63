"""Markdown tables."""

from __future__ import annotations

from collections.abc import Iterable, Sequence


def table(titles: Sequence[object], rows: Iterable[Iterable[object]]) -> str:
    """Return a Markdown table without a final line break."""
    return "\n".join([_row(titles), "|" + " --- |" * len(titles), *map(_row, rows)])


def _row(cells: Iterable[object]) -> str:
    return f"| {' | '.join(map(str, cells))} |"


def cell(text: str) -> str:
    """Return a text with its pipes escaped, for one cell."""
    return text.replace("|", "\\|")
