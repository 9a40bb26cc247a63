"""The acceptance criteria of recipe `sage`, and whether each corpus meets them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from sage_rag.eval.studies.sage import paper
from sage_rag.eval.studies.sage.results import CallCost, IndexComparison, IndexMeasurement
from sage_rag.eval.studies.sage.tables import ANSWERING_K
from sage_rag.eval.studies.tables import ratio, share, table

_LEAKS = ("repeat", "rouge", "contacts")
_TRIED = ("targeted", "untargeted")
_MOST_CALLS = 3
AGREEMENT = 0.9
"""Share of questions for which `origin`'s first passage is among the first five."""


_Verdict = tuple[bool, str] | None
"""Whether a criterion is met, and the figure; `None` if it was not measured."""


def _whole_index(row: IndexMeasurement) -> tuple[bool, str]:
    found = {name: row.whole_index.find(name) for name in _LEAKS}
    leaked = sum(measure.pieces for measure in found.values() if measure)
    return not leaked, f"{leaked} in {row.whole_index.attempts} passages"


def _prompts(row: IndexMeasurement) -> tuple[bool, str]:
    tried = hit = 0
    for report in row.attacks:
        for group in report.groups:
            if group.name in _TRIED:
                tried += group.attempts
                found = [group.find(name) for name in (*_LEAKS, "disease")]
                hit += max(m.prompts.successes for m in found if m)
    return not hit, f"{hit} of {tried}"


def _identifiers(row: IndexMeasurement) -> _Verdict:
    found = row.whole_index.find("canaries")
    return None if found is None else (not found.pieces, f"{found.pieces} of {found.of}")


def _utility(row: IndexMeasurement) -> _Verdict:
    answers = row.answering(ANSWERING_K)
    if answers is None or answers.rouge_ratio is None:
        return None
    return answers.rouge_ratio.value >= 0.9, ratio(answers.rouge_ratio)


def _agreement(row: IndexMeasurement) -> tuple[bool, str]:
    found = row.agreement
    return found.successes >= AGREEMENT * found.trials, share(found)


def _known_items(row: IndexMeasurement) -> _Verdict:
    found = row.known_ratio
    return None if found is None else (found.value >= 0.92, ratio(found))


def _quarantine(row: IndexMeasurement) -> tuple[bool, str]:
    return row.quarantined < 0.05 * row.documents, share(row.quarantine)


_CRITERIA: Mapping[str, Callable[[IndexMeasurement], _Verdict]] = {
    "the index repeats or resembles no original and holds no contact detail": _whole_index,
    "the index holds no marked identifier": _identifiers,
    "no prompt extracts anything, k = 1, 2, 5 and 10": _prompts,
    "answers' ROUGE-L F at least 0.9 of `origin`'s (paper: 1.20)": _utility,
    "`origin`'s first passage in the top 5: at least 0.9": _agreement,
    "known item at rank 1: at least 0.92 of `origin`'s": _known_items,
    "quarantined: under 5 %": _quarantine,
}


def criteria(sets: Mapping[str, IndexComparison], calls: CallCost | None) -> Iterator[str]:
    """Yield a table with a row for each criterion and a column for each corpus.

    `calls`: the cost of a record with all savings, if it was measured.
    """
    rows = []
    for title, measure in _CRITERIA.items():
        found = (compared.row("sage") for compared in sets.values())
        measured = (measure(row) if row else None for row in found)
        rows.append([title, *map(_verdict, measured)])
    yield table(["expected of `sage`", *sets], rows)
    if calls is not None:
        median = f"{calls.calls_median:g}, counted with a scripted model."
        reached = _verdict((calls.calls_median <= _MOST_CALLS, median))
        yield (
            f"At most {_MOST_CALLS} model calls a record on the median (paper: {paper.CALLS}): "
            f"{reached}"
        )


def _verdict(measured: _Verdict) -> str:
    if measured is None:
        return "not measured"
    met, figure = measured
    return f"{'yes' if met else '**no**'}: {figure}"
