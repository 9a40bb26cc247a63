"""Synthesise a corpus into a folder of shards; a killed run resumes where it ended."""

from __future__ import annotations

import hashlib
import itertools
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from sage_rag.agents.exceptions import AgentOutputError
from sage_rag.common.batches import batches_of
from sage_rag.common.exceptions import ProtectionError
from sage_rag.common.ledger import StageLedger, StageTable
from sage_rag.common.progress import Progress
from sage_rag.privacy.entities import EntityType
from sage_rag.privacy.protocols import EntityCipher
from sage_rag.training.owner_folder import LEDGER, check_for, owner_folder_for
from sage_rag.training.synthesis.leakage import encrypted_values, leakage
from sage_rag.training.synthesis.page import DRAWN, GraphView, graph_view, write_page
from sage_rag.training.synthesis.samples import Sample, SourceDocument, SynthesisError
from sage_rag.training.synthesis.shards import (
    MANIFEST,
    SHARDS,
    Row,
    Shard,
    remove_manifest,
    write_manifest,
    write_shards,
)
from sage_rag.training.synthesis.synthesis import DocumentSynthesis, Synthesizer

_LEDGER_VERSION = 1
_TABLE = StageTable("documents")
_BATCH = 8
"""Documents between two commits. The codebook is stored first, so that every stored token has its
code there."""
_NAMED = 5
"""Documents that an error names."""

OpenCipher = Callable[[], AbstractContextManager[EntityCipher | None]]
Build = Callable[[EntityCipher | None], Synthesizer]


@dataclass(frozen=True)
class SynthesisJob:
    """A corpus and what to make of it.

    `open_cipher` yields the cipher for one batch of documents, and stores its new codes at the
    end. `build` makes a synthesizer with a cipher. `settings`: names and numbers for the manifest
    and every sample; `fingerprint`: changes with the cipher, its key and the corpus's name.
    """

    documents: Sequence[SourceDocument]
    folder: Path
    open_cipher: OpenCipher
    build: Build
    settings: dict[str, Any]
    fingerprint: str


@dataclass
class Summary:
    """Counts of a run. `failures`: the reason by document id."""

    documents: int = 0
    resumed: int = 0
    samples: int = 0
    tokens: int = 0
    made_tokens: int = 0
    """Tokens of samples that this run made: without those of documents that it resumed."""
    seconds: float = 0.0
    failures: dict[str, str] = field(default_factory=dict)
    shards: list[Shard] = field(default_factory=list)

    @property
    def rate(self) -> float:
        """Tokens of samples made in a second."""
        return self.made_tokens / self.seconds if self.seconds else 0.0

    def line(self) -> str:
        """Return tokens and rate for a terminal."""
        return f"{self.tokens:,} tokens, {self.rate:,.0f} tokens/s"


def run_synthesis(job: SynthesisJob, progress: Progress, summary: Summary | None = None) -> Summary:
    """Synthesise the documents, then write shards, manifest and page.

    `summary` is filled while the run goes on, for a progress bar. A document that cannot be
    protected, or for which a model has no usable answer, is left out and counted as a failure.

    Guarantees: a run that is killed at any moment and started again gives the same shards, byte by
    byte, as one that is not (with a model: as long as its replies are stored). The manifest exists
    only where all shards are complete.

    Raises:
        InputError: when another run uses the folder, or made what it holds, or it cannot be
            written.
        SageRagError: when the cipher or a model fails for all documents; finished ones are kept.
    """
    summary = summary if summary is not None else Summary()
    with owner_folder_for(job.folder, *_run_of(job.settings["corpus"])) as owner:
        remove_manifest(job.folder)
        ledger = StageLedger(owner / LEDGER, [_TABLE], version=_LEDGER_VERSION)
        try:
            keys = _synthesize_all(job, ledger, progress, summary)
            found = (ledger.stored(_TABLE, *key) for key in keys)
            _write(job, owner, (result for result in found if result), summary)
        finally:
            ledger.close()
    return summary


def check_folder(folder: Path, corpus: str) -> None:
    """Check that a folder is free for the synthesis of a corpus, or belongs to it.

    Raises:
        InputError: as `check_for`.
    """
    check_for(folder, *_run_of(corpus))


def _run_of(corpus: str) -> tuple[str, tuple[str, ...]]:
    return f"synthesize {corpus}", (MANIFEST, SHARDS)


def raise_for_failures(summary: Summary) -> None:
    """Raise `SynthesisError` if documents are missing from the shards."""
    if summary.failures:
        names = ", ".join(f"`{name}`" for name in itertools.islice(summary.failures, _NAMED))
        raise SynthesisError(
            f"{len(summary.failures)} of {summary.documents} documents are not in the shards: "
            f"{names}{' ...' if len(summary.failures) > _NAMED else ''}; "
            f"first reason: {next(iter(summary.failures.values()))}",
            hint="start again to try them once more: finished documents are kept, and so are the"
            " answers of a model that could be used",
        )


def _synthesize_all(
    job: SynthesisJob, ledger: StageLedger, progress: Progress, summary: Summary
) -> list[tuple[str, str]]:
    """Synthesise what the ledger lacks; return the ledger's key of each document, in order."""
    began = time.monotonic()
    keys: list[tuple[str, str]] = []
    summary.documents = len(job.documents)
    done = 0
    for batch in batches_of(job.documents, _BATCH):
        made: dict[str, dict[str, Any]] = {}
        with job.open_cipher() as cipher:
            synthesizer = job.build(cipher)
            fingerprint = f"{job.fingerprint}/{synthesizer.fingerprint}"
            for document in batch:
                content = _content_hash(document)
                result = ledger.stored(_TABLE, content, fingerprint)
                if result is not None:
                    summary.resumed += 1
                else:
                    result = made[content] = _result(document, synthesizer, cipher, job, summary)
                if result:
                    keys.append((content, fingerprint))
                    summary.tokens += result["tokens"]
                    summary.samples += len(result["samples"])
                    summary.made_tokens += result["tokens"] if content in made else 0
                done += 1
                summary.seconds = time.monotonic() - began
                progress("synthesize", done, len(job.documents))
        # The codebook is on the disk now.
        ledger.store(_TABLE, fingerprint, {c: r for c, r in made.items() if r})
    return keys


def _content_hash(document: SourceDocument) -> str:
    return hashlib.sha256(f"{document.id}\0{document.text}".encode("utf-8", "replace")).hexdigest()


def _result(
    document: SourceDocument,
    synthesizer: Synthesizer,
    cipher: EntityCipher | None,
    job: SynthesisJob,
    summary: Summary,
) -> dict[str, Any]:
    """Return what the ledger stores of a document; an empty object for a failure."""
    try:
        made = synthesizer.synthesize(document)
    except (AgentOutputError, ProtectionError, SynthesisError) as error:
        summary.failures[document.id] = error.message
        return {}
    source = cipher.encrypt(document.id, EntityType.SOURCE) if cipher else document.id
    found = leakage(encrypted_values(made.document), (s.text for s in made.samples))
    return {
        "samples": [_row(sample, source, job.settings) for sample in made.samples],
        "tokens": sum(sample.tokens for sample in made.samples),
        "refusals": dict(made.refusals),
        "plain": dict(found.plain),
        "encrypted": dict(found.encrypted),
        "graph": _graph(made, cipher),
    }


def _graph(made: DocumentSynthesis, cipher: EntityCipher | None) -> dict[str, Any]:
    return graph_view(made.document, made.graph, cipher).stored


def _row(sample: Sample, source: str, settings: dict[str, Any]) -> dict[str, Any]:
    return {
        "text": sample.text,
        "source": source,
        "kind": sample.kind,
        "tuple": list(sample.members),
        "entities": list(sample.entities),
        "writer": sample.writer,
        "recipe": settings["recipe"],
        "cipher": settings["cipher"],
        "encrypted": settings["encrypted"],
        "tokens": sample.tokens,
    }


def _write(
    job: SynthesisJob, owner: Path, results: Iterable[dict[str, Any]], summary: Summary
) -> None:
    """Write shards, page and manifest from the stored results, one document at a time."""
    counts: dict[str, Counter[str]] = {n: Counter() for n in ("refusals", "plain", "encrypted")}
    views: list[GraphView] = []

    def rows() -> Iterator[Row]:
        for result in results:
            for name, counter in counts.items():
                counter.update(result[name])
            if len(views) < DRAWN:
                views.append(GraphView.of(result["graph"]))
            yield from result["samples"]

    summary.shards = write_shards(job.folder, rows())
    write_page(owner, views, summary.documents)
    facts = {
        **job.settings,
        "documents": summary.documents - len(summary.failures),
        "failures": len(summary.failures),
        "samples": summary.samples,
        "tokens": summary.tokens,
        "refused_drafts": dict(counts["refusals"].most_common()),
        "plain_mentions": dict(sorted(counts["plain"].items())),
        "encrypted_mentions": dict(sorted(counts["encrypted"].items())),
    }
    write_manifest(job.folder, facts, summary.shards)
