"""Tables of what rewording does not protect from: likeness in any order, linkage, membership."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial

from sage_rag.eval.linkage import Exposure
from sage_rag.eval.studies.sage.results import IndexComparison, IndexMeasurement, WordingLikeness
from sage_rag.eval.studies.sage.tables import row_name
from sage_rag.eval.studies.tables import NO_FIGURE, area, share, table

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


def _exposed(likeness: str, figure: Callable[[Exposure], str], row: IndexMeasurement) -> str:
    found = row.exposure(likeness)
    return NO_FIGURE if found is None else figure(found)


def _linked(found: Exposure) -> str:
    return share(found.linked) if found.linked else NO_FIGURE


def _area(found: Exposure) -> str:
    return area(found.membership) if found.membership else NO_FIGURE


def _detected(found: Exposure) -> str:
    return share(found.membership.detected) if found.membership else NO_FIGURE


_LIKENESSES = {"cosine": "by vectors", "runs": "by runs of four words"}
_OF_WORDING: tuple[tuple[str, str, Callable[[WordingLikeness], str]], ...] = (
    (
        "likeness to the original in any order, median",
        "likeness in any order",
        lambda found: f"{found.order_free:.2f}",
    ),
    (
        "passages with more than 0.5 of it",
        "over 0.5",
        lambda found: share(found.over_half),
    ),
    (
        "passages with exactly nine of the original's words in a row",
        "nine words in a row",
        lambda found: share(found.at_limit),
    ),
)
"""Title as a row, title as a column, figure."""
_OF_LIKENESS: tuple[tuple[str, tuple[str, ...], Callable[[Exposure], str]], ...] = (
    (
        "nearest record is the passage's own",
        ("own record nearest, by vectors", "by runs of four words"),
        _linked,
    ),
    (
        "membership, area under the curve",
        ("membership AUC, by vectors", "by runs"),
        _area,
    ),
    (
        "members detected at 1 % false alarms",
        ("detected at 1 % false alarms, by vectors", "detected, by runs"),
        _detected,
    ),
)
"""Title as a row, without the kind of likeness; titles as columns, by `_LIKENESSES`; figure."""


def _measures() -> Iterator[tuple[str, str, Figure]]:
    """Yield each measure: its title as a row, its title as a column, and its figure."""
    for title, short, wording in _OF_WORDING:
        yield title, short, partial(_wording, wording)
    for title, shorts, exposed in _OF_LIKENESS:
        for (likeness, by), short in zip(_LIKENESSES.items(), shorts, strict=True):
            yield f"{title}, {by}", short, partial(_exposed, likeness, exposed)


_MEASURES = tuple(_measures())
