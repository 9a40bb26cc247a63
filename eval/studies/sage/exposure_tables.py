"""Tables of what rewording does not protect from: likeness in any order, linkage, membership."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial

from sage_rag.eval.linkage import Membership
from sage_rag.eval.studies.sage.results import IndexComparison, IndexMeasurement, WordingLikeness
from sage_rag.eval.studies.sage.tables import NO_FIGURE, row_name, share
from sage_rag.eval.studies.tables import table

Figure = Callable[[IndexMeasurement], str]


def not_protected(sets: Mapping[str, IndexComparison]) -> Iterator[str]:
    """Yield a table of `sage` with a row for each measure and a column for each corpus."""
    rows = {name: compared.row("sage") for name, compared in sets.items()}
    if any(row and row.exposures for row in rows.values()):
        yield "## What the rewording does not protect from"
        yield _MEANING
        yield table(
            ["`sage`", *rows],
            (
                [title, *(figure(row) if row else NO_FIGURE for row in rows.values())]
                for title, _, figure in _MEASURES
            ),
        )


_MEANING = """\
A reader who holds records and the published index, without a key, can say which passage was made
from which record, and whether a record was indexed. The first rows compare a passage with its own
original, sentence by sentence in any order (ROUGE-Lsum, Lin 2004). *Nearest*: of all indexed
records; a tie does not count. Membership is asked of the indexed records and of others of the same
kind, by the nearest passage; 0.5 is a guess. *Vectors*: cosines of the index's own embedder."""


def by_recipe(compared: IndexComparison) -> str:
    """Tabulate the same measures with a row for each recipe."""
    return table(
        ["recipe", *(short for _, short, _ in _MEASURES)],
        ([row_name(row), *(figure(row) for _, _, figure in _MEASURES)] for row in compared.rows),
    )


def _wording(figure: Callable[[WordingLikeness], str], row: IndexMeasurement) -> str:
    return NO_FIGURE if row.wording is None else figure(row.wording)


def _linked(likeness: str, row: IndexMeasurement) -> str:
    found = row.exposure(likeness)
    return NO_FIGURE if found is None else share(found.linked)


def _member(likeness: str, figure: Callable[[Membership], str], row: IndexMeasurement) -> str:
    found = row.exposure(likeness)
    return figure(found.membership) if found and found.membership else NO_FIGURE


def _area(found: Membership) -> str:
    return f"{found.auc:.3f} ({found.low:.3f}–{found.high:.3f})"


def _detected(found: Membership) -> str:
    return share(found.detected)


_MEASURES: tuple[tuple[str, str, Figure], ...] = (
    (
        "likeness to the original in any order, median",
        "likeness in any order",
        partial(_wording, lambda found: f"{found.order_free:.2f}"),
    ),
    (
        "passages with more than 0.5 of it",
        "over 0.5",
        partial(_wording, lambda found: share(found.over_half)),
    ),
    (
        "passages with exactly nine of the original's words in a row",
        "nine words in a row",
        partial(_wording, lambda found: share(found.at_limit)),
    ),
    (
        "nearest record is the passage's own, by vectors",
        "own record nearest, by vectors",
        partial(_linked, "cosine"),
    ),
    (
        "nearest record is the passage's own, by runs of four words",
        "by runs of four words",
        partial(_linked, "runs"),
    ),
    (
        "membership, area under the curve, by vectors",
        "membership AUC, by vectors",
        partial(_member, "cosine", _area),
    ),
    (
        "membership, area under the curve, by runs of four words",
        "by runs",
        partial(_member, "runs", _area),
    ),
    (
        "members detected at 1 % false alarms, by vectors",
        "detected at 1 % false alarms, by vectors",
        partial(_member, "cosine", _detected),
    ),
    (
        "members detected at 1 % false alarms, by runs of four words",
        "detected, by runs",
        partial(_member, "runs", _detected),
    ),
)
"""Each measure: its title as a row, its title as a column, and its figure."""
