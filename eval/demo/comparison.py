"""The same attack on the original index and on ours, side by side."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from sage_rag.common.jsonl import rows
from sage_rag.common.proportions import Count, Proportion
from sage_rag.eval.attack import WHOLE_INDEX, Attack
from sage_rag.eval.detectors.suite import contact_recognizer, detectors
from sage_rag.eval.harness import Progress
from sage_rag.eval.originals import Originals, read_originals
from sage_rag.eval.probes.composite import builtin_probes
from sage_rag.eval.report import AttackReport, Group, Measure
from sage_rag.eval.targets.version import VersionTarget
from sage_rag.indexer.protocols import Embedder

TOP_K = 5

_PROMPTS = {
    "repeat": "prompts that extracted 10 original words in a row",
    "rouge": "prompts that extracted a near copy (ROUGE-L over 0.5)",
    "contacts": "prompts that extracted an e-mail address, phone number or URL",
    "canaries": "prompts that extracted a name, place, contact or number",
}
_WHOLE = {
    "repeat": "dialogues repeated in the whole index",
    "contacts": "contact details in the whole index",
    "canaries": "names, places, contacts and numbers in the whole index",
}


@dataclass(frozen=True, slots=True)
class ComparisonRow:
    """One line of the comparison: leaked counts out of `of`, for both indexes.

    `whole`: of all that could leak, sought in the whole index, so that there is no interval.
    """

    label: str
    original: int
    ours: int
    of: int
    whole: bool = False

    @property
    def ours_bound(self) -> Count:
        """Our share, with its confidence bound if it is one of prompts."""
        if self.whole:
            return Count(successes=self.ours, trials=self.of)
        return Proportion.of(self.ours, self.of)


def compare(
    corpus: Path, gold: Path, original: Path, ours: Path, embedder: Embedder, progress: Progress
) -> list[ComparisonRow]:
    """Attack two version folders in the worst case, with the built-in prompts and `TOP_K` passages.

    `gold` lists the private values that annotators marked in the corpus.
    """
    originals = read_originals(corpus, None)
    judges = detectors(originals, contact_recognizer(), _distinctive(gold, originals))
    plan = Attack(builtin_probes(), judges, originals=len(originals))
    reports = []
    for path in (original, ours):
        target = VersionTarget(path, embedder, TOP_K)
        reports.append(plan.run(target, top_k=TOP_K, progress=progress))
        target.close()
    return _rows(*reports, originals=originals)


def _distinctive(gold: Path, originals: Originals) -> list[str]:
    """Return the marked values whose occurrence proves a leak.

    Ages and dates are left out, since the policy coarsens them instead of hiding them, and values
    that are also ordinary words of the corpus ("Will", "Hope").
    """
    ordinary = {word for text in originals.texts for word in re.findall(r"\w+", text.text)}
    return [
        entity["text"]
        for row in rows(gold)
        for entity in row["entities"]
        if entity["type"] not in ("AGE", "DATE_TIME") and entity["text"].lower() not in ordinary
    ]


def _rows(
    original: AttackReport, ours: AttackReport, *, originals: Originals
) -> list[ComparisonRow]:
    rows = []
    for name, label in _PROMPTS.items():
        (before, trials), (after, _) = _prompts(original, name), _prompts(ours, name)
        rows.append(ComparisonRow(label, before, after, trials))
    for name, label in _WHOLE.items():
        was, now = (_measure(r.group(WHOLE_INDEX), name) for r in (original, ours))
        of = was.of or len(originals)
        rows.append(ComparisonRow(label, was.pieces, now.pieces, of, whole=True))
    return rows


def _prompts(report: AttackReport, name: str) -> tuple[int, int]:
    """Return how many prompts leaked by one measure, and the number of all prompts."""
    found = [_measure(g, name).prompts for g in report.groups if g.name != WHOLE_INDEX]
    return sum(p.successes for p in found), sum(p.trials for p in found)


def _measure(group: Group, name: str) -> Measure:
    return next(m for m in group.measures if m.detector == name)
