"""Compose the passages of a corpus: what at least k subjects say, by topic."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from sage_rag.common.progress import Progress
from sage_rag.indexer.consensus.candidates import Candidate, Spellings, candidates
from sage_rag.indexer.consensus.options import ConsensusOptions
from sage_rag.indexer.consensus.selection import choose, without_distractions
from sage_rag.indexer.consensus.statements import Statement, statements
from sage_rag.indexer.consensus.topics import group_records
from sage_rag.indexer.consensus.writer import in_order, write
from sage_rag.indexer.embedding import CachedEmbedder
from sage_rag.indexer.protocols import Embedder, Vectors
from sage_rag.privacy.gate.support import SupportCounts, SupportGate

_EMBED_BATCH = 256


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
    order = sorted(range(len(records)), key=lambda row: _sort_key(records[row]))
    sorted_records = [records[row] for row in order]
    composed = _Composer(sorted_records, embedder, options, progress).compose()
    passages = [
        ConsensusPassage(p.fields, tuple(sorted(order[row] for row in p.members)), p.subjects)
        for p in composed.passages
    ]
    return Consensus(tuple(passages), composed.refused, composed.records, composed.represented)


class _Composer:
    def __init__(
        self,
        records: Sequence[ConsensusRecord],
        embedder: Embedder,
        options: ConsensusOptions,
        progress: Progress | None,
    ) -> None:
        self._records = records
        self._embedder = embedder
        self._short_texts = CachedEmbedder(embedder)
        self._options = options
        self._progress = progress or (lambda *_: None)
        self._names = list(dict.fromkeys(name for record in records for name in record.fields))
        counts = SupportCounts((r.subject, r.fields.values()) for r in records)
        self._gate = SupportGate(counts, options.k)
        self._found = {name: self._statements(name, counts) for name in self._names}
        self._spellings = {name: Spellings(found) for name, found in self._found.items()}

    def compose(self) -> Consensus:
        if not self._names:
            return Consensus((), {}, len(self._records), 0)
        vectors = {name: self._embed([r.fields.get(name, "") for r in self._records])
                   for name in self._names}  # fmt: skip
        topics = group_records(
            _joint(list(vectors.values())), [r.subject for r in self._records], self._options
        )
        refused: Counter[str] = Counter()
        passages: list[ConsensusPassage] = []
        for done, topic in enumerate(topics, 1):
            passage, reason = self._passage(topic, vectors)
            if passage:
                passages.append(passage)
            else:
                refused[reason] += 1
            self._progress("topics", done, len(topics))
        members = {row for passage in passages for row in passage.members}
        return Consensus(tuple(passages), dict(refused), len(self._records), len(members))

    def _passage(
        self, topic: Sequence[int], vectors: Mapping[str, Vectors]
    ) -> tuple[ConsensusPassage | None, str]:
        subjects = frozenset(self._records[row].subject for row in topic)
        before: list[str] = []
        fields = {}
        for name in self._names:
            found = [self._found[name][row] for row in topic]
            supported = candidates(found, subjects, self._gate, self._spellings[name])
            centroid = vectors[name][list(topic)].sum(axis=0)
            chosen = self._chosen(supported, centroid)
            fields[name] = write(chosen, self._gate, before)
        if not all(fields.values()):
            return None, "empty"
        findings = self._gate.judge(fields, subjects)
        if findings:
            return None, findings[0].kind
        return ConsensusPassage(fields, tuple(topic), len(subjects)), ""

    def _chosen(self, supported: Sequence[Candidate], centroid: Vectors) -> list[Candidate]:
        if not supported:
            return []
        vectors = self._short_texts.embed([candidate.text for candidate in supported])
        centroid = centroid / max(float(np.linalg.norm(centroid)), 1e-9)
        chosen = [supported[i] for i in choose(supported, vectors, centroid, self._options.words)]
        return without_distractions(in_order(chosen), self._short_texts, centroid)

    def _statements(self, name: str, counts: SupportCounts) -> list[list[Statement]]:
        found: list[list[Statement]] = []
        for done, record in enumerate(self._records, 1):
            found.append(list(statements(record.fields.get(name, ""), counts, self._options.k)))
            self._progress("statements", done, len(self._records))
        return found

    def _embed(self, texts: Sequence[str]) -> Vectors:
        parts = [
            self._embedder.embed(texts[start : start + _EMBED_BATCH])
            for start in range(0, len(texts), _EMBED_BATCH)
        ]
        return np.concatenate(parts) if parts else np.zeros((0, self._embedder.dim), np.float32)


def _joint(vectors: Sequence[Vectors]) -> Vectors:
    """Return one vector of length 1 a record: the direction of the sum of its fields' vectors."""
    total = np.sum(vectors, axis=0)
    return np.asarray(total / np.maximum(np.linalg.norm(total, axis=1, keepdims=True), 1e-9))


def _sort_key(record: ConsensusRecord) -> str:
    content = json.dumps([record.subject, *record.fields.items()], ensure_ascii=False)
    return hashlib.sha256(content.encode()).hexdigest()
