"""The pipeline: turn documents into one published version; resume after a kill at any point."""

from __future__ import annotations

import asyncio
import gc
import json
import time
from collections import Counter, deque
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, closing, contextmanager, nullcontext
from dataclasses import replace
from functools import partial
from itertools import chain
from typing import Any, TypeVar

import numpy as np

from sage_rag.agents.attributes import format_attributes, parse_attributes
from sage_rag.agents.protocols import NO_ATTRIBUTES, CorpusAttributes, Draft
from sage_rag.agents.samples import SamplePool
from sage_rag.common.exceptions import InputError, ProtectionError
from sage_rag.common.files import write_file
from sage_rag.common.progress import Progress
from sage_rag.indexer.assembly import Assembly, assemble, assemble_plain
from sage_rag.indexer.audit import CorpusAudit
from sage_rag.indexer.changes import DocumentKey, changes, key_of
from sage_rag.indexer.corpus import Document, read_corpus
from sage_rag.indexer.embedding import CachedEmbedder, text_hash
from sage_rag.indexer.engines.local import Engine, in_process
from sage_rag.indexer.job import IndexJob, Summary, treatment_of
from sage_rag.indexer.ledger import Ledger, Refusal, Result, locked_corpus
from sage_rag.indexer.passages import Passage
from sage_rag.indexer.protocols import Vectors
from sage_rag.indexer.publishing import publish
from sage_rag.indexer.reporting import manifest_of, report_of
from sage_rag.indexer.short_records import is_short, short_records_line
from sage_rag.indexer.timing import timed, timed_items, timed_roles
from sage_rag.indexer.treatment import Treatment
from sage_rag.indexer.versions import corpus_folder
from sage_rag.privacy.gate.kept import add_kept
from sage_rag.privacy.tokens import readable_view

__all__ = ["IndexJob", "Progress", "Summary", "index_corpus"]

_T = TypeVar("_T")
_EMBED_BATCH = 64
_RECORDS_PER_CALL = 2
"""While some records are protected, judged and stored, others keep the model busy."""


async def index_corpus(
    job: IndexJob, progress: Progress, notice: Callable[[str], None] | None = None
) -> Summary:
    """Run one job and publish a version.

    Only documents that are new, or whose content or settings changed, are treated. After the
    version is published, the ledger forgets contents that the corpus no longer has. `notice`
    receives what the owner may want to know before any document is treated.

    Raises:
        InputError: for a faulty corpus, name or disk, or if another run has the corpus.
        ProtectionError: if no document may be published.
        UpstreamError: if the model endpoint fails; finished documents are kept.
        BudgetExceededError: if the model's budget is used up; finished documents are kept.
    """
    corpus_folder(job.home, job.name)
    with (
        locked_corpus(job.owner_folder),
        closing(Ledger(job.owner_folder / "ledger.sqlite")) as ledger,
        closing(_start_engine(job)) as engine,  # ends before the ledger, which its threads use
        _frozen_objects(),
    ):
        return await _Run(job, ledger, engine, progress).run(notice)


@contextmanager
def _frozen_objects() -> Iterator[None]:
    """Freeze existing objects (`gc.freeze`), so that full collections do not stall the loop."""
    gc.freeze()
    try:
        yield
    finally:
        gc.unfreeze()


def _start_engine(job: IndexJob) -> Engine:
    if job.engine is not None:
        return job.engine()
    return in_process(job.recognizer, job.embedder, threads=job.concurrency)


class _Run:
    """The state of one run. Only this process opens the ledger; its threads store vectors there."""

    def __init__(self, job: IndexJob, ledger: Ledger, engine: Engine, progress: Progress) -> None:
        self._job = replace(
            job,
            recognizer=timed(engine.recognizer, job.timer, "recognise", "recognize"),
            embedder=timed(engine.embedder, job.timer, "embed", "embed"),
        )
        self._ledger = ledger = timed(ledger, job.timer, "ledger")
        self._engine = engine
        self._progress = progress
        self._summary = Summary()
        self._keys: list[DocumentKey] = []
        self._short = 0
        self._samples = SamplePool[Document]()
        self._treatment = treatment_of(self._job, ledger, engine.run_in_executor)
        self._fingerprints = ("", "")
        """Of results and of drafts; set when the attributes are known."""
        self._refused: frozenset[str] = frozenset()
        self._reviewed: dict[str, Result] = {}
        """Results of a person's decisions, by content; the ledger keeps the agents' results."""

    async def run(self, notice: Callable[[str], None] | None) -> Summary:
        started = time.monotonic()
        audit = self._read_through()
        line = short_records_line(self._job, self._short, len(self._keys))
        if notice and line:
            notice(line)
        now = {key.document_hash: key.content_hash for key in self._keys}
        self._summary.documents = len(now)
        self._summary.changes = changes(self._ledger.documents(), now)
        if self._treatment:
            if self._job.recipe.synthesize:
                attributes = await self._attributes(self._treatment)
                self._treatment = self._treatment.with_attributes(attributes)
            of = self._treatment
            self._fingerprints = (of.fingerprint, of.draft_fingerprint)
            await self._treat_all(self._treatment, audit)
        del audit  # 16 bytes a word of the corpus, before vectors take their place
        assembly = self._assemble()
        self._refuse(assembly.refused)
        vectors = await self._embed(assembly.passages)
        self._summary.published = len(assembly.passages)
        self._summary.seconds = time.monotonic() - started
        self._publish(assembly, vectors)
        self._ledger.store_documents(now, map(text_hash, map(_embedded_text, assembly.passages)))
        return self._summary

    def _time(self, stage: str) -> AbstractContextManager[None]:
        return self._job.timer(stage) if self._job.timer else nullcontext()

    def _documents(self) -> Iterator[Document]:
        documents = read_corpus(self._job.source, self._job.fields)
        return timed_items(documents, self._job.timer, "read")

    def _read_through(self) -> CorpusAudit | None:
        """Read the corpus for the first time: keys, samples, and the audit if the gate has one.

        A line that cannot be read is thus reported before hours of work, not after.
        """

        def texts() -> Iterator[str]:
            for document in self._documents():
                self._keys.append(key_of(document))
                self._short += is_short(document)
                self._samples.add(document, document.content_hash)
                yield document.text

        limits = self._treatment.limits if self._treatment else None
        if limits is None or (limits.run_tokens is None and limits.rouge_l is None):
            deque(texts(), maxlen=0)
            return None
        with self._time("audit"):
            audit = CorpusAudit(texts(), limits)
        return timed(audit, self._job.timer, "audit")

    def _read_again(self) -> Iterator[Document]:
        """Read the corpus for the second time.

        Raises:
            InputError: when it is not the same.
        """
        keys = iter(self._keys)
        for document in self._documents():
            if next(keys, None) != key_of(document):
                raise _corpus_changed()
            yield document
        if next(keys, None) is not None:
            raise _corpus_changed()

    async def _attributes(self, treatment: Treatment) -> CorpusAttributes:
        if self._job.attributes is not None:
            return self._job.attributes
        stored = self._ledger.attributes(treatment.drafting)
        if stored is not None:
            return parse_attributes(stored, list(self._samples.items[0].fields))
        if self._job.roles is None:
            raise ValueError("a synthetic recipe needs roles")
        samples = self._samples.choose(
            lambda document: document.text,
            fits=lambda document: treatment.coverage.refusal(document) is None,
        )
        if not samples:
            treatment.coverage.check_any(self._samples.items)
        protections = [await treatment.protect_sample(sample) for sample in samples]
        protected = [p.protected for p in protections if p is not None]
        if not protected:
            raise ProtectionError("no sample of the corpus could be protected")
        roles = timed_roles(self._job.roles, self._job.timer)
        attributes = await roles.identifier.identify(protected)
        text = format_attributes(attributes)
        self._ledger.store_attributes(treatment.drafting, text)
        if self._job.recipe.refine:
            write_file(self._job.owner_folder / "attributes.toml", text)
        return attributes

    async def _treat_all(self, treatment: Treatment, audit: CorpusAudit | None) -> None:
        """Treat every document whose result is not stored yet."""
        done = 0

        async def work(document: Document) -> None:
            nonlocal done
            await self._treat(treatment, document, audit)
            done += 1
            self._progress("protect", done, self._summary.documents)

        await _each(self._read_again(), work, self._at_once)

    @property
    def _at_once(self) -> int:
        """Records in work at a time; `ModelCalls` limits the calls among them."""
        per_call = _RECORDS_PER_CALL if self._job.costs is not None else 1
        return max(per_call * self._job.concurrency, self._engine.documents_in_flight)

    async def _treat(
        self, treatment: Treatment, document: Document, audit: CorpusAudit | None
    ) -> None:
        """Do the remaining work on one document, then compare its draft with all documents.

        The ledger's fingerprints leave the other documents out on purpose: they change with every
        run, and a draft is made again only if it is too like one of them.
        """
        ledger, content = self._ledger, document.content_hash
        decision = ledger.decision(content)
        decided = await treatment.follow(document, decision) if decision else None
        if decided is not None:
            self._summary.reviewed += 1
            if audit is not None:
                decided = await treatment.reword(document, decided, audit)
            self._reviewed[content] = decided
            return
        result = await self._result(treatment, document)
        if audit is not None:
            reworded = await treatment.reword(document, result, audit)
            if reworded is not result:
                ledger.store_result(content, self._fingerprints[0], reworded)

    async def _result(self, treatment: Treatment, document: Document) -> Result:
        """Return the stored result, or do stage 2, or both stages, and store it."""
        ledger, content = self._ledger, document.content_hash
        fingerprint, drafts = self._fingerprints
        known = ledger.result(content, fingerprint)
        if known is not None:
            self._summary.resumed += 1
            renewed = await treatment.renew(document, known)
            if renewed is not known:
                ledger.store_result(content, fingerprint, renewed)
            return renewed
        fields = ledger.draft(content, drafts)
        self._summary.redrafted += fields is not None

        def store_draft(draft: Draft) -> None:
            ledger.store_draft(content, drafts, draft.fields)

        with self._job.costs.record() if self._job.costs else nullcontext():
            draft = Draft(fields) if fields else None
            result = await treatment.treat(document, draft, store_draft)
        ledger.store_result(content, fingerprint, result)
        return result

    def _assemble(self) -> Assembly:
        if self._treatment is None:
            return assemble_plain(self._read_again())
        results = ((key.id, self._finished(key)) for key in self._keys)
        return assemble(results, self._treatment, self._job.timer)

    def _finished(self, key: DocumentKey) -> Result:
        if key.content_hash in self._reviewed:
            return self._reviewed[key.content_hash]
        result = self._ledger.result(key.content_hash, self._fingerprints[0])
        if result is None:
            raise _corpus_changed()
        return result

    def _refuse(self, reasons: Mapping[str, tuple[str, ...]]) -> None:
        """Record for the owner which documents are not published, and why."""
        lines = [
            json.dumps({"id": name, "reasons": found}, ensure_ascii=False) + "\n"
            for name, found in reasons.items()
        ]
        write_file(self._job.owner_folder / "quarantine.jsonl", "".join(lines))
        fingerprint = self._fingerprints[0]
        self._ledger.store_refusals(
            [
                Refusal(key.document_hash, key.content_hash, fingerprint, reasons[key.id])
                for key in self._keys
                if key.id in reasons
            ]
        )
        self._summary.quarantined = len(reasons)
        self._summary.reasons = dict(sorted(Counter(chain.from_iterable(reasons.values())).items()))
        self._refused = frozenset(reasons)

    async def _embed(self, passages: Sequence[Passage]) -> Vectors:
        """Embed the readable view of each passage, in batches; stored vectors are used again."""
        embedder = CachedEmbedder(self._job.embedder, self._ledger)
        rows: list[Any] = [None] * len(passages)
        done = 0

        async def work(start: int) -> None:
            nonlocal done
            texts = [_embedded_text(p) for p in passages[start : start + _EMBED_BATCH]]
            vectors = await self._engine.run_in_executor(partial(embedder.embed, texts))
            rows[start : start + len(texts)] = vectors
            done += len(texts)
            self._progress("embed", done, len(passages))

        await _each(range(0, len(passages), _EMBED_BATCH), work, self._engine.documents_in_flight)
        return np.stack(rows) if rows else np.zeros((0, embedder.dim), dtype=np.float32)

    def _publish(self, assembly: Assembly, vectors: Vectors) -> None:
        job, summary = self._job, self._summary
        attributes = self._treatment.attributes if self._treatment else NO_ATTRIBUTES
        limits = self._treatment.gate_limits if self._treatment else None
        with self._time("report"):
            published = list(self._published())
            summary.kept = add_kept([r.kept for r in published if r.kept is not None])
            report = report_of(job, summary, published, attributes, limits)
            summary.anonymity = report["quasi_identifiers"]
        with self._time("publish"):
            summary.path = publish(
                job.home,
                job.name,
                assembly.passages,
                vectors,
                lexical=assembly.lexical,
                manifest=manifest_of(job, summary),
                report=report,
            )

    def _published(self) -> Iterator[Result]:
        if self._treatment is None:
            return
        for key in self._keys:
            if key.id not in self._refused:
                yield self._finished(key)


def _corpus_changed() -> InputError:
    return InputError("the corpus changed while it was indexed", hint="start again")


def _embedded_text(passage: Passage) -> str:
    return readable_view(passage.text)


async def _each(items: Iterable[_T], work: Callable[[_T], Awaitable[None]], at_once: int) -> None:
    """Do the work for every item, `at_once` at a time; the first failure ends all."""
    waiting = iter(items)

    async def worker() -> None:
        for item in waiting:
            await work(item)

    try:
        async with asyncio.TaskGroup() as group:
            for _ in range(at_once):
                group.create_task(worker())
    except ExceptionGroup as failures:
        raise failures.exceptions[0] from None
