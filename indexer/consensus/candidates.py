"""Candidates: the statements of a topic that its subjects support."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from sage_rag.indexer.consensus.denials import Sense, is_denied
from sage_rag.indexer.consensus.phrases import LED, Phrase
from sage_rag.indexer.consensus.spellings import usual_spelling
from sage_rag.indexer.consensus.statements import Statement
from sage_rag.privacy.gate.support import SupportGate, content_stems

_Key = tuple[str, ...]
"""The case-folded words of a statement."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """A statement that may be published. `share`: of the topic's subjects, who support it, or state
    it if it is a clause.

    `place`: where records say it on average, from 0 (their beginning) to 1.
    """

    key: _Key
    text: str
    stems: frozenset[str]
    share: float
    place: float
    phrase: Phrase


class Forms:
    """How the records of a corpus say each statement of a field."""

    def __init__(
        self, found: Sequence[Sequence[Statement]], subjects: Sequence[str], k: int
    ) -> None:
        """`found`: the statements by record; `subjects`: whose each record is."""
        spellings: dict[_Key, Counter[str]] = defaultdict(Counter)
        said = {phrase: defaultdict[_Key, set[str]](set) for phrase in Phrase}
        for statements, subject in zip(found, subjects, strict=True):
            for statement in statements:
                spellings[statement.key][statement.text] += 1
                said[statement.phrase][statement.key].add(subject)
        self._chosen = {key: usual_spelling(counts) for key, counts in spellings.items()}
        self._said_by_k = {
            phrase: {key: len(own) for key, own in found.items() if len(own) >= k}
            for phrase, found in said.items()
        }

    def spelling(self, key: _Key) -> str:
        """Return the spelling that is published."""
        return self._chosen[key]

    def phrase(self, key: _Key, found: Iterable[Phrase]) -> Phrase | None:
        """Return what a statement is where records say it as `found`; `None` for nothing.

        A clause is stated by k subjects of the corpus. "Start treatment" is no clause where one
        subject advises it and others only mention it. A topic is possible, or advised, if k
        subjects of the corpus name it so, and one of these records; of both, what more of them say.
        """
        if key in self._said_by_k[Phrase.CLAUSE]:
            return Phrase.CLAUSE
        here = set(found)
        if here <= {Phrase.CLAUSE}:
            return None
        named = [phrase for phrase in LED if phrase in here and key in self._said_by_k[phrase]]
        return max(named, key=lambda phrase: self._said_by_k[phrase][key], default=Phrase.TOPIC)


@dataclass(frozen=True, slots=True)
class TopicRecord:
    """What one record of a topic says in a field: its statements, and its sentences (`senses`).

    `subject`: whose record it is.
    """

    subject: str
    statements: Sequence[Statement]
    senses: Sequence[Sense]


def candidates(
    records: Sequence[TopicRecord],
    subjects: frozenset[str],
    gate: SupportGate,
    forms: Forms,
) -> list[Candidate]:
    """Return the supported statements of a topic, by key, that are not parts of others alone.

    What more records of the topic deny than say is left out: "you should take it", where most of
    them advise against it.
    """
    said: dict[_Key, list[Statement]] = defaultdict(list)
    stating: dict[_Key, set[str]] = defaultdict(set)
    for record in records:
        for statement in record.statements:
            said[statement.key].append(statement)
            stating[statement.key].add(record.subject)
    senses = [record.senses for record in records]
    supported = []
    for key in sorted(key for key, own in said.items() if not all(s.part for s in own)):
        text = forms.spelling(key)
        stems = content_stems(text)
        holders = gate.support(stems, subjects)
        phrase = forms.phrase(key, (statement.phrase for statement in said[key]))
        if phrase is None or holders < gate.k or is_denied(stems, key, senses):
            continue
        place = sum(statement.place for statement in said[key]) / len(said[key])
        count = len(stating[key]) if phrase is Phrase.CLAUSE else holders
        share = count / len(subjects)
        supported.append(Candidate(key, text, stems, share, place, phrase))
    return supported
