"""Compose the passages of a corpus: what at least k subjects say, by topic."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain

import numpy as np

from sage_rag.common.progress import Progress
from sage_rag.indexer.consensus.candidates import Candidate, Forms, TopicRecord, candidates
from sage_rag.indexer.consensus.denials import senses
from sage_rag.indexer.consensus.digests import (
    Digest,
    digest,
    digest_vectors,
    joint_vectors,
)
from sage_rag.indexer.consensus.heads import list_heads
from sage_rag.indexer.consensus.options import ConsensusOptions
from sage_rag.indexer.consensus.selection import choose
from sage_rag.indexer.consensus.statements import StatementRules
from sage_rag.indexer.consensus.topics import group_records
from sage_rag.indexer.consensus.word_classes import word_classes
from sage_rag.indexer.consensus.writer import write
from sage_rag.indexer.embedding import CachedEmbedder
from sage_rag.indexer.protocols import Embedder, Vectors
from sage_rag.privacy.gate.findings import FindingKind
from sage_rag.privacy.gate.support import SupportCounts, SupportGate

_TOPICS_AT_ONCE = 64
"""Topics whose statements are embedded in one call."""


@dataclass(frozen=True, slots=True)
class ConsensusRecord:
    """A protected record. `subject`: whose it is; `fields` may contain placeholders."""

    subject: str
    fields: Mapping[str, str] = field(repr=False)


@dataclass(frozen=True, slots=True)
class ConsensusPassage:
    """A passage of one topic. `members`: the rows of its records, for the owner alone."""

    fields: Mapping[str, str]
    members: tuple[int, ...]
    subjects: int


@dataclass(frozen=True, slots=True)
class Consensus:
    """The passages of a corpus, and the number of refused topics by reason.

    `represented`: the records in a published topic, of `records`.
    """

    passages: tuple[ConsensusPassage, ...]
    refused: Mapping[str, int]
    records: int
    represented: int


def compose(
    records: Sequence[ConsensusRecord],
    embedder: Embedder,
    options: ConsensusOptions,
    progress: Progress | None = None,
) -> Consensus:
    """Return passages of what at least k subjects of a topic say.

    The result does not depend on the order of the records, except for the numbers of `members`.
    """
    return Composition(records, options, progress).compose(embedder)


@dataclass(frozen=True, slots=True)
class _Topic:
    """The rows of a topic's records, their subjects, and the supported statements by field."""

    rows: Sequence[int]
    subjects: frozenset[str]
    candidates: Mapping[str, Sequence[Candidate]]


class Composition:
    """The work of `compose` in two steps, so that workers can embed the words between them."""

    def __init__(
        self,
        records: Sequence[ConsensusRecord],
        options: ConsensusOptions,
        progress: Progress | None = None,
        originals: Iterable[tuple[str, Iterable[str]]] = (),
    ) -> None:
        """Count support, and find the statements and the digest of each record.

        `originals`: subject and texts of each record before protection, for the gate alone.
        """
        self._order = sorted(range(len(records)), key=lambda row: _sort_key(records[row]))
        self._records = [records[row] for row in self._order]
        self._options = options
        self._progress = progress or (lambda *_: None)
        self._names = list(dict.fromkeys(name for r in self._records for name in r.fields))
        counts = SupportCounts(((r.subject, r.fields.values()) for r in self._records), originals)
        self.gate = SupportGate(counts, options.k)
        """Judges what is said of these records."""
        classes = word_classes(text for r in self._records for text in r.fields.values())
        rules = StatementRules(counts, options.k, classes)
        self._found: dict[str, list[TopicRecord]] = {name: [] for name in self._names}
        self._digests: dict[str, list[Digest]] = {name: [] for name in self._names}
        for done, record in enumerate(self._records, 1):
            for name in self._names:
                text = record.fields.get(name, "")
                said = tuple(rules.statements(text))
                self._found[name].append(TopicRecord(record.subject, said, tuple(senses(text))))
                self._digests[name].append(digest(text, counts, options.k))
            self._progress("statements", done, len(self._records))
        owners = [record.subject for record in self._records]
        by_field = {n: [r.statements for r in found] for n, found in self._found.items()}
        self._forms = {n: Forms(found, owners, options.k) for n, found in by_field.items()}
        self._heads = {n: list_heads(found, owners, options.k) for n, found in by_field.items()}

    @property
    def words(self) -> frozenset[str]:
        """The words by whose vectors records are grouped."""
        return frozenset(chain.from_iterable(chain.from_iterable(self._digests.values())))

    def compose(self, embedder: Embedder) -> Consensus:
        """Group the records, and write a passage of each topic."""
        if not self._names:
            return Consensus((), {}, len(self._records), 0)
        embedder = CachedEmbedder(embedder)
        vectors = {name: digest_vectors(found, embedder) for name, found in self._digests.items()}
        subjects = [record.subject for record in self._records]
        topics = group_records(joint_vectors(list(vectors.values())), subjects, self._options)
        refused: Counter[str] = Counter()
        passages: list[ConsensusPassage] = []
        for done, topic in enumerate(self._with_candidates(topics, embedder), 1):
            passage, reason = self._passage(topic, vectors, embedder)
            if passage:
                passages.append(passage)
            else:
                refused[reason] += 1
            self._progress("topics", done, len(topics))
        members = {row for passage in passages for row in passage.members}
        return Consensus(tuple(passages), dict(refused), len(self._records), len(members))

    def _with_candidates(
        self, topics: Sequence[Sequence[int]], embedder: Embedder
    ) -> Iterator[_Topic]:
        """Yield the topics with their statements, which `embedder` then has in its cache."""
        for start in range(0, len(topics), _TOPICS_AT_ONCE):
            some = [self._topic(rows) for rows in topics[start : start + _TOPICS_AT_ONCE]]
            texts = {c.text for t in some for found in t.candidates.values() for c in found}
            embedder.embed(sorted(texts))
            yield from some

    def _topic(self, rows: Sequence[int]) -> _Topic:
        subjects = frozenset(self._records[row].subject for row in rows)
        found = {
            name: candidates(
                [self._found[name][row] for row in rows],
                subjects,
                self.gate,
                self._forms[name],
            )
            for name in self._names
        }
        return _Topic(rows, subjects, found)

    def _passage(
        self, topic: _Topic, vectors: Mapping[str, Vectors], embedder: Embedder
    ) -> tuple[ConsensusPassage | None, str]:
        before: list[str] = []
        fields = {}
        for name in self._names:
            centroid = vectors[name][list(topic.rows)].sum(axis=0)
            chosen = self._chosen(topic.candidates[name], centroid, embedder)
            fields[name] = write(chosen, self.gate, before, self._supported_heads(name, topic))
        if not all(fields.values()):
            return None, FindingKind.EMPTY
        findings = self.gate.judge(fields, topic.subjects)
        if findings:
            return None, findings[0].kind
        members = tuple(sorted(self._order[row] for row in topic.rows))
        return ConsensusPassage(fields, members, len(topic.subjects)), ""

    def _supported_heads(self, name: str, topic: _Topic) -> list[str]:
        return [
            head
            for head in self._heads[name]
            if all(self.gate.supports(part, topic.subjects) for part in head.split(", "))
        ]

    def _chosen(
        self, supported: Sequence[Candidate], centroid: Vectors, embedder: Embedder
    ) -> list[Candidate]:
        if not supported:
            return []
        vectors = embedder.embed([candidate.text for candidate in supported])
        centroid = centroid / max(float(np.linalg.norm(centroid)), 1e-9)
        return [supported[row] for row in choose(supported, vectors, centroid, self._options.words)]


def _sort_key(record: ConsensusRecord) -> str:
    content = json.dumps([record.subject, *record.fields.items()], ensure_ascii=False)
    return hashlib.sha256(content.encode()).hexdigest()
