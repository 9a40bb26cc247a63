"""The tables of the study of `consensus`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from sage_rag.common.proportions import Proportion
from sage_rag.eval.linkage import Exposure
from sage_rag.eval.rare_runs import MOST_WORDS
from sage_rag.eval.studies.consensus.canaries import expected
from sage_rag.eval.studies.consensus.growth import GrowthFigures
from sage_rag.eval.studies.consensus.results import (
    CanaryFigures,
    CorpusFigures,
    IndexFigures,
    Wording,
)
from sage_rag.eval.studies.sage.indexing_cost import IndexingCost
from sage_rag.eval.studies.tables import NO_FIGURE, area, ratio, share, table

LIKENESSES = {"cosine": "vectors", "runs": "runs, best passage", "union": "runs, whole index"}
"""Titles of the membership attacks."""


def sizes(split: CorpusFigures) -> str:
    """Tabulate what each recipe publishes."""
    return table(
        ["recipe", "passages", "words a passage", "records in a passage", "not published"],
        (
            [_name(r), r.passages, f"{r.words:.0f}", f"{r.represented} of {r.records}", _refused(r)]
            for r in split.rows
        ),
    )


def _refused(row: IndexFigures) -> str:
    found = [f"{reason} {count}" for reason, count in sorted(row.refused.items())]
    return ", ".join(found) or NO_FIGURE


def membership(split: CorpusFigures) -> str:
    """Tabulate the area under the curve of each membership attack."""
    titles = ["recipe", *(f"by {title}" for title in LIKENESSES.values())]
    return table([*titles, "worst, records with a passage"], map(_areas, split.rows))


def _areas(row: IndexFigures) -> list[str]:
    found = [row.exposure(likeness).membership for likeness in LIKENESSES]
    return [_name(row), *(area(m) if m else NO_FIGURE for m in found), area(row.exposed)]


def detection(split: CorpusFigures) -> str:
    """Tabulate the members that each attack detects, and linkage."""
    titles = ["recipe", *(f"detected by {title}" for title in LIKENESSES.values())]
    titles += ["linked by vectors", "linked by runs", "by chance"]
    return table(titles, map(_detected, split.rows))


def _detected(row: IndexFigures) -> list[str]:
    found = [row.exposure(likeness) for likeness in LIKENESSES]
    detected = [share(e.membership.detected) if e.membership else NO_FIGURE for e in found]
    linked = [_linked(e) for e in found if e.linked]
    return [_name(row), *detected, *linked, f"{100 * (found[0].chance or 0):.1f} %"]


def _linked(found: Exposure) -> str:
    return share(found.linked) if found.linked else NO_FIGURE


def utility(split: CorpusFigures) -> str:
    """Tabulate the utility of answers, as means and as shares of `origin`'s."""
    titles = ["recipe", "content F1", "of `origin`", "cosine", "of `origin`"]
    titles += ["ROUGE-L F", "of `origin`", "BLEU-1", "of `origin`", "refused"]
    return table(titles, map(_answered, _with_utility(split)))


def specific(split: CorpusFigures) -> str:
    """Tabulate how much better answers fit their own questions than others."""
    titles = ["recipe", "content F1, unrelated", "own minus unrelated", "of `origin`"]
    titles += ["cosine, unrelated", "own minus unrelated", "of `origin`"]
    return table(titles, ([_name(row), *_gains(row, split)] for row in _with_utility(split)))


def _gains(row: IndexFigures, split: CorpusFigures) -> Iterator[str]:
    origin = split.rows[0].utility
    if row.utility is None or origin is None:
        return
    for name, unrelated in row.utility.unrelated.items():
        gain = row.utility.means[name] - unrelated
        reference = origin.means[name] - origin.unrelated[name]
        yield from (f"{unrelated:.4f}", f"{gain:.4f}")
        yield f"{gain / reference:.2f}" if reference > 0 else NO_FIGURE


def _with_utility(split: CorpusFigures) -> list[IndexFigures]:
    return [row for row in split.rows if row.utility is not None]


def _answered(row: IndexFigures) -> list[str]:
    found = row.utility
    if found is None:
        return [_name(row)]
    cells = [_name(row)]
    for name, mean in found.means.items():
        cells += [f"{mean:.4f}", ratio(found.ratios[name])]
    return [*cells, share(found.refused)]


def wording(split: CorpusFigures) -> str:
    """Tabulate what passages share with originals, and clauses that the originals do not say."""
    titles = ["recipe", "ten words in a row of any original", "ROUGE-L F over 0.5 with any"]
    titles += ["longest rare run", "passages with a rare run of four words or more", "rare: under"]
    titles += ["clauses that fewer say"]
    return table(
        titles,
        ([_name(row), *_worded(row.wording)] for row in split.rows if row.wording),
    )


def _worded(found: Wording) -> list[str]:
    return [
        share(found.repeated),
        share(found.similar),
        f"{rare_words(found)} words",
        share(found.rare.passages),
        f"{found.rare.k} subjects",
        share(found.unstated) if found.unstated and found.unstated.trials else NO_FIGURE,
    ]


def rare_words(found: Wording) -> str:
    """Return the words of the longest rare run."""
    longest = found.rare.longest
    return f"{longest} or more" if longest == MOST_WORDS else str(longest)


def seeds(splits: Iterable[CorpusFigures], k: int) -> str:
    """Tabulate the default of `consensus` on each split, and the means over splits."""
    titles = ["seed", "worst AUC", "detected, worst", "content F1 of `origin`", "cosine"]
    rows, figures = [], []
    for split in splits:
        row = consensus_row(split, k)
        if row is not None and row.utility is not None:
            ratios = [row.utility.ratios[name] for name in ("content_f1", "cosine")]
            rows.append([split.seed, area(row.worst), share(row.detected), *map(ratio, ratios)])
            figures.append(
                [row.worst.auc, _part(row.detected), *(r.value if r else 0.0 for r in ratios)]
            )
    means = [sum(column) / len(column) for column in zip(*figures, strict=True)]
    if means:
        auc, detected, f1, cosine = means
        rows.append(["mean", f"{auc:.3f}", f"{detected:.1%}", f"{f1:.2f}", f"{cosine:.2f}"])
    return table(titles, rows)


def _part(found: Proportion) -> float:
    return found.successes / found.trials


def consensus_row(split: CorpusFigures, k: int) -> IndexFigures | None:
    """Return the row of `consensus` at one k; `None` if it was not measured."""
    return next((row for row in split.rows if row.k == k), None)


def curve(split: CorpusFigures) -> str:
    """Tabulate k and topic size."""
    titles = ["k", "records a topic", "passages", "worst AUC", "detected, worst"]
    titles += ["content F1 of `origin`", "cosine of `origin`", "refused"]
    rows = []
    for row in split.rows:
        if row.k is not None and row.utility is not None:
            ratios = row.utility.ratios
            rows.append(
                [
                    row.k,
                    row.topic_records,
                    row.passages,
                    area(row.worst),
                    share(row.detected),
                    ratio(ratios["content_f1"]),
                    ratio(ratios["cosine"]),
                    share(row.utility.refused),
                ]
            )
    return table(titles, rows)


def canaries(found: Iterable[CanaryFigures], k: int) -> str:
    """Tabulate planted facts by the number of subjects that share them."""
    rows = ([c.subjects, expected(c.subjects, k), share(c.published)] for c in found)
    return table(["subjects that share a fact", "it appear", "facts in the version"], rows)


def cost(runs: Iterable[IndexingCost]) -> str:
    """Tabulate the speed of indexing by recipe."""
    titles = ["recipe", "documents", "passages", "seconds", "documents a second"]
    titles += ["processor seconds", "peak memory"]
    return table(
        titles,
        (
            [
                f"`{run.recipe}`",
                run.documents,
                run.published,
                f"{run.wall_s:.0f}",
                f"{run.documents_per_s:.1f}",
                NO_FIGURE if run.processor_s is None else f"{run.processor_s:.0f}",
                f"{run.peak_rss_bytes / 2**20:.0f} MiB",
            ]
            for run in runs
        ),
    )


def growth(runs: Iterable[GrowthFigures]) -> str:
    """Tabulate time and memory by the number of records."""
    titles = ["records", "passages", "processor seconds", "a thousand records", "peak memory"]
    rows = (
        [
            run.records,
            run.passages,
            f"{run.processor_s:.0f}",
            f"{1000 * run.processor_s / run.records:.1f} s",
            f"{run.peak_bytes / 2**20:.0f} MiB",
        ]
        for run in runs
    )
    return table(titles, rows)


def speed_ratio(runs: Iterable[IndexingCost]) -> str:
    """Return how many times as fast `consensus` is as `sage`, by processor and wall time."""
    by_recipe = {run.recipe: run for run in runs}
    if not {"sage", "consensus"} <= by_recipe.keys():
        return NO_FIGURE
    slow, fast = by_recipe["sage"], by_recipe["consensus"]
    found = f"{fast.documents_per_s / slow.documents_per_s:.2f} by wall time"
    if slow.processor_s and fast.processor_s:
        found = f"{slow.processor_s / fast.processor_s:.2f} by processor time, {found}"
    return (
        f"Speed of `consensus` as a multiple of that of `sage`: {found}; expected: 2. Wall time"
        " depends on what else the machine does: where both differ, processor time is the figure."
    )


def _name(row: IndexFigures) -> str:
    return f"`{row.name}`" if row.k is None else f"**{row.name}**"
