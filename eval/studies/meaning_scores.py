"""Compare the gate's findings about drafts with the marks made by hand, and count both."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from sage_rag.common.proportions import Proportion
from sage_rag.eval.studies.meaning_pairs import Change, MeaningPair, Position, overlap
from sage_rag.privacy.gate.findings import Finding, FindingKind

MeaningJudge = Callable[[Mapping[str, str], Mapping[str, str]], Sequence[Finding]]
"""Takes the fields of a record and of its draft; positions are those in the joined draft."""


@dataclass(frozen=True)
class PairResult:
    """The gate's findings about one pair."""

    pair: MeaningPair
    findings: tuple[Finding, ...]

    @cached_property
    def found(self) -> tuple[bool, ...]:
        """Whether each change of the pair was found."""
        return tuple(map(self._finds, self.pair.changes))

    @cached_property
    def unmarked(self) -> tuple[Position, ...]:
        """The draft's sentences without a mark."""
        marked = {s for c in self.pair.changes if c.draft for s in self.pair.altered_sentences(c)}
        return tuple(s for s in self.pair.sentences if s not in marked)

    @cached_property
    def flagged(self) -> tuple[Position, ...]:
        """The sentences without a mark in which a change was reported."""
        return tuple(s for s in self.unmarked if self._reported(s))

    def _finds(self, change: Change) -> bool:
        if change.draft:
            return any(map(self._reported, self.pair.altered_sentences(change)))
        field = self.pair.altered_field(change)
        positions = [_position(f) for f in self.findings if _is_lost_question(f)]
        return any(p is None or overlap(p, field) for p in positions)

    def _reported(self, sentence: Position) -> bool:
        """Return whether a finding other than a lost question lies in a sentence."""
        positions = [_position(f) for f in self.findings if not _is_lost_question(f)]
        return any(p is not None and overlap(p, sentence) for p in positions)


def _is_lost_question(finding: Finding) -> bool:
    return finding.kind is FindingKind.QUESTION_LOST


def _position(finding: Finding) -> Position | None:
    if finding.start is None or finding.end is None:
        return None
    return finding.start, finding.end


def judge(pairs: Iterable[MeaningPair], changes: MeaningJudge) -> list[PairResult]:
    """Return the findings about each pair."""
    return [PairResult(pair, tuple(changes(pair.source, pair.draft))) for pair in pairs]


def found(results: Iterable[PairResult], kind: str | None = None) -> Proportion:
    """Return the share of changes found, of all kinds or of one."""
    hits = [
        hit
        for r in results
        for change, hit in zip(r.pair.changes, r.found, strict=True)
        if kind in (None, change.kind)
    ]
    return Proportion.of(sum(hits), len(hits))


@dataclass(frozen=True, slots=True)
class Scores:
    """What the gate finds, and what it finds falsely, in some pairs."""

    changes: Proportion
    altered_drafts: Proportion
    faithful_drafts: Proportion
    unmarked_sentences: Proportion

    @classmethod
    def of(cls, results: Sequence[PairResult]) -> Scores:
        """Count."""
        altered = [bool(r.findings) for r in results if r.pair.changes]
        faithful = [bool(r.findings) for r in results if not r.pair.changes]
        flagged = sum(len(r.flagged) for r in results)
        unmarked = sum(len(r.unmarked) for r in results)
        return cls(
            found(results),
            Proportion.of(sum(altered), len(altered)),
            Proportion.of(sum(faithful), len(faithful)),
            Proportion.of(flagged, unmarked),
        )

    @property
    def cells(self) -> tuple[Proportion, ...]:
        """The columns of a table, under `_TITLES`."""
        drafts = (self.altered_drafts, self.faithful_drafts)
        return (self.changes, *drafts, self.unmarked_sentences)
