"""Make the layer of consensus: passages of what at least k subjects say, no one's record."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from typing import Any

from sage_rag.common.exceptions import InputError, ProtectionError
from sage_rag.common.files import write_file
from sage_rag.indexer.assembly import Assembly
from sage_rag.indexer.audit import KNOWN_IDENTIFIER, IdentifierAudit
from sage_rag.indexer.changes import DocumentKey, key_of
from sage_rag.indexer.concurrency import each
from sage_rag.indexer.consensus.compose import (
    Composition,
    Consensus,
    ConsensusPassage,
    ConsensusRecord,
)
from sage_rag.indexer.consensus.figures import ConsensusFigures, states_something
from sage_rag.indexer.consensus.model_writing import written_by_model
from sage_rag.indexer.consensus.options import LEAST_K, MOST_SIMILAR
from sage_rag.indexer.consensus.protection import protected_record, protection_fingerprint
from sage_rag.indexer.corpus import Document
from sage_rag.indexer.embedding import CachedEmbedder, WrappedEmbedder, text_hash
from sage_rag.indexer.index_run import IndexRun
from sage_rag.indexer.job import treatment_of
from sage_rag.indexer.ledger import ProtectedRecord
from sage_rag.indexer.passages import CONSENSUS, RECORDS, Layer, Passage
from sage_rag.indexer.protocols import Embedder, Vectors
from sage_rag.indexer.reading import corpus_changed
from sage_rag.indexer.recipes import recipe_called
from sage_rag.indexer.similarity import SimilarityAudit
from sage_rag.indexer.timing import timed
from sage_rag.indexer.treatment import DROPPED, UNPROTECTABLE, Treatment
from sage_rag.privacy.entities import Identifiability, identifiability
from sage_rag.privacy.gate.findings import FindingKind
from sage_rag.privacy.protect import join_fields
from sage_rag.privacy.words import tokenize

TOPICS_FILE = "topics.jsonl"
"""In the owner's folder: each passage's id with the hashes of its topic's documents."""
LEAST_REPRESENTED = 0.05
"""A consensus that represents a smaller share of the records is not published."""
_REFUSED_SIMILAR = FindingKind.SIMILARITY.value
_REFUSED_EMPTY = FindingKind.EMPTY.value
_REFUSED_CLEAR = FindingKind.UNPROTECTED.value


@dataclass(frozen=True, slots=True)
class _Row:
    """One record of the run. Its subject is stored nowhere."""

    key: DocumentKey
    subject_hash: str


class ConsensusLayer:
    """Protects every record, composes passages, and refuses those with a private value."""

    def __init__(self, run: IndexRun) -> None:
        """Raises InputError without the keyset that the recipe needs."""
        job = run.job
        recipe = recipe_called(CONSENSUS, job.recipe.policy)
        treatment = treatment_of(replace(job, recipe=recipe, layers=(CONSENSUS,)))
        if treatment is None or job.keyset is None:
            raise InputError("a consensus needs a policy and a keyset")
        self._run = run
        self._job = job
        self._treatment: Treatment = treatment
        self._fingerprint = protection_fingerprint(treatment, job.keyset.primary)
        self._rows: list[_Row] = []
        self._refused: dict[str, tuple[str, ...]] = {}
        self.embedded: set[str] = set()
        """The hashes of all texts that the layer compares by vectors."""

    async def assemble(self) -> Assembly:
        """Return the passages; the same records give the same ones, in any order.

        Raises:
            ProtectionError: when the passages represent next to no record, or state nothing.
        """
        await self._protect_all()
        records = [self._stored(row.key.content_hash) for row in self._rows]
        consensus = await self._composed(records)
        refused = Counter(consensus.refused)
        passages = await self._publishable(_distinct(consensus), records, refused)
        self._run.summary.consensus = figures = self._figures(consensus, passages, refused)
        if not figures.stating or figures.represented < LEAST_REPRESENTED * figures.records:
            self._run.refuse(self._refused, self._fingerprint)
            raise _next_to_nothing(figures, self._run.summary.reasons, self._job.layers)
        return self._assembly(passages)

    def report(self) -> dict[str, Any]:
        """Return the figures of the layer."""
        figures = self._run.summary.consensus
        return {"consensus": asdict(figures) if figures else None}

    async def _protect_all(self) -> None:
        done = 0

        async def work(document: Document) -> None:
            nonlocal done
            record = await self._protected(document)
            if record.fields is None:
                self._refused[document.id] = (record.reason or UNPROTECTABLE,)
            else:
                self._rows.append(_Row(key_of(document), document.subject_hash))
            done += 1
            self._run.progress("protect", done, self._run.summary.documents)

        await each(self._run.reading.again(), work, self._run.engine.documents_in_flight)

    async def _protected(self, document: Document) -> ProtectedRecord:
        """Return the stored record, or protect the document and store it."""
        ledger, content = self._run.ledger, document.content_hash
        decision = ledger.decision(key_of(document).names)
        if decision is not None and decision.verb == "drop":
            return ProtectedRecord(None, reason=DROPPED)
        known = ledger.protection(content, self._fingerprint)
        if known is not None:
            self._run.summary.resumed += 1
            return known
        work = partial(protected_record, self._treatment, document)
        record = await self._run.engine.run_in_executor(work)
        ledger.store_protection(content, self._fingerprint, record)
        return record

    def _stored(self, content_hash: str) -> ProtectedRecord:
        record = self._run.ledger.protection(content_hash, self._fingerprint)
        if record is None:
            raise corpus_changed()
        return record

    async def _composed(self, records: Sequence[ProtectedRecord]) -> Consensus:
        """Embed the words of digests by all workers, then compose from the stored vectors.

        A model, if the corpus file names one, writes the passages again.
        """
        named = [
            ConsensusRecord(row.subject_hash, record.fields or {})
            for row, record in zip(self._rows, records, strict=True)
        ]
        options, run = self._job.consensus, self._run
        with run.time("compose"):
            originals = ((d.subject_hash, d.fields.values()) for d in run.reading.again())
            prepare = partial(Composition, named, options, run.progress, originals)
            composition: Composition = await run.engine.run_in_executor(prepare)
        await run.embed(sorted(composition.words))
        cached = CachedEmbedder(self._job.embedder, run.ledger)
        embedder = _NotingEmbedder(cached, self.embedded)
        with run.time("compose"):
            work: Callable[[], Consensus] = partial(composition.compose, embedder)
            consensus = await run.engine.run_in_executor(work)
        if self._job.consensus_writer is None:
            return consensus
        writer, at_once = self._job.consensus_writer, self._job.concurrency
        return await written_by_model(consensus, named, composition.gate, writer, at_once=at_once)

    async def _publishable(
        self,
        passages: Sequence[ConsensusPassage],
        records: Sequence[ProtectedRecord],
        refused: Counter[str],
    ) -> list[ConsensusPassage]:
        """Return the passages with content that name no one and resemble no record as a whole.

        The others are counted in `refused`. As for drafts, fewer words than the gate's `min_tokens`
        are no content.
        """
        audit = timed(IdentifierAudit(), self._job.timer, "audit")
        for record in records:
            audit.add(self._treatment.sealer.plain(record.identifiers))
        originals = (document.text for document in self._run.reading.again())
        similarity = SimilarityAudit(originals, MOST_SIMILAR)
        kept = []
        for done, passage in enumerate(passages, 1):
            text = join_fields(passage.fields)
            if len(tokenize(text)) < (self._treatment.limits.min_tokens or 1):
                refused[_REFUSED_EMPTY] += 1
            elif audit.count(text):
                refused[KNOWN_IDENTIFIER] += 1
            elif similarity.similar(text) is not None:
                refused[_REFUSED_SIMILAR] += 1
            elif await self._run.engine.run_in_executor(partial(self._names_someone, text)):
                refused[_REFUSED_CLEAR] += 1
            else:
                kept.append(passage)
            self._run.progress("judge", done, len(passages))
        return kept

    def _names_someone(self, text: str) -> bool:
        """Return whether the recognizer finds a direct identifier in a passage."""
        spans = self._job.recognizer.recognize(text)
        return any(identifiability(s.entity_type) is Identifiability.DIRECT for s in spans)

    def _figures(
        self, consensus: Consensus, passages: Sequence[ConsensusPassage], refused: Mapping[str, int]
    ) -> ConsensusFigures:
        return ConsensusFigures(
            k=self._job.consensus.k,
            records=len(self._run.reading.keys),
            subjects=len({row.subject_hash for row in self._rows}),
            topics=len(consensus.passages) + sum(consensus.refused.values()),
            passages=len(passages),
            stating=sum(states_something(passage.fields) for passage in passages),
            represented=len({row for passage in passages for row in passage.members}),
            refused=dict(sorted(refused.items())),
        )

    def _assembly(self, passages: Sequence[ConsensusPassage]) -> Assembly:
        """Seal the passages; the owner's folder receives the documents of each topic."""
        assembly = Assembly(refused=self._refused)
        topics = {}
        for passage in passages:
            name, source = self._treatment.sealer.names(_topic_name(passage))
            assembly.add(Passage(name, source, passage.fields, layer=CONSENSUS))
            topics[name] = sorted(self._rows[row].key.document_hash for row in passage.members)
        lines = [json.dumps({"id": n, "documents": topics[n]}) + "\n" for n in sorted(topics)]
        write_file(self._job.owner_folder / TOPICS_FILE, "".join(lines))
        return assembly.in_order_of_ids()


class _NotingEmbedder(WrappedEmbedder):
    """Notes the hash of every text that it embeds, so that the ledger keeps these vectors."""

    def __init__(self, embedder: Embedder, hashes: set[str]) -> None:
        super().__init__(embedder)
        self._hashes = hashes

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return `(n, dim)` float32, L2-normalised."""
        self._hashes.update(map(text_hash, texts))
        return self._embedder.embed(texts)


def _distinct(consensus: Consensus) -> list[ConsensusPassage]:
    """Return one passage for each text, with the members of all topics that give it."""
    by_text: dict[str, ConsensusPassage] = {}
    for passage in consensus.passages:
        text = join_fields(passage.fields)
        known = by_text.get(text)
        if known is not None:
            members = tuple(sorted({*known.members, *passage.members}))
            passage = replace(passage, members=members)
        by_text[text] = passage
    return list(by_text.values())


def _topic_name(passage: ConsensusPassage) -> str:
    """Return a name that only the text decides; a passage id is an HMAC of it."""
    return f"consensus-{text_hash(json.dumps(list(passage.fields.items())))[:16]}"


def _next_to_nothing(
    figures: ConsensusFigures, reasons: Mapping[str, int], layers: Sequence[Layer]
) -> ProtectionError:
    """Return the error; `reasons`: why records were refused before, with their numbers."""
    if figures.passages and not figures.stating:
        lack = f"would name topics alone: of {figures.records} records, too few state the same"
    else:
        lack = f"would represent {figures.represented} of {figures.records} records"
    records = "the records alone: --layers records"
    if RECORDS not in layers:
        records = (
            "a passage for each record: --recipe encrypted (the wording stays), or --recipe sage "
            "with a model"
        )
    smaller = "a smaller --k, " if figures.k > LEAST_K else ""
    refused = ", ".join(f"{reason} {count}" for reason, count in reasons.items())
    before = f"; records refused before: {refused}" if refused else ""
    return ProtectionError(
        f"the passages of a consensus of {figures.k} subjects {lack}; nothing was published"
        f"{before}",
        hint=f"{smaller}more records of one kind, or {records}",
    )
