"""Measure a recognizer on gold values: recall, precision and calibration.

    measure(recognizer, golds) -> Report
    markdown({"tab": report, ...}) -> one table per set

`privacy.recognizers.scores` counts values and precision. Calibration: spans of one type are sorted
into ten bins by score; the expected calibration error is the mean distance between a bin's mean
score and its share of right spans, weighted by spans. A recognizer returns only spans above its
threshold, so this covers no lower scores.

Source: Guo et al. (2017), arXiv 1706.04599, §2, eq. 3. Differs: spans instead of classified items.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from sage_rag.common.proportions import Proportion
from sage_rag.privacy.entities import EntityType
from sage_rag.privacy.protocols import Recognizer
from sage_rag.privacy.recognizers.scores import (
    GoldText,
    GoldValue,
    RecognitionCounts,
    decidable,
    is_right,
    shares,
)
from sage_rag.privacy.spans import resolve_overlaps
from sage_rag.training.recognition.examples import Example

_BINS = 10


@dataclass(frozen=True, slots=True)
class CalibrationError:
    """The mean distance of scores from the share of right spans, over `spans` spans."""

    error: float
    spans: int


@dataclass(frozen=True, slots=True)
class Report:
    """Figures over some texts.

    `found`: values covered by spans of any type, by label of the set; `named`: by spans of an
    accepted type. `by_risk`: `found` by the annotators' assessment (DIRECT, QUASI). `right`: spans
    that touch a value of their type. `precision`: of letters and digits.
    """

    texts: int
    found: Mapping[str, Proportion]
    named: Mapping[str, Proportion]
    by_risk: Mapping[str, Proportion]
    right: Mapping[EntityType, Proportion]
    precision: Proportion
    calibration: Mapping[EntityType, CalibrationError]

    @property
    def all_found(self) -> Proportion:
        """Return the share of all values that spans of any type cover."""
        found = self.found.values()
        return Proportion.of(sum(p.successes for p in found), sum(p.trials for p in found))


def gold_of(example: Example) -> GoldText:
    """Return the spans of an example as gold values."""
    values = (
        GoldValue(s.start, s.end, str(s.entity_type), frozenset({s.entity_type}))
        for s in example.spans
    )
    return GoldText(example.text, tuple(values), example.annotated, example.unsure)


def measure(recognizer: Recognizer, golds: Iterable[GoldText]) -> Report:
    """Run a recognizer over texts and compare its spans with the gold values."""
    counts = RecognitionCounts()
    scored: dict[EntityType, list[tuple[float, bool]]] = {}
    texts = 0
    for gold in golds:
        texts += 1
        spans = resolve_overlaps(recognizer.recognize(gold.text))
        counts.add(gold, spans)
        for span in decidable(gold, spans):
            outcome = (span.score, is_right(span, gold.values))
            scored.setdefault(span.entity_type, []).append(outcome)
    return Report(
        texts=texts,
        found=shares(counts.found, counts.marked),
        named=shares(counts.named, counts.marked),
        by_risk=shares(counts.found_by_risk, counts.marked_by_risk),
        right=shares(counts.right, counts.flagged),
        precision=counts.precision,
        calibration={kind: calibration_error(scored[kind]) for kind in sorted(scored)},
    )


def calibration_error(scored: Sequence[tuple[float, bool]]) -> CalibrationError:
    """Compute the expected calibration error of (score, right) pairs; scores in [0, 1]."""
    bins: list[list[tuple[float, bool]]] = [[] for _ in range(_BINS)]
    for score, right in scored:
        bins[min(int(score * _BINS), _BINS - 1)].append((score, right))
    off = sum(abs(sum(score - right for score, right in one)) for one in bins)
    return CalibrationError(off / len(scored) if scored else 0.0, len(scored))


def markdown(reports: Mapping[str, Report]) -> str:
    """Return one table per set, each figure with its denominator and 95 % interval."""
    return "\n\n".join(_section(name, report) for name, report in reports.items()) + "\n"


def comparison(before: Mapping[str, Report], after: Mapping[str, Report]) -> str:
    """Return the figures before and after side by side, for each set that both contain."""
    return "\n\n".join(_pair(name, before[name], after[name]) for name in before if name in after)


def calibration_table(reports: Mapping[str, Report]) -> str:
    """Return the expected calibration error per set and type."""
    lines = ["| set | type | spans | expected calibration error |", "| --- | --- | --- | --- |"]
    lines += [
        f"| {name} | {kind} | {found.spans} | {found.error:.3f} |"
        for name, report in reports.items()
        for kind, found in report.calibration.items()
    ]
    return "\n".join(lines)


def _section(name: str, report: Report) -> str:
    lines = [
        f"### {name} ({report.texts} texts)",
        "",
        "| values | covered | covered under their type |",
        "| --- | --- | --- |",
        *(f"| {k} | {found} | {report.named[k]} |" for k, found in report.found.items()),
        *(f"| {risk} | {found} | |" for risk, found in report.by_risk.items()),
        f"| all | {report.all_found} | |",
        "",
        f"Character precision: {report.precision}",
        "",
        "| spans | right |",
        "| --- | --- |",
        *(f"| {kind} | {share} |" for kind, share in report.right.items()),
    ]
    return "\n".join(lines)


def _pair(name: str, before: Report, after: Report) -> str:
    rows = [
        *((label, before.found[label], after.found[label]) for label in before.found),
        *((risk, before.by_risk[risk], after.by_risk[risk]) for risk in before.by_risk),
        ("all", before.all_found, after.all_found),
        ("character precision", before.precision, after.precision),
    ]
    head = f"### {name} ({before.texts} texts)\n\n| values covered | before | after |\n"
    return head + "\n".join(["| --- | --- | --- |", *(f"| {k} | {b} | {a} |" for k, b, a in rows)])
