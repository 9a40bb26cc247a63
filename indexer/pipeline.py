"""The pipeline: documents in, one published version out; killed anywhere, it goes on from there."""

from __future__ import annotations

import asyncio
import hashlib
import json
import random
import resource
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from agents.protocols import Attribute, Attributes, Roles
from indexer.anonymity import anonymity_figures
from indexer.assembly import Assembly, Refused, assemble, assemble_plain
from indexer.audit import WordingAudit
from indexer.corpus import Document, read_corpus
from indexer.ledger import Ledger, Result, locked
from indexer.passages import Passage
from indexer.protocols import Embedder, Vectors
from indexer.publishing import publish
from indexer.recipes import Recipe
from indexer.treatment import Treatment
from indexer.versions import corpus_folder
from privacy.exceptions import InputError
from privacy.keyset.keyset import Keyset
from privacy.policy import load_policy
from privacy.protocols import Recognizer
from privacy.tokens import readable_view

SAMPLES = 5
"""How many records the attribute identifier sees. Source: arXiv 2406.14773, §3.1."""
_SEED = 0
_EMBED_BATCH = 64

Progress = Callable[[str, int, int], None]
"""Called with a stage's name, documents done, and documents in all."""


@dataclass(frozen=True)
class IndexJob:
    """Everything one run needs. `keyset` may be absent only where nothing is protected."""

    corpus: Path
    text_fields: tuple[str, ...] | None
    name: str
    home: Path
    recipe: Recipe
    keyset: Keyset | None
    recognizer: Recognizer
    embedder: Embedder
    roles: Roles | None = None
    concurrency: int = 8


@dataclass
class Summary:
    """What a run did. `seconds` is wall time, `reasons` counts findings of quarantined ones."""

    documents: int = 0
    resumed: int = 0
    published: int = 0
    quarantined: int = 0
    seconds: float = 0.0
    reasons: dict[str, int] = field(default_factory=dict)
    path: Path | None = None


async def index_corpus(job: IndexJob, progress: Progress) -> Summary:
    """Run one job to a published version.

    Raises:
        InputError: bad corpus, name or disk; another run at work.
        ProtectionError: when no document may be published.
        UpstreamError: when the model endpoint fails; finished documents are kept.
    """
    corpus_folder(job.home, job.name)
    owner = job.home / "owner" / job.name
    with locked(owner):
        ledger = Ledger(owner / "ledger.sqlite")
        try:
            return await _Run(job, ledger, progress).run(owner / "quarantine.jsonl")
        finally:
            ledger.close()


class _Run:
    """The state of one run."""

    def __init__(self, job: IndexJob, ledger: Ledger, progress: Progress) -> None:
        self._job = job
        self._ledger = ledger
        self._progress = progress
        self._summary = Summary()
        self._treatment = _treatment(job)
        self._wording: WordingAudit | None = None
        self._refused: frozenset[str] = frozenset()

    async def run(self, quarantine: Path) -> Summary:
        started = time.monotonic()
        self._summary.documents = self._check_corpus()
        if self._treatment:
            if self._job.recipe.synthesize:
                self._treatment.attributes = await self._attributes(self._treatment)
            await self._treat_all(self._treatment)
            await self._reword_all(self._treatment)
        assembly = self._assemble()
        self._refused = frozenset(document_id for document_id, _ in assembly.refused)
        _write_quarantine(quarantine, assembly.refused)
        vectors = self._embed(assembly.passages)
        self._summary.published = len(assembly.passages)
        self._summary.quarantined = len(assembly.refused)
        reasons = Counter(r for _, reasons in assembly.refused for r in reasons)
        self._summary.reasons = dict(reasons)
        self._summary.seconds = time.monotonic() - started
        self._summary.path = publish(
            self._job.home,
            self._job.name,
            assembly.passages,
            vectors,
            lexical=assembly.lexical,
            manifest=self._manifest(),
            report=self._report(),
        )
        return self._summary

    def _documents(self) -> Iterator[Document]:
        return read_corpus(self._job.corpus, self._job.text_fields)

    def _check_corpus(self) -> int:
        """Read everything once, so that a bad line is told before hours of work, not after."""
        return sum(1 for _ in self._documents())

    async def _attributes(self, treatment: Treatment) -> Attributes:
        stored = self._ledger.attributes(treatment.settings)
        if stored is None:
            samples = [treatment.protect(d).protected for d in self._samples()]
            if self._job.roles is None:
                raise ValueError("a synthetic recipe needs roles")
            attributes = await self._job.roles.identifier.identify(samples)
            stored = json.dumps([asdict(a) for a in attributes])
            self._ledger.store_attributes(treatment.settings, stored)
        return tuple(Attribute(**a) for a in json.loads(stored))

    def _samples(self) -> Sequence[Document]:
        """Return a seeded sample, so that a second run asks the same question."""
        chosen = random.Random(_SEED).sample(  # noqa: S311 - not for secrets
            range(self._summary.documents), min(SAMPLES, self._summary.documents)
        )
        return [d for i, d in enumerate(self._documents()) if i in chosen]

    async def _treat_all(self, treatment: Treatment) -> None:
        """Treat what the ledger does not hold yet, at most `concurrency` documents at a time."""
        fingerprint, done = treatment.fingerprint, 0
        waiting = iter(self._documents())

        async def work() -> None:
            nonlocal done
            for document in waiting:
                if self._ledger.result(document.content_hash, fingerprint) is None:
                    result = await treatment.treat(document)
                    self._ledger.store_result(document.content_hash, fingerprint, result)
                else:
                    self._summary.resumed += 1
                done += 1
                self._progress("protect", done, self._summary.documents)

        try:
            async with asyncio.TaskGroup() as group:
                for _ in range(self._job.concurrency):
                    group.create_task(work())
        except ExceptionGroup as failures:
            raise failures.exceptions[0] from None

    async def _reword_all(self, treatment: Treatment) -> None:
        """Rewrite drafts that share wording with somebody else's document.

        Apart from the ledger's fingerprints on purpose: what others wrote changes with any
        document, and no draft should be made anew for that unless it must be.
        """
        limits = self._job.recipe.limits
        if limits is None or limits.run_tokens is None:
            return
        self._wording = WordingAudit((d.text for d in self._documents()), limits.run_tokens)
        for document in self._documents():
            result = self._finished(treatment, document)
            reworded = await treatment.reword(document, result, self._wording)
            if reworded is not result:
                self._ledger.store_result(document.content_hash, treatment.fingerprint, reworded)

    def _assemble(self) -> Assembly:
        if self._treatment is None:
            return assemble_plain(self._documents())
        treatment = self._treatment
        finished = ((d, self._finished(treatment, d)) for d in self._documents())
        return assemble(finished, treatment, self._wording)

    def _finished(self, treatment: Treatment, document: Document) -> Result:
        result = self._ledger.result(document.content_hash, treatment.fingerprint)
        if result is None:
            raise InputError("the corpus changed while it was indexed", hint="start again")
        renewed = treatment.renew(document, result)
        if renewed is not result:
            self._ledger.store_result(document.content_hash, treatment.fingerprint, renewed)
        return renewed

    def _embed(self, passages: Sequence[Passage]) -> Vectors:
        """Embed each passage's readable view, a batch at a time, taking from the ledger first."""
        embedder = self._job.embedder
        rows: list[Any] = []
        for start in range(0, len(passages), _EMBED_BATCH):
            texts = [readable_view(p.text) for p in passages[start : start + _EMBED_BATCH]]
            rows.extend(_embed_batch(self._ledger, embedder, texts))
            self._progress("embed", len(rows), len(passages))
        return np.stack(rows) if rows else np.zeros((0, embedder.dim), dtype=np.float32)

    def _manifest(self) -> dict[str, Any]:
        job, summary = self._job, self._summary
        return {
            "corpus": job.name,
            "recipe": job.recipe.name,
            "protection": job.recipe.protection,
            "policy": load_policy(job.recipe.policy).name if job.recipe.policy else None,
            "agents": job.roles.fingerprint if job.roles and job.recipe.synthesize else None,
            "embedder": job.embedder.name,
            "key_ids": (job.keyset.primary,) if job.keyset and job.recipe.policy else (),
            "counts": {
                "documents": summary.documents,
                "passages": summary.published,
                "quarantined": summary.quarantined,
            },
        }

    def _report(self) -> dict[str, Any]:
        """Return figures about the run; they go to the server, so they name no document."""
        summary = self._summary
        treated = list(self._published())
        rouge = [r.rouge_l for r in treated]
        return {
            "recipe": self._job.recipe.name,
            "documents": summary.documents,
            "published": summary.published,
            "quarantined": summary.quarantined,
            "reasons": summary.reasons,
            "resumed": summary.resumed,
            "seconds": round(summary.seconds, 2),
            "peak_memory_bytes": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024,
            "rounds": dict(sorted(Counter(str(r.rounds) for r in treated).items())),
            "longest_shared_run": max((r.longest_run for r in treated), default=None),
            "rouge_l_max": max(rouge, default=None),
            "rouge_l_mean": round(sum(rouge) / len(rouge), 4) if rouge else None,
            "quasi_identifiers": anonymity_figures(self._job.recipe, treated, self._job.recognizer),
            "attributes": [a.name for a in self._treatment.attributes] if self._treatment else [],
        }

    def _published(self) -> Iterator[Result]:
        if self._treatment is None:
            return
        for document in self._documents():
            if document.id not in self._refused:
                yield self._finished(self._treatment, document)


def _treatment(job: IndexJob) -> Treatment | None:
    if job.recipe.policy is None:
        return None
    if job.keyset is None:
        raise InputError(
            f"recipe `{job.recipe.name}` needs a keyset", hint="sage-rag keys new --out FILE"
        )
    return Treatment(job.recipe, job.keyset, job.name, job.recognizer, job.roles)


def _embed_batch(ledger: Ledger, embedder: Embedder, texts: Sequence[str]) -> list[Any]:
    hashes = [hashlib.sha256(text.encode()).hexdigest() for text in texts]
    known = {h: ledger.vector(h, embedder.name) for h in hashes}
    missing = {h: t for h, t in zip(hashes, texts, strict=True) if known[h] is None}
    fresh = dict(zip(missing, embedder.embed(list(missing.values())), strict=True))
    if fresh:
        ledger.store_vectors(embedder.name, fresh)
    return [fresh.get(h, known[h]) for h in hashes]


def _write_quarantine(path: Path, refused: Sequence[Refused]) -> None:
    """Write the owner's list of refused documents, replacing the last run's."""
    lines = [json.dumps({"id": i, "reasons": r}, ensure_ascii=False) + "\n" for i, r in refused]
    aside = path.with_suffix(".tmp")
    aside.write_text("".join(lines), "utf-8")
    aside.chmod(0o600)
    aside.replace(path)
