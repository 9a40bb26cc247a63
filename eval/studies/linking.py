"""Measure how precisely mentions of one person are linked, on gold spans with identities.

    --gold tab=tab.jsonl --gold pii-anon=sample.jsonl

*Precision*: of the pairs of mentions that we link, the share that the annotators link. *Recall*:
the converse. Pairs with equal spelling are easy, so the others are also counted separately. A
span's `entity_id` or `cluster` identifies the person; spans without one are left out.
"""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import astuple, dataclass
from itertools import combinations
from pathlib import Path
from typing import Any

from sage_rag.common.proportions import Proportion
from sage_rag.eval.studies.recognition import gold_argument, gold_rows
from sage_rag.eval.studies.runner import StudyResult, StudyRun, page
from sage_rag.eval.studies.tables import table
from sage_rag.privacy.entities import EntityType
from sage_rag.privacy.labels import Scheme, type_of_label
from sage_rag.privacy.people.mentions import link_mentions

_ABOUT = """\
Pairs of mentions inside one record, linked by `privacy.people.mentions` and by annotators. A wrong
link gives two people one stand-in; a missed link only costs meaning, so precision counts more."""
_TITLES = ("set", "records", "mentions", "precision", "recall")


@dataclass(frozen=True, slots=True)
class LinkScore:
    """Pairs of one set; `differing` are pairs with two spellings."""

    name: str
    records: int
    mentions: int
    precision: Proportion
    recall: Proportion
    differing_precision: Proportion
    differing_recall: Proportion


@dataclass
class _PairCounts:
    """Pairs linked by both, by us, by the annotators."""

    both: int = 0
    ours: int = 0
    theirs: int = 0

    def add(self, ours: bool, theirs: bool) -> None:
        self.both += ours and theirs
        self.ours += ours
        self.theirs += theirs


def measure(name: str, records: Sequence[tuple[Sequence[str], Sequence[str]]]) -> LinkScore:
    """Link the mentions of each record, given with the identity of each, and count pairs."""
    every, differing = _PairCounts(), _PairCounts()
    for mentions, people in records:
        numbers = link_mentions(mentions)
        for i, j in combinations(range(len(mentions)), 2):
            pair = numbers[i] == numbers[j], people[i] == people[j]
            every.add(*pair)
            if mentions[i] != mentions[j]:
                differing.add(*pair)
    return LinkScore(
        name=name,
        records=len(records),
        mentions=sum(len(mentions) for mentions, _ in records),
        precision=Proportion.of(every.both, every.ours),
        recall=Proportion.of(every.both, every.theirs),
        differing_precision=Proportion.of(differing.both, differing.ours),
        differing_recall=Proportion.of(differing.both, differing.theirs),
    )


def read_people(path: Path, scheme: Scheme) -> Iterator[tuple[list[str], list[str]]]:
    """Yield each record's mentions of people, and the identity of each."""
    for row in gold_rows(path):
        spans = [s for s in row["spans"] if type_of_label(s["label"], scheme) is EntityType.PERSON]
        known = [(row["text"][s["start"] : s["end"]], who) for s in spans if (who := _identity(s))]
        if known:
            yield [text for text, _ in known], [who for _, who in known]


def _identity(span: Mapping[str, Any]) -> str | None:
    found = (span.get(name) for name in ("entity_id", "cluster"))
    return next((str(identity) for identity in found if identity not in (None, "")), None)


def add_options(parser: ArgumentParser) -> None:
    """Add the gold files."""
    parser.add_argument(
        "--gold", action="append", required=True, help="SCHEME=PATH of jsonl with `spans`"
    )


def run(options: Namespace, run: StudyRun) -> StudyResult:
    """Measure each gold file."""
    scores = []
    for scheme, path in map(gold_argument, options.gold):
        people = list(read_people(path, scheme))
        scores.append(measure(f"{path.parent.name}/{path.name}", people))
    titles = (*_TITLES, "precision, spelt differently", "recall, spelt differently")
    rows = table(titles, map(astuple, scores))
    return StudyResult(page("Mentions of one person", _ABOUT, run, rows), scores)
