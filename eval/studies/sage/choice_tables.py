"""The tables of choices: attributes, rounds, call savings, and the cost of indexing."""

from __future__ import annotations

from collections.abc import Sequence

from sage_rag.eval.studies.sage import paper
from sage_rag.eval.studies.sage.results import (
    CallCost,
    DraftLeakage,
    IndexComparison,
    IndexMeasurement,
    StudyPart,
)
from sage_rag.eval.studies.sage.tables import (
    ANSWERING_K,
    FOUND,
    NAMES,
    finding,
    pieces,
    prompts,
    rouge_share,
)
from sage_rag.eval.studies.tables import NO_FIGURE, share, table

_SIDES = 2
"""Fields of a dialogue; the paper counts the attributes of both."""
_MEBIBYTE = 2**20


def attributes(compared: IndexComparison) -> str:
    """Tabulate the number of attributes; the paper's figures are targeted attacks on stage 1."""
    titles = ["m", "recipe", "originals repeated", "targeted: repeat prompts, k = 5", "cases"]
    titles += ["paper: repeat prompts, cases", "ROUGE-L of `origin`'s", *FOUND]
    rows = []
    for row in compared.rows:
        name, marked, number = row.name.rpartition("-m")
        if marked:
            rows.append(_with_attributes(row, name, _SIDES * int(number)))
    return table(titles, rows)


def _with_attributes(row: IndexMeasurement, name: str, m: int) -> list[object]:
    targeted = row.group(ANSWERING_K, "targeted")
    theirs = paper.ATTRIBUTES.get(m) if name == "sage-stage-1" else None
    return [
        m,
        NAMES[name],
        pieces(row.whole_index, "repeat"),
        prompts(targeted, "repeat"),
        pieces(targeted, "disease"),
        f"{theirs[0]}, {theirs[1]}" if theirs else NO_FIGURE,
        rouge_share(row),
        *finding(row),
    ]


def rounds(compared: IndexComparison, drafts: Sequence[DraftLeakage]) -> str:
    """Tabulate rounds of rewriting: their effect on the index, and on drafts without the gate."""
    titles = ["rewrites at most", "published", "quarantined", "originals repeated"]
    titles += ["ROUGE-L of `origin`'s", "known item at rank 1", "drafts still refused"]
    titles += ["with a change of meaning"]
    titles += ["if used anyway: originals repeated", "alike"]
    rows = []
    for found in drafts:
        row = compared.row(f"sage-r{found.max_rounds}")
        if row is not None:
            rows.append(_after(row, found))
    return table(titles, rows)


def _after(row: IndexMeasurement, found: DraftLeakage) -> list[object]:
    return [
        found.max_rounds,
        row.published,
        share(row.quarantine),
        pieces(row.whole_index, "repeat"),
        rouge_share(row),
        share(row.known_items),
        f"{found.refused} of {found.drafts}",
        found.altered,
        found.repeated,
        found.similar,
    ]


def calls(found: Sequence[CallCost]) -> str:
    """Tabulate the cost of a record under each choice of savings."""
    stages = sorted({stage for row in found for stage in row.stages}, key=_stage_order)
    titles = ["", "calls a record, mean", "median", *stages, "tokens", "dollars"]
    rows = (
        [c.name, f"{c.calls_mean:.2f}", f"{c.calls_median:g}"]
        + [f"{c.stages.get(stage, 0):.2f}" for stage in stages]
        + [f"{c.tokens_mean:,.0f}", f"{c.money_mean:.5f}", f"{c.published} of {c.documents}"]
        + [c.repeated]
        for c in found
    )
    return table([*titles, "published", "originals repeated"], rows)


def _stage_order(stage: str) -> tuple[int, str]:
    order = ("extract", "generate", "review", "infer", "rewrite")
    return (order.index(stage) if stage in order else len(order), stage)


def cost(part: StudyPart) -> str:
    """Tabulate time and memory of `sage-rag index`."""
    titles = ("recipe", "published", "wall time", "documents per second", "peak memory", "index")
    rows = (
        [
            i.recipe,
            f"{i.published} of {i.documents}",
            f"{i.wall_s:.1f} s",
            f"{i.documents_per_s:.1f}",
            f"{i.peak_rss_bytes / _MEBIBYTE:.0f} MiB",
            f"{i.version_bytes / _MEBIBYTE:.2f} MiB",
        ]
        for i in part.indexing
    )
    return table(titles, rows)
