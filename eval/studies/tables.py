"""Markdown tables, and figures in their cells."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from sage_rag.common.proportions import Count, Proportion, percent
from sage_rag.eval.membership import Membership
from sage_rag.eval.ratio import Ratio

NO_FIGURE = "–"


def table(titles: Sequence[object], rows: Iterable[Iterable[object]]) -> str:
    """Return a Markdown table without a final line break."""
    return "\n".join([_row(titles), "|" + " --- |" * len(titles), *map(_row, rows)])


def _row(cells: Iterable[object]) -> str:
    return f"| {' | '.join(map(str, cells))} |"


def cell(text: str) -> str:
    """Return a text for one cell: without line breaks, its pipes escaped."""
    return " ".join(text.replace("|", "\\|").split())


def share(found: Count) -> str:
    """Format a proportion with its 95 % interval in per cent, short enough for a wide table.

    A count of all there are has no interval.
    """
    if not isinstance(found, Proportion):
        return str(found)
    bounds = f"{percent(found.low)}–{percent(found.high)} %"
    return f"{found.successes} of {found.trials} ({bounds})"


def area(found: Membership) -> str:
    """Format an area under the curve with its 95 % interval."""
    return f"{found.auc:.3f} ({found.low:.3f}–{found.high:.3f})"


def ratio(found: Ratio | None) -> str:
    """Format a ratio with its 95 % interval."""
    return NO_FIGURE if found is None else f"{found.value:.2f} ({found.low:.2f}–{found.high:.2f})"
