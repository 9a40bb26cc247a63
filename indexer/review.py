"""Review: a person decides about documents that the pipeline refused.

A decision is stored in the ledger and takes effect with the next run, where the gate and the
audits across documents check it again. No one can accept a draft that the gate refuses.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal

from sage_rag.agents.exceptions import AgentOutputError
from sage_rag.agents.protocols import Draft
from sage_rag.agents.transcript import Speaker, TranscriptTurn, hide_places, transcript_to_json
from sage_rag.common.exceptions import InputError, ProtectionError
from sage_rag.indexer.audit import KNOWN_IDENTIFIER
from sage_rag.indexer.changes import DocumentKey, document_hash, key_of
from sage_rag.indexer.corpus import Document, read_corpus
from sage_rag.indexer.job import IndexJob, treatment_of
from sage_rag.indexer.known_identifiers import KnownIdentifiers
from sage_rag.indexer.ledger import Decision, Fields, Ledger, Refusal, Result
from sage_rag.indexer.treatment import Treatment
from sage_rag.privacy.gate.findings import Finding, Verdict


@dataclass(frozen=True, slots=True)
class QuarantinedRecord:
    """A document that the last run did not publish. `draft` contains placeholders.

    `HIDDEN` stands in a draft for a value that was refused. `decision` was made since then; the
    next run follows it. `findings`: those of the audit across documents.
    """

    document: Document
    refusal: Refusal
    rounds: int
    draft: Fields | None
    decision: str | None
    findings: tuple[Finding, ...] = ()


class ReviewSession:
    """The quarantined documents of one corpus; the job gives source, recipe, keys, recognizer."""

    def __init__(self, job: IndexJob, ledger: Ledger) -> None:
        """Raises InputError for a recipe that quarantines nothing."""
        treatment = treatment_of(job, ledger)
        if treatment is None:
            raise InputError(f"recipe `{job.recipe.name}` quarantines nothing")
        self._treatment: Treatment = treatment
        self._job = job
        self._ledger = ledger

    def __iter__(self) -> Iterator[QuarantinedRecord]:
        """Yield them in the order of the corpus, without those whose content changed since."""
        refusals = {r.document_hash: r for r in self._ledger.refusals()}
        for document in read_corpus(self._job.source, self._job.fields, self._job.subject):
            refusal = refusals.get(document_hash(document.id))
            if refusal is not None and refusal.content_hash == document.content_hash:
                yield self._quarantined(document, refusal)

    def accept(self, document_id: str) -> None:
        """Publish the draft unchanged with the next run.

        Raises:
            InputError: when there is no such document in quarantine, or no draft of it.
            ProtectionError: when the gate refuses the draft.
        """
        found = self._called(document_id)
        if found.draft is None:
            raise InputError(
                f"there is no draft of `{document_id}` to accept",
                hint=f"write one: sage-rag review {self._job.name} --edit {document_id}",
            )
        self._decide(found, found.draft, "accept")

    def edit(self, document_id: str, fields: Fields) -> None:
        """Publish another draft, of the same fields, with the next run.

        Raises:
            InputError: when there is no such document in quarantine, or other fields.
            ProtectionError: when the gate refuses the draft.
        """
        found = self._called(document_id)
        wanted = list(found.document.fields)
        if sorted(fields) != sorted(wanted):
            raise InputError(f"a draft of `{document_id}` has the fields: {', '.join(wanted)}")
        self._decide(found, {name: fields[name] for name in wanted}, "edit")

    def drop(self, document_id: str) -> None:
        """Never publish a document of the corpus, or a whole text with all its pieces.

        It holds from the next run on until `undo`, whatever the text becomes. Records without an id
        are numbered, so a drop also holds for the content, which may get another number.

        Raises:
            InputError: when the corpus has no such document.
        """
        contents = {key.content_hash for key in self._keys_of(document_id)}
        if not contents:
            raise InputError(f"the corpus has no document `{document_id}`")
        decision = Decision("drop", self._treatment.protection)
        self._ledger.store_decision({document_hash(document_id), *contents}, decision)

    def undo(self, document_id: str) -> None:
        """Take back what was decided about a document, in the corpus or removed from it.

        Raises:
            InputError: when there is no decision about it, or one about the whole text.
        """
        keys = self._keys_of(document_id)
        names = {document_hash(document_id), *(key.content_hash for key in keys)}
        for key in keys:
            if key.id == document_id:
                self._check_whole(key)
        if self._ledger.decision(sorted(names)) is None:
            raise InputError(f"there is no decision about `{document_id}`")
        self._ledger.forget_decisions(names)

    def transcript(self, document_id: str) -> str:
        """Return how a quarantined document was reviewed: a JSON list of turns.

        Raises:
            InputError: when there is no such document in quarantine, or no transcript of it.
        """
        found = self._called(document_id)
        refusal = found.refusal
        if found.findings:
            return _audited(found)
        stored = self._ledger.transcript(refusal.content_hash, refusal.fingerprint)
        if stored is None:
            reasons = ", ".join(refusal.reasons)
            raise InputError(f"`{document_id}` has no transcript: it was refused for {reasons}")
        return stored

    def start_of(self, document_id: str) -> dict[str, str]:
        """Return the text for an editor: the draft, or the protected record if there is none.

        Raises:
            InputError: when there is no such document in quarantine.
            ProtectionError: when the record cannot be protected.
        """
        found = self._called(document_id)
        if found.draft is not None:
            return dict(found.draft)
        return dict(self._treatment.protect(found.document).protected.fields)

    def _quarantined(self, document: Document, refusal: Refusal) -> QuarantinedRecord:
        result = self._ledger.result(refusal.content_hash, refusal.fingerprint)
        decision = self._ledger.decision(key_of(document).names)
        draft = _draft_of(result)
        if decision is not None and decision.draft is not None:
            draft = decision.draft
        findings: tuple[Finding, ...] = ()
        if draft is not None and KNOWN_IDENTIFIER in refusal.reasons:
            findings = tuple(self._known.findings(draft))
            draft = hide_places(draft, [(f.start or 0, f.end or 0) for f in findings])
        return QuarantinedRecord(
            document,
            refusal,
            result.rounds if result else 0,
            draft,
            decision.verb if decision else None,
            findings,
        )

    @cached_property
    def _known(self) -> KnownIdentifiers:
        """The direct identifiers that the last run compared its drafts with."""
        fingerprint = next((r.fingerprint for r in self._ledger.refusals()), "")
        documents = read_corpus(self._job.source, self._job.fields, self._job.subject)
        results = (self._ledger.result(d.content_hash, fingerprint) for d in documents)
        known = KnownIdentifiers(self._treatment.sealer)
        for result in filter(None, results):
            known.add(result.identifiers if result.safe else ())
        return known

    def _called(self, document_id: str) -> QuarantinedRecord:
        for quarantined in self:
            if quarantined.document.id == document_id:
                return quarantined
        raise InputError(
            f"`{document_id}` is not in quarantine",
            hint=f"list: sage-rag review {self._job.name}; changed documents are indexed again",
        )

    def _decide(
        self, found: QuarantinedRecord, draft: Fields, verb: Literal["accept", "edit"]
    ) -> None:
        if self._job.recipe.of_subjects:
            name = self._job.recipe.name
            raise InputError(f"recipe `{name}` publishes no record, so there is no draft to accept")
        key = key_of(found.document)
        self._check_whole(key)
        try:
            verdict = self._treatment.check(found.document, draft)
        except AgentOutputError as error:
            raise ProtectionError(error.message) from None
        if findings := (*verdict.findings, *self._known.findings(draft)):
            raise ProtectionError(
                f"the gate refuses the draft of `{found.document.id}`: {_in_one_line(findings)}",
                hint=f"change it: sage-rag review {self._job.name} --edit {found.document.id}",
            )
        decision = Decision(verb, self._treatment.protection, draft)
        self._ledger.forget_decisions(key.names)
        self._ledger.store_decision([key.content_hash], decision)

    def _keys_of(self, document_id: str) -> list[DocumentKey]:
        """Return the key of a document, or those of the pieces of a text."""
        documents = read_corpus(self._job.source, self._job.fields, self._job.subject)
        return [key_of(d) for d in documents if document_id in (d.id, d.piece_of)]

    def _check_whole(self, key: DocumentKey) -> None:
        whole = key.piece_of
        if whole and self._ledger.decision([document_hash(whole)]):
            raise InputError(
                f"`{key.id}` is a piece of `{whole}`, which is dropped",
                hint=f"take that back: sage-rag review {self._job.name} --undo {whole}",
            )


def _draft_of(result: Result | None) -> Fields | None:
    """Return the last draft; a result that an audit refused has its draft in `fields`."""
    return None if result is None else result.draft or result.fields


def _audited(found: QuarantinedRecord) -> str:
    """Return the transcript of a draft that the audit across documents refused."""
    findings = tuple(replace(f, start=None, end=None) for f in found.findings)
    turns = (
        TranscriptTurn(round=0, speaker=Speaker.GENERATOR, draft=Draft(found.draft or {})),
        TranscriptTurn(round=0, speaker=Speaker.GATE, verdict=Verdict(findings, 0, 0.0)),
    )
    return transcript_to_json(turns)


def _in_one_line(findings: Iterable[Finding]) -> str:
    """Return findings, which contain no plain value."""
    return "; ".join(dict.fromkeys(f"{f.kind.value}, {f.message}" for f in findings))
