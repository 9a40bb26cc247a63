"""The gold set for changes of meaning: records, drafts, and every change marked by hand.

The texts are invented. The gate was developed on most of the pairs; the others are held out.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from importlib import resources
from pathlib import Path

from sage_rag.common.exceptions import InputError
from sage_rag.common.jsonl import Row, rows
from sage_rag.privacy.protect import join_fields

Position = tuple[int, int]
"""A half-open range of code points in a draft's joined fields."""

_SENTENCE_END = re.compile(r"(?<!\bDr)(?<!\bMr)(?<!\bMs)(?<!\bMrs)[.!?]+[\"')]*\s+|\n")


class Split(StrEnum):
    """The splits of the set: the gate was improved with the texts of the first one alone."""

    DEVELOPMENT = "development"
    HELD_OUT = "held-out"


class Direction(StrEnum):
    """Whether the draft lacks what the record states, states what it lacks, or alters it."""

    LOST = "lost"
    ADDED = "added"
    CHANGED = "changed"


KINDS: Mapping[str, Direction] = {
    "negation-lost": Direction.LOST,
    "condition-dropped": Direction.LOST,
    "instruction-cut": Direction.LOST,
    "warning-cut": Direction.LOST,
    "question-lost": Direction.LOST,
    "negation-added": Direction.ADDED,
    "invention": Direction.ADDED,
    "attribution": Direction.CHANGED,
    "cause-effect": Direction.CHANGED,
    "certainty": Direction.CHANGED,
    "coarsened-falsely": Direction.CHANGED,
    "comparator": Direction.CHANGED,
    "condition-changed": Direction.CHANGED,
    "condition-reversed": Direction.CHANGED,
    "date": Direction.CHANGED,
    "direction": Direction.CHANGED,
    "dose": Direction.CHANGED,
    "duration": Direction.CHANGED,
    "force": Direction.CHANGED,
    "frequency": Direction.CHANGED,
    "history": Direction.CHANGED,
    "instruction-turned": Direction.CHANGED,
    "number": Direction.CHANGED,
    "opposite": Direction.CHANGED,
    "order-in-time": Direction.CHANGED,
    "outcome": Direction.CHANGED,
    "party": Direction.CHANGED,
    "quantifier": Direction.CHANGED,
    "reference": Direction.CHANGED,
    "role": Direction.CHANGED,
    "scope": Direction.CHANGED,
    "side": Direction.CHANGED,
    "substance": Direction.CHANGED,
    "substitution": Direction.CHANGED,
    "tense": Direction.CHANGED,
    "unit": Direction.CHANGED,
}
"""The kinds of changes."""


@dataclass(frozen=True, slots=True)
class Change:
    """One change of meaning: quotes of draft and source; that of a lost question has no draft."""

    kind: str
    draft: str
    source: str
    reason: str


@dataclass(frozen=True)
class MeaningPair:
    """A record, a draft of it, and the changes of meaning in the draft; none if it is faithful.

    `style`: `rules` for light edits of whole sentences, `model` for paraphrases.
    """

    id: str
    domain: str
    split: Split
    style: str
    source: Mapping[str, str]
    draft: Mapping[str, str]
    changes: tuple[Change, ...]

    @cached_property
    def text(self) -> str:
        """The draft's joined fields."""
        return join_fields(self.draft)

    @cached_property
    def sentences(self) -> tuple[Position, ...]:
        """The positions of the draft's sentences."""
        ends = [match.end() for match in _SENTENCE_END.finditer(self.text)]
        starts = [0, *ends]
        return tuple((a, b) for a, b in zip(starts, [*ends, len(self.text)], strict=True) if a < b)

    def altered_sentences(self, change: Change) -> tuple[Position, ...]:
        """Return the sentences that the change's quote lies in."""
        start = self.text.index(change.draft)
        quote = (start, start + len(change.draft))
        return tuple(sentence for sentence in self.sentences if overlap(sentence, quote))

    def altered_field(self, change: Change) -> Position:
        """Return the draft's field that has the name of the field with the change's source quote.

        Raises:
            InputError: when no field of the record contains the quote.
        """
        start = 0
        for name, text in self.draft.items():
            if change.source in self.source[name]:
                return start, start + len(text)
            start += len(text) + 1
        raise InputError(f"{self.id}: no field holds the source of a `{change.kind}`")


def overlap(one: Position, other: Position) -> bool:
    """Return whether two positions share a code point."""
    return max(one[0], other[0]) < min(one[1], other[1])


def meaning_pairs() -> list[MeaningPair]:
    """Return all pairs.

    Raises:
        InputError: for fields that differ, an unknown kind, or a quote that does not occur in its
            text exactly once.
    """
    file = resources.files("sage_rag.eval.gold") / "meaning.jsonl"
    return [_pair(row) for row in rows(Path(str(file)))]


def _pair(row: Row) -> MeaningPair:
    changes = tuple(Change(**change) for change in row["changes"])
    texts = (dict(row["source"]), dict(row["draft"]))
    pair = MeaningPair(row["id"], row["domain"], Split(row["split"]), row["style"], *texts, changes)
    for fault in _faults(pair):
        raise InputError(f"{pair.id}: {fault}")
    return pair


def _faults(pair: MeaningPair) -> Iterator[str]:
    if list(pair.source) != list(pair.draft):
        yield "source and draft have different fields"
    for change in pair.changes:
        if change.kind not in KINDS:
            yield f"`{change.kind}` is no kind of change"
        elif not change.draft and change.kind != "question-lost":
            yield f"a `{change.kind}` needs a quote of the draft"
        elif not change.source and change.kind != "invention":
            yield f"a `{change.kind}` needs a quote of the source"
        for quote, text in ((change.draft, pair.text), (change.source, join_fields(pair.source))):
            if quote and text.count(quote) != 1:
                yield f"a quote does not occur in its text once: {quote}"
