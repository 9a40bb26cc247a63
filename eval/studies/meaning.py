"""Show which changes of meaning the gate finds in drafts that were marked by hand.

The page lists the changes that it misses, and the faithful sentences that it refuses.
"""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from sage_rag.common.proportions import Proportion
from sage_rag.eval.studies.meaning_pairs import (
    KINDS,
    Change,
    Half,
    MeaningPair,
    Position,
    meaning_pairs,
    overlap,
)
from sage_rag.eval.studies.runner import StudyResult, StudyRun, page, report
from sage_rag.eval.studies.tables import cell, table
from sage_rag.privacy.gate.findings import Finding, FindingKind
from sage_rag.privacy.gate.meaning import meaning_changes

MeaningJudge = Callable[[Mapping[str, str], Mapping[str, str]], Sequence[Finding]]
"""Takes the fields of a record and of its draft; positions are those in the joined draft."""

_ABOUT = """\
`eval/gold/meaning.jsonl` holds invented records of four domains, each with a draft in the style of
the rules or of a model. Every change of meaning is marked by hand; some drafts have none, although
they are reworded as much. The set was written without knowledge of the gate's code.

* *Found*: the gate reports a change in the sentence of the marked quote, of any kind. A lost
  question is found only by a finding of that kind in its field.
* *Falsely flagged*: the gate reports a change in a draft without one, or in a sentence without a
  mark.

The half *development* was open to the gate's author after the first measurement. The half
*held-out* was not, so that only its figures are estimates for other texts; the page names its
errors by id alone. Its totals were read 13 times while the gate was improved, its counts by kind
eight times, and one rule was left out by them; no text of it was."""


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


_TITLES = (
    "changes found",
    "altered drafts refused",
    "faithful drafts falsely flagged",
    "unmarked sentences falsely flagged",
)
_FIRST_COMMIT = "4ca75c4"
FIRST: Mapping[str, tuple[tuple[int, int], ...]] = {
    Half.DEVELOPMENT: ((83, 111), (39, 40), (13, 24), (75, 394)),
    Half.HELD_OUT: ((84, 111), (40, 40), (12, 24), (76, 412)),
}
"""The first measurement of each half: counts and totals, by `_TITLES`."""


def scores(results: Sequence[PairResult]) -> dict[str, Scores]:
    """Return the scores of each half and of all pairs."""
    halves = {str(h): Scores.of([r for r in results if r.pair.half is h]) for h in Half}
    return {**halves, "all": Scores.of(results)}


def tables(results: Sequence[PairResult]) -> str:
    """Return the scores and the errors, as Markdown."""
    halves = [(name, *score.cells) for name, score in scores(results).items()]
    blocks = [table(("half", *_TITLES), halves), _first()]
    for name in ("style", "domain"):
        groups = dict.fromkeys(getattr(r.pair, name) for r in results)
        parts = {g: [r for r in results if getattr(r.pair, name) == g] for g in groups}
        lines = [(group, *Scores.of(part).cells) for group, part in parts.items()]
        blocks.append(table((name, *_TITLES), lines))
    kinds = table(("kind", "direction", *Half), _by_kind(results))
    errors = (f"## Missed\n\n{_missed(results)}", f"## Falsely flagged\n\n{_flagged(results)}")
    return "\n\n".join([*blocks, f"## Changes found, by kind\n\n{kinds}", *errors])


def _by_kind(results: Sequence[PairResult]) -> Iterator[list[object]]:
    for kind, direction in KINDS.items():
        yield [
            kind,
            direction,
            *(found((r for r in results if r.pair.half is h), kind) for h in Half),
        ]


def _missed(results: Iterable[PairResult]) -> str:
    """Return the missed changes: a table of the development half, ids of the other one."""
    missed = [
        (r.pair, change)
        for r in results
        for change, hit in zip(r.pair.changes, r.found, strict=True)
        if not hit
    ]
    lines = [
        (pair.id, change.kind, _code(change.draft), _code(change.source))
        for pair, change in missed
        if pair.half is Half.DEVELOPMENT
    ]
    others = [f"{pair.id} ({c.kind})" for pair, c in missed if pair.half is Half.HELD_OUT]
    return f"{table(('pair', 'kind', 'draft', 'source'), lines)}\n\n{_held_out(others)}"


def _flagged(results: Iterable[PairResult]) -> str:
    """Return the sentences flagged falsely: those of the development half, ids of the other one."""
    flagged = [r for r in results if r.flagged]
    lines = [
        (r.pair.id, _code(r.pair.text[start:end].strip()))
        for r in flagged
        if r.pair.half is Half.DEVELOPMENT
        for start, end in r.flagged
    ]
    others = [f"{r.pair.id} ({len(r.flagged)})" for r in flagged if r.pair.half is Half.HELD_OUT]
    return f"{table(('pair', 'sentence'), lines)}\n\n{_held_out(others)}"


def _held_out(names: Sequence[str]) -> str:
    return f"In the held-out half: {', '.join(names) or 'no pair'}."


def _code(text: str) -> str:
    """Return a text as code in one cell of a table."""
    return f"`{cell(text)}`" if text else ""


def _first() -> str:
    """Return the first measurement of each half and of both."""
    both = np.sum(list(FIRST.values()), axis=0).tolist()
    lines = [
        (half, *(Proportion.of(count, of) for count, of in counts))
        for half, counts in {**FIRST, "all": both}.items()
    ]
    note = "First measurement, before any change made with this set in view"
    return f"{note} (commit {_FIRST_COMMIT}):\n\n{table(('half', *_TITLES), lines)}"


def add_options(parser: ArgumentParser) -> None:
    """The study has no options of its own."""


def run(options: Namespace, run: StudyRun) -> StudyResult:
    """Judge the gate's measure of meaning."""
    results = judge(meaning_pairs(), meaning_changes)
    measured = scores(results)
    report(f"changes found: {measured['all'].changes}")
    return StudyResult(page("Changes of meaning", _ABOUT, run, tables(results)), measured)
