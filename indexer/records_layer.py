"""Make the layer of records: one passage from each document, by the recipe's treatment."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from contextlib import nullcontext
from dataclasses import replace
from typing import Any

from sage_rag.agents.attributes import format_attributes, parse_attributes
from sage_rag.agents.protocols import NO_ATTRIBUTES, CorpusAttributes, Draft
from sage_rag.agents.samples import SamplePool
from sage_rag.common.exceptions import ProtectionError
from sage_rag.common.files import write_file
from sage_rag.indexer.assembly import Assembly, assemble, assemble_plain
from sage_rag.indexer.audit import CorpusAudit
from sage_rag.indexer.changes import DocumentKey, key_of
from sage_rag.indexer.concurrency import each
from sage_rag.indexer.corpus import Document
from sage_rag.indexer.index_run import IndexRun
from sage_rag.indexer.job import records_in_work, treatment_of
from sage_rag.indexer.ledger import Result
from sage_rag.indexer.reading import corpus_changed
from sage_rag.indexer.reporting import records_report
from sage_rag.indexer.short_records import is_short, short_records_line
from sage_rag.indexer.timing import timed, timed_roles
from sage_rag.indexer.treatment import DROPPED, Treatment, is_final
from sage_rag.privacy.gate.kept import add_kept


class RecordsLayer:
    """Treats every document whose result is not stored yet; the results become passages."""

    def __init__(self, run: IndexRun) -> None:
        self._run = run
        self._job = run.job
        self._ledger = run.ledger
        self._summary = run.summary
        self._short = 0
        self._samples = SamplePool[Document]()
        self._audit: CorpusAudit | None = None
        self._treatment = treatment_of(run.job, run.ledger, run.engine.run_in_executor)
        self._fingerprints = ("", "")
        """Of results and of drafts; set when the attributes are known."""
        self._refused: frozenset[str] = frozenset()
        self._reviewed: dict[str, Result] = {}
        """Results of a person's decisions, by document id; the ledger keeps the agents' results."""

    def read(self, documents: Iterable[Document]) -> str | None:
        """Take the samples of the corpus, and its audit if the gate has one.

        Returns what the owner may want to know before any document is treated.
        """

        def texts() -> Iterator[str]:
            for document in documents:
                self._short += is_short(document)
                self._samples.add(document, document.content_hash)
                yield document.text

        limits = self._treatment.limits if self._treatment else None
        if limits is None or (limits.run_tokens is None and limits.rouge_l is None):
            deque(texts(), maxlen=0)
        else:
            with self._run.time("audit"):
                audit = CorpusAudit(texts(), limits)
            self._audit = timed(audit, self._job.timer, "audit")
        return short_records_line(self._job, self._short, len(self._run.reading.keys))

    async def assemble(self) -> Assembly:
        """Treat the documents, and decide which results become passages.

        Raises:
            ProtectionError, UpstreamError, BudgetExceededError: as `index_corpus`.
        """
        if self._treatment is None:
            return self._plain()
        if self._job.recipe.synthesize:
            attributes = await self._attributes(self._treatment)
            self._treatment = self._treatment.with_attributes(attributes)
        of = self._treatment
        self._fingerprints = (of.fingerprint, of.draft_fingerprint)
        await self._treat_all(of, self._audit)
        self._audit = None  # 16 bytes a word of the corpus, before vectors take their place
        results = ((key, self._finished(key)) for key in self._run.reading.keys)
        assembly = assemble(results, of.sealer, self._job.timer)
        self._refused = frozenset(assembly.refused)
        for name, reasons in assembly.refused.items():
            if name in self._reviewed and reasons != (DROPPED,):
                self._summary.unfollowed.update(reasons)
        return assembly

    def _plain(self) -> Assembly:
        """Take every document unchanged, except dropped ones."""
        refused: dict[str, tuple[str, ...]] = {}

        def published() -> Iterator[Document]:
            for document in self._run.reading.again():
                decision = self._ledger.decision(key_of(document).names)
                if decision is not None and decision.verb == "drop":
                    refused[document.id] = (DROPPED,)
                else:
                    yield document

        return replace(assemble_plain(published()), refused=refused)

    @property
    def fingerprint(self) -> str:
        """The fingerprint of the results in the ledger."""
        return self._fingerprints[0]

    def report(self) -> dict[str, Any]:
        """Return the figures of the run, and complete its summary."""
        attributes = self._treatment.attributes if self._treatment else NO_ATTRIBUTES
        limits = self._treatment.gate_limits if self._treatment else None
        published = list(self._published())
        self._summary.kept = add_kept([r.kept for r in published if r.kept is not None])
        report = records_report(self._job, self._summary, published, attributes, limits)
        self._summary.anonymity = report["quasi_identifiers"]
        return report

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
            self._run.progress("protect", done, self._summary.documents)

        at_once = records_in_work(self._job, self._run.engine)
        await each(self._run.reading.again(), work, at_once)

    async def _treat(
        self, treatment: Treatment, document: Document, audit: CorpusAudit | None
    ) -> None:
        """Do the remaining work on one document, then compare its draft with all documents.

        The ledger's fingerprints leave the other documents out on purpose: they change with every
        run, and a draft is made again only if it is too like one of them.
        """
        ledger, content = self._ledger, document.content_hash
        decision = ledger.decision(key_of(document).names)
        decided = await treatment.follow(document, decision) if decision else None
        if decision is not None and decided is None:
            self._summary.unfollowed["made-under-other-settings"] += 1
        if decided is not None:
            self._summary.reviewed += 1
            if audit is not None:
                decided = await treatment.reword(document, decided, audit)
            self._reviewed[document.id] = decided
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
        if known is not None and is_final(known):
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

    def _finished(self, key: DocumentKey) -> Result:
        if key.id in self._reviewed:
            return self._reviewed[key.id]
        result = self._ledger.result(key.content_hash, self._fingerprints[0])
        if result is None:
            raise corpus_changed()
        return result

    def _published(self) -> Iterator[Result]:
        if self._treatment is None:
            return
        for key in self._run.reading.keys:
            if key.id not in self._refused:
                yield self._finished(key)
