"""Show what the gate finds and falsely flags for each number of words that a draft may add."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial

from sage_rag.eval.studies.meaning_pairs import MeaningPair
from sage_rag.eval.studies.meaning_scores import PairResult, Scores, found, judge
from sage_rag.eval.studies.tables import table
from sage_rag.privacy.gate.meaning import meaning_changes

_ALLOWED = (0, 1, 2, 3, 5, None)
_WANTED = 0.95
_FIRST_WRITER, _SECOND_WRITER = 100, 200
"""Their pairs have numbers up to these."""
_NOTE = """\
Chosen by the other domains: the largest value that finds 95 % of the changes in three domains of
the second writer, and what it finds in the fourth."""

Curve = Mapping[int | None, Sequence[PairResult]]
"""The results for each number of words that a draft sentence may add; `None`: not verified."""


def curve(pairs: Sequence[MeaningPair]) -> Curve:
    """Return the results on development pairs for each number of unverified words allowed."""
    return {
        allowed: judge(pairs, partial(meaning_changes, unverified=allowed)) for allowed in _ALLOWED
    }


def curve_tables(measured: Curve) -> str:
    """Return the curve, and the choice by the other domains for each domain, as Markdown."""
    lines = []
    for allowed, results in measured.items():
        second = [r for r in results if _is_second(r.pair)]
        cells = [Scores.of(part).cells for part in (results, second)]
        name = "not verified" if allowed is None else allowed
        lines.append((name, *(c[i] for c in cells for i in (0, 3))))
    titles = ("changes found", "falsely flagged")
    both = (*titles, *(f"{title}, second writer" for title in titles))
    folds = table(("domain", "chosen", "found in the others", "found in it"), _folds(measured))
    curve_table = table(("`unverified_words`", *both), lines)
    return f"## Words that a draft may add\n\n{curve_table}\n\n{_NOTE}\n\n{folds}"


def _is_second(pair: MeaningPair) -> bool:
    """Return whether a pair is by the second writer."""
    return _FIRST_WRITER < int(pair.id.rpartition("-")[2]) <= _SECOND_WRITER


def _folds(measured: Curve) -> Iterator[list[object]]:
    second = {a: [r for r in rs if _is_second(r.pair)] for a, rs in measured.items()}
    for domain in dict.fromkeys(r.pair.domain for r in second[0]):
        others = {a: found(r for r in rs if r.pair.domain != domain) for a, rs in second.items()}
        enough = [a for a, share in others.items() if share.successes >= _WANTED * share.trials]
        chosen = enough[-1] if enough else 0
        own = found(r for r in second[chosen] if r.pair.domain == domain)
        yield [domain, chosen, others[chosen], own]
