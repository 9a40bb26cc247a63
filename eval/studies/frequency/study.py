"""Measure what part words add to search, and what they reveal to a thief of the index.

    --mails mails.jsonl

Each line of `--mails` has a `body`. Only counts of it leave this process.
"""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from sage_rag.common.jsonl import read_jsonl
from sage_rag.common.proportions import Proportion
from sage_rag.eval.studies.frequency.inference import (
    AttackerKnowledge,
    by_parts,
    by_rank,
    by_structure,
)
from sage_rag.eval.studies.frequency.observer import CIPHERS, ObservedIndex, parts_of
from sage_rag.eval.studies.frequency.page import ABOUT, TITLE, blocks
from sage_rag.eval.studies.frequency.people import family_names, given_names, patients
from sage_rag.eval.studies.frequency.search import search_scores
from sage_rag.eval.studies.runner import StudyResult, StudyRun, page
from sage_rag.eval.studies.study_home import StudyHome
from sage_rag.privacy.blind_index import PartWords
from sage_rag.privacy.entities import EntityType
from sage_rag.privacy.protocols import Recognizer
from sage_rag.privacy.recognizers.default import default_recognizer
from sage_rag.privacy.spans import resolve_overlaps

SIZES = (500, 5000)
_SEED = 0
_DICTIONARY = 20_000
"""How many of the most frequent full names an attacker tries; no corpus here has as many values."""

Names = list[list[str]]
"""The distinct names of each record."""


@dataclass(frozen=True, slots=True)
class RecoveryScore:
    """The values that one attacker recovers from one index, distinct and by occurrence in records.

    `parts` counts part words whose name is recovered; `None` if the index holds no part words.
    """

    corpus: str
    cipher: str
    part_words: PartWords
    attacker: str
    values: Proportion
    occurrences: Proportion
    parts: Proportion | None


def attack(
    corpus: str, names: Names, known: Mapping[str, AttackerKnowledge]
) -> list[RecoveryScore]:
    """Attack an index of the names under every cipher; `known`: knowledge by attacker."""
    (guess, _), *_ = Counter(name for record in names for name in record).most_common(1)
    right = {name: name == guess for record in names for name in record}
    recoveries = [
        _StolenIndex(corpus, names, "any", PartWords.NONE).score(
            "the most frequent name for all", right
        )
    ]
    for cipher in CIPHERS:
        own_key = ObservedIndex(cipher, PartWords.NONE)
        for part_words in PartWords:
            stolen = _StolenIndex(corpus, names, cipher, part_words)
            recoveries += [stolen.by_frequency(own_key, *attacker) for attacker in known.items()]
            recoveries += [stolen.with_the_list(counted=counted) for counted in (False, True)]
    return recoveries


@dataclass(frozen=True, slots=True)
class _StolenIndex:
    """An index of names under one cipher, and the attacks on it."""

    corpus: str
    names: Names
    cipher: str
    part_words: PartWords

    def by_frequency(
        self, own_key: ObservedIndex, attacker: str, known: AttackerKnowledge
    ) -> RecoveryScore:
        """Attack with the frequencies of names."""
        observed = ObservedIndex(self.cipher, self.part_words)
        records = [[observed.value(name) for name in record] for record in self.names]
        whole = by_rank(records, known.names, lambda name: own_key.value(name).shape, _SEED)
        distinct = {name for record in self.names for name in record}
        if self.part_words is PartWords.NONE:
            right = {name: whole.get(observed.value(name).ciphertext) == name for name in distinct}
            return self.score(attacker, right)
        guessed = by_parts(records, known, _SEED)
        hits = {word: guessed.get(word) == part for word, part in observed.truth.items()}
        right = {
            name: all(hits[word] for word in observed.value(name).parts)
            if len(observed.value(name).parts) == len(parts_of(name)) > 0
            else whole.get(observed.value(name).ciphertext) == name
            for name in distinct
        }
        return self.score(attacker, right, Proportion.of(sum(hits.values()), len(hits)))

    def with_the_list(self, *, counted: bool) -> RecoveryScore:
        """Attack with a list of exactly the people in the index, perhaps with record counts."""
        observed, own_key = (ObservedIndex(self.cipher, self.part_words) for _ in range(2))
        records = Counter(name for record in self.names for name in record)
        counts = {name: count * counted for name, count in records.items()}
        guessed = by_structure(
            {observed.value(name): count for name, count in counts.items()},
            {name: (own_key.value(name), count) for name, count in counts.items()},
            _SEED,
        )
        right = {name: guessed.get(observed.value(name).ciphertext) == name for name in counts}
        attacker = "list of the names, with counts" if counted else "list of the names"
        return self.score(attacker, right)

    def score(
        self, attacker: str, right: Mapping[str, bool], parts: Proportion | None = None
    ) -> RecoveryScore:
        """Return the score of an attack; `right`: whether each name was guessed."""
        occurrences = [right[name] for record in self.names for name in record]
        return RecoveryScore(
            corpus=self.corpus,
            cipher=self.cipher,
            part_words=self.part_words,
            attacker=attacker,
            values=Proportion.of(sum(right.values()), len(right)),
            occurrences=Proportion.of(sum(occurrences), len(occurrences)),
            parts=parts,
        )


def census(*, alone: float) -> AttackerKnowledge:
    """Return weights of full names by census figures; the share `alone` is given names alone."""
    given, family = given_names(), family_names()
    scale = (1 - alone) / (sum(given.values()) * sum(family.values()))
    full = {f"{g} {f}": v * w * scale for g, v in given.items() for f, w in family.items()}
    likely = dict(sorted(full.items(), key=lambda item: -item[1])[:_DICTIONARY])
    singles = {g: v * alone / sum(given.values()) for g, v in given.items()} if alone else {}
    first, last = _spelled_as_parts(given), _spelled_as_parts(family)
    lone = {n: alone * first.get(n, 0.0) + (1 - alone) * last.get(n, 0.0) for n in {*first, *last}}
    return AttackerKnowledge(likely | singles, first, last, {n: w for n, w in lone.items() if w})


def _spelled_as_parts(weights: Mapping[str, float]) -> dict[str, float]:
    spelled: dict[str, float] = {}
    total = sum(weights.values())
    for name, weight in weights.items():
        for part in parts_of(name):
            spelled[part] = spelled.get(part, 0.0) + weight / total
    return spelled


def elsewhere(names: Names) -> AttackerKnowledge:
    """Learn from other records: names by records, parts by distinct names that hold them.

    The last of several parts is a family name; the first, or a single part, is a given name.
    """
    records = Counter(name for record in names for name in record)
    parts = [parts_of(name) for name in records]
    given = Counter(of[0] for of in parts if of)
    family = Counter(of[-1] for of in parts if len(of) > 1)
    lone = Counter(of[-1] for of in parts if of)
    return AttackerKnowledge(records, given, family, lone)


def people_in(texts: Iterable[str], recognizer: Recognizer) -> Names:
    """Return the distinct recognised people of each text; texts without people are left out."""
    found = []
    for text in texts:
        spans = resolve_overlaps(recognizer.recognize(text))
        people = [text[s.start : s.end] for s in spans if s.entity_type is EntityType.PERSON]
        found.append(list(dict.fromkeys(people)))
    return [people for people in found if people]


def attacks(mails: Sequence[Path]) -> Iterator[RecoveryScore]:
    """Attack the invented corpora and the people of real mails."""
    for size in SIZES:
        names = [list(patient.names) for patient in patients(size, _SEED)]
        yield from attack(f"invented, {size} records", names, {"census": census(alone=0.0)})
    if mails:
        records = people_in(_texts(mails), default_recognizer())
        # Every other mail, so that both halves hold the same threads and years.
        attacked, others = records[::2], records[1::2]
        known = {"census": census(alone=0.5), "the other half of the mails": elsewhere(others)}
        yield from attack(f"mails, {len(attacked)} that name people", attacked, known)


def _texts(mails: Sequence[Path]) -> Iterator[str]:
    for path in mails:
        yield from (text for _, text in read_jsonl(path, lambda row: str(row["body"])))


def add_options(parser: ArgumentParser) -> None:
    """Add the mails."""
    parser.add_argument("--mails", type=Path, action="append", default=[], help="jsonl with `body`")


def run(options: Namespace, run: StudyRun) -> StudyResult:
    """Measure gain and leakage of part words."""
    recoveries = list(attacks(options.mails))
    searches = list(search_scores(StudyHome(run.home)))
    written = page(TITLE, ABOUT, run, *blocks(recoveries, searches))
    return StudyResult(written, {"recoveries": recoveries, "searches": searches})
