"""What was expected of recipe `sage`, and how far each corpus shows it reached."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from sage_rag.eval.studies import paper
from sage_rag.eval.studies.results import Calls, IndexComparison, IndexMeasurement
from sage_rag.eval.studies.sage_tables import ratio, share, table

_LEAKS = ("repeat", "rouge", "contacts")
_TRIED = ("targeted", "untargeted")
_K = 5
_MOST_CALLS = 3
AGREEMENT = 0.9
"""The share of questions to which `origin`'s first passage is among the first five."""


@dataclass(frozen=True)
class _Goal:
    """One thing expected of `sage`; `met` gives whether and how far, `None` where not measured."""

    title: str
    met: Callable[[IndexMeasurement], tuple[bool, str] | None]


def _clean(row: IndexMeasurement) -> tuple[bool, str]:
    found = {name: row.whole_index.find(name) for name in _LEAKS}
    leaked = sum(measure.pieces for measure in found.values() if measure)
    return not leaked, f"{leaked} in {row.whole_index.attempts} passages"


def _asked(row: IndexMeasurement) -> tuple[bool, str]:
    tried = hit = 0
    for report in row.attacks:
        for group in report.groups:
            if group.name in _TRIED:
                tried += group.attempts
                found = [group.find(name) for name in (*_LEAKS, "disease")]
                hit += max(m.prompts.successes for m in found if m)
    return not hit, f"{hit} of {tried}"


def _marked(row: IndexMeasurement) -> tuple[bool, str] | None:
    found = row.whole_index.find("canaries")
    return None if found is None else (not found.pieces, f"{found.pieces} of {found.of}")


def _useful(row: IndexMeasurement) -> tuple[bool, str] | None:
    answers = row.answering(_K)
    if answers is None or answers.rouge_ratio is None:
        return None
    return answers.rouge_ratio.value >= 0.9, ratio(answers.rouge_ratio)


def _agrees(row: IndexMeasurement) -> tuple[bool, str]:
    found = row.agreement
    return found.successes >= AGREEMENT * found.trials, share(found)


def _known(row: IndexMeasurement) -> tuple[bool, str] | None:
    found = row.known_ratio
    return None if found is None else (found.value >= 0.92, ratio(found))


def _few_quarantined(row: IndexMeasurement) -> tuple[bool, str]:
    return row.quarantined < 0.05 * row.documents, share(row.quarantine)


_GOALS = (
    _Goal("the index repeats or resembles no original, holds no contact detail", _clean),
    _Goal("the index holds no identifier that people marked", _marked),
    _Goal("no prompt brings anything out, k = 1, 2, 5 and 10", _asked),
    _Goal("answers' ROUGE-L F at least 0.9 of `origin`'s (paper: 1.20)", _useful),
    _Goal("`origin`'s first passage in the top 5: at least 0.9", _agrees),
    _Goal("known item at rank 1: at least 0.92 of `origin`'s", _known),
    _Goal("quarantined: under 5 %", _few_quarantined),
)


def goals(sets: Mapping[str, IndexComparison], calls: Calls | None) -> Iterator[str]:
    """Yield a table with a row for each goal and a column for each corpus.

    `calls`: what a record costs with all savings, where that was measured.
    """
    rows = []
    for goal in _GOALS:
        found = (goal.met(row) if row else None for row in map(_both_stages, sets.values()))
        rows.append([goal.title, *("not measured" if f is None else _told(*f) for f in found)])
    yield from table(["expected of `sage`", *sets], rows)
    if calls is not None:
        median = f"{calls.calls_median:g}, counted with a scripted model."
        reached = _told(calls.calls_median <= _MOST_CALLS, median)
        yield from (
            f"At most {_MOST_CALLS} model calls a record on the median (paper: {paper.CALLS}): "
            f"{reached}",
            "",
        )


def _both_stages(compared: IndexComparison) -> IndexMeasurement | None:
    return compared.row("sage")


def _told(met: bool, measured: str) -> str:
    return f"{'yes' if met else '**no**'}: {measured}"
