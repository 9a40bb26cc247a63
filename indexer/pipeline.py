"""The pipeline: turn documents into one published version; resume after a kill at any point."""

from __future__ import annotations

import gc
import time
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from contextlib import closing, contextmanager
from dataclasses import replace
from functools import partial
from typing import Any

from sage_rag.common.exceptions import InputError
from sage_rag.common.progress import Progress
from sage_rag.indexer.assembly import Assembly
from sage_rag.indexer.changes import changes
from sage_rag.indexer.consensus.layer import ConsensusLayer
from sage_rag.indexer.embedding import text_hash
from sage_rag.indexer.engines.local import Engine, in_process
from sage_rag.indexer.index_run import IndexRun, embedded_text
from sage_rag.indexer.job import IndexJob, Summary
from sage_rag.indexer.ledger import Ledger, locked_corpus
from sage_rag.indexer.passages import CONSENSUS, RECORDS
from sage_rag.indexer.protocols import Vector, Vectors
from sage_rag.indexer.publishing import nothing_passed, publish
from sage_rag.indexer.reading import CorpusReading
from sage_rag.indexer.records_layer import RecordsLayer
from sage_rag.indexer.reporting import manifest_of, run_report
from sage_rag.indexer.timing import timed
from sage_rag.indexer.versions import corpus_folder, next_number
from sage_rag.privacy.lookup import sealed_lookup
from sage_rag.privacy.policy import load_policy
from sage_rag.privacy.tokens import tokens_in

__all__ = ["IndexJob", "Progress", "Summary", "index_corpus"]


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
    next_number(corpus_folder(job.home, job.name))  # raises now rather than after hours
    with (
        locked_corpus(job.owner_folder),
        closing(Ledger(job.owner_folder / "ledger.sqlite")) as ledger,
        closing(_start_engine(job)) as engine,  # ends before the ledger, which its threads use
        _frozen_objects(),
    ):
        return await _run(_parts(job, ledger, engine, progress), notice)


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


def _parts(job: IndexJob, ledger: Ledger, engine: Engine, progress: Progress) -> IndexRun:
    with_engine = replace(
        job,
        recognizer=timed(engine.recognizer, job.timer, "recognise", "recognize"),
        embedder=timed(engine.embedder, job.timer, "embed", "embed"),
    )
    timed_ledger = timed(ledger, job.timer, "ledger")
    return IndexRun(with_engine, timed_ledger, engine, progress, CorpusReading(with_engine))


async def _run(run: IndexRun, notice: Callable[[str], None] | None) -> Summary:
    started = time.monotonic()
    records = RecordsLayer(run) if RECORDS in run.job.layers else None
    consensus = ConsensusLayer(run) if CONSENSUS in run.job.layers else None
    if line := _read(run, records):
        (notice or (lambda _: None))(line)
    now, summary = run.reading.contents, run.summary
    summary.documents, summary.blank = len(now), run.reading.blank
    summary.changes = changes(run.ledger.documents(), now)
    assembly = Assembly()
    if consensus:
        assembly += await consensus.assemble()
    if records:
        assembly += await records.assemble()
    run.refuse(assembly.refused, records.fingerprint if records else "")
    if records and not any(passage.layer == RECORDS for passage in assembly.passages):
        layer = RECORDS if consensus else ""
        raise nothing_passed(run.job.home, run.job.name, run.job.recipe.name, layer)
    texts = [embedded_text(passage) for passage in assembly.passages]
    vectors = await run.embed(texts)
    sentences = await run.embed_sentences(assembly.passages)
    summary.published = len(assembly.passages)
    summary.seconds = time.monotonic() - started
    with run.time("report"):
        report = {**run_report(run.job, summary), **(records.report() if records else {})}
        report |= consensus.report() if consensus else {}
    _publish(run, assembly, vectors, sentences, report)
    views = (view for vectors_of_passage in sentences for view in vectors_of_passage)
    embedded = {*map(text_hash, [*texts, *views]), *(consensus.embedded if consensus else ())}
    _remember(run, now, embedded)
    return summary


def _remember(run: IndexRun, contents: Mapping[str, str], embedded: Set[str]) -> None:
    """Record in the ledger what is published, and forget what the corpus no longer has.

    Raises:
        InputError: when the ledger cannot be written; it says that the version is out.
    """
    try:
        run.ledger.store_documents(contents, embedded)
    except InputError as error:
        number = int(run.summary.path.name) if run.summary.path else 0
        raise InputError(
            f"version {number} of `{run.job.name}` is published, but {error.message}",
            hint=f"{error.hint}; until then the ledger keeps what the corpus no longer has",
        ) from None


def _read(run: IndexRun, records: RecordsLayer | None) -> str | None:
    """Read the corpus for the first time; return what the owner may want to know."""
    documents = run.reading.first()
    if records is not None:
        return records.read(documents)
    deque(documents, maxlen=0)
    return None


def _publish(
    run: IndexRun,
    assembly: Assembly,
    vectors: Vectors,
    sentences: Sequence[Mapping[str, Vector]],
    report: Mapping[str, Any],
) -> None:
    job, summary = run.job, run.summary
    with run.time("publish"):
        summary.path = publish(
            job.home,
            job.name,
            assembly.passages,
            vectors,
            lexical=assembly.lexical,
            manifest=manifest_of(job, summary),
            report=report,
            lookup=_lookup(job, assembly),
            sentences=sentences,
        )


def _lookup(job: IndexJob, assembly: Assembly) -> Callable[[int], bytes] | None:
    """Return what makes the lookup for edges; `None` if the version is made without keys."""
    if job.keyset is None or job.recipe.policy is None:
        return None
    texts = (passage.text for passage in assembly.passages)
    tokens = (token for text in assembly.lexical for token in tokens_in(text))
    policy = load_policy(job.recipe.policy)
    return partial(sealed_lookup, texts, tokens, job.keyset, job.name, policy)
