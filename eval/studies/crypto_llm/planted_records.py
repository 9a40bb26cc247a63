"""What models give away of planted records, by how often each record was planted."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
from pydantic import BaseModel
from scipy import stats

from sage_rag.common.proportions import Proportion
from sage_rag.eval.mean import Mean
from sage_rag.eval.model_attacks.attack import planted_group
from sage_rag.eval.model_attacks.results import GroupResult, ModelAttackReport
from sage_rag.eval.studies.crypto_llm.arms import ATTACKED, KEY_1, KEY_10, KEY_100, PLAIN
from sage_rag.eval.studies.tables import NO_FIGURE, share, table

_Figures = TypeVar("_Figures", bound=BaseModel)
_Figure = TypeVar("_Figure")
_CIPHERS = (KEY_1, KEY_10, KEY_100)
_LEVEL = 0.05
_Reports = Sequence[ModelAttackReport]
_Bounded = tuple[float, float, float]
"""A figure, and the bounds of its interval."""


@dataclass(frozen=True, slots=True)
class _Count:
    """Records that an attack finds, of those of one group."""

    title: str
    of: Callable[[ModelAttackReport, str], Proportion | None]

    def cell(self, found: Sequence[ModelAttackReport], group: str) -> str:
        counted = self.sum(found, group)
        return share(counted) if counted.trials else NO_FIGURE

    def sum(self, found: Iterable[ModelAttackReport], group: str) -> Proportion:
        shares = [counted for report in found if (counted := self.of(report, group)) is not None]
        return Proportion.of(sum(s.successes for s in shares), sum(s.trials for s in shares))


@dataclass(frozen=True, slots=True)
class _Level:
    """A mean over the records of one group, with its interval."""

    title: str
    of: Callable[[ModelAttackReport, str], _Bounded | None]

    def cell(self, found: Sequence[ModelAttackReport], group: str) -> str:
        level = self.mean(found, group)
        if level is None:
            return NO_FIGURE
        digits = 1 if level[2] >= 10 else 2
        value, low, high = (f"{x:.{digits}f}" for x in level)
        return f"{value} ({low}–{high})"

    def mean(self, found: Iterable[ModelAttackReport], group: str) -> _Bounded | None:
        """Return the mean over seeds with the lowest and the highest, or one seed's interval."""
        levels = [level for report in found if (level := self.of(report, group)) is not None]
        if len(levels) < 2:
            return next(iter(levels), None)
        values = [value for value, _, _ in levels]
        return float(np.mean(values)), min(values), max(values)


def _read(
    part: Callable[[ModelAttackReport], Sequence[GroupResult[_Figures]]],
    figure: Callable[[_Figures], _Figure],
) -> Callable[[ModelAttackReport, str], _Figure | None]:
    """Return what reads a figure of an attack on a group; `None` where it was not run on it."""

    def read(report: ModelAttackReport, group: str) -> _Figure | None:
        return next((figure(f.result) for f in part(report) if f.group == group), None)

    return read


def _bounds(mean: Mean | None) -> _Bounded | None:
    return None if mean is None else (mean.value, mean.low, mean.high)


_DETECTED = _Count(
    "membership, found at 1 % false positives",
    _read(lambda r: r.membership, lambda m: m.loss.detected),
)
_NAMED = _Count("name first of all candidates", _read(lambda r: r.names, lambda n: n.first))
_DISTANCE = _Level(
    "true prefix, normalised distance", _read(lambda r: r.prefixes, lambda p: _bounds(p.distance))
)
_CONTINUED = _Count(
    "true prefix, continued exactly", _read(lambda r: r.prefixes, lambda p: p.exact)
)
_EXTRACTED = _Count(
    "data extraction, 35 words written", _read(lambda r: r.extraction, lambda e: e.outputs)
)
_AUC = _Level(
    "membership, AUC of the loss",
    _read(lambda r: r.membership, lambda m: (m.loss.auc, m.loss.low, m.loss.high)),
)
_RANK = _Level("mean rank of the name", _read(lambda r: r.names, lambda n: _bounds(n.rank)))
_MEASURES: tuple[_Count | _Level, ...] = (
    _AUC,
    _DETECTED,
    _RANK,
    _NAMED,
    _DISTANCE,
    _CONTINUED,
    _EXTRACTED,
)


def planted_table(found: Sequence[ModelAttackReport], canaries: Mapping[int, int]) -> str:
    """Return a table of all attacks, by frequency, with a column for each model.

    `canaries`: the frequencies with which records were planted.
    """
    by_arm = _by_arm(found)
    rows: list[tuple[object, ...]] = []
    for measure in _MEASURES:
        for frequency in sorted(canaries, reverse=True):
            cells = [measure.cell(own, planted_group(frequency)) for own in by_arm.values()]
            if any(cell != NO_FIGURE for cell in cells):
                rows.append((measure.title, frequency, *cells))
    seeds = {report.seed for report in found}
    counted = f"{len(seeds)} seed{'s' * (len(seeds) > 1)}."
    return f"{counted}\n\n{table(('attack', 'planted', *by_arm), rows)}"


def verdicts(
    found: Sequence[ModelAttackReport], canaries: Mapping[int, int], texts: str
) -> Iterator[str]:
    """Say for each attack whether it finds records in `plain` rather than in the cipher arms.

    Those that were planted most often are compared: counts by Fisher's exact test, one-sided,
    distances by their intervals. `texts`: what the models read, for the sentence.
    """
    by_arm = _by_arm(found)
    frequency = max(canaries)
    ciphers = {arm.name: by_arm[arm.name] for arm in _CIPHERS if arm.name in by_arm}
    if PLAIN.name not in by_arm or not ciphers:
        return
    for measure in (_NAMED, _DISTANCE, _EXTRACTED, _DETECTED):
        compared = (by_arm[PLAIN.name], ciphers, planted_group(frequency))
        if isinstance(measure, _Count):
            more, figures = _counts(measure, *compared)
        else:
            more, figures = _distances(measure, *compared)
        verdict = "gives away more than each cipher arm" if more else "not shown to give away more"
        attack = f"{texts}, records planted {frequency} times, {measure.title}"
        yield f"* {attack}: `plain` {verdict}. {figures}."


def _counts(
    measure: _Count, plain: _Reports, ciphers: Mapping[str, _Reports], group: str
) -> tuple[bool, str]:
    own = measure.sum(plain, group)
    others = {name: measure.sum(found, group) for name, found in ciphers.items()}
    p = {name: more_often(own, other) for name, other in others.items()}
    figures = [f"`plain` {own.successes} of {own.trials}"] + [
        f"`{name}` {other.successes} of {other.trials} (p = {p[name]:.2g})"
        for name, other in others.items()
    ]
    return max(p.values()) < _LEVEL, ", ".join(figures)


def _distances(
    measure: _Level, plain: _Reports, ciphers: Mapping[str, _Reports], group: str
) -> tuple[bool, str]:
    own = measure.mean(plain, group)
    others = [measure.mean(found, group) for found in ciphers.values()]
    cells = {PLAIN.name: plain, **ciphers}
    figures = ", ".join(f"`{name}` {measure.cell(found, group)}" for name, found in cells.items())
    return all(own and other and own[2] < other[1] for other in others), figures


def more_often(own: Proportion, other: Proportion) -> float:
    """Return the one-sided p value of Fisher's exact test that `own` is the larger share."""
    counts = [[p.successes, p.trials - p.successes] for p in (own, other)]
    return float(stats.fisher_exact(counts, alternative="greater").pvalue)


def _by_arm(found: Sequence[ModelAttackReport]) -> dict[str, list[ModelAttackReport]]:
    """Return the reports of each model that was attacked, over seeds."""
    by_arm = {arm.name: [r for r in found if r.model == arm.name] for arm in ATTACKED}
    return {name: own for name, own in by_arm.items() if own}
