"""Measure what the documents of a corpus cost in time: treat a few of them as a run does."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from contextlib import closing, suppress
from dataclasses import dataclass, replace

from sage_rag.agents.chat.structured import as_json
from sage_rag.agents.samples import SAMPLES
from sage_rag.common.exceptions import ProtectionError
from sage_rag.indexer.concurrency import each
from sage_rag.indexer.corpus import Document
from sage_rag.indexer.engines.local import Engine, in_process
from sage_rag.indexer.job import IndexJob, records_in_work, treatment_of
from sage_rag.indexer.treatment import Treatment

SAMPLE = 20
"""Documents that a sample has at most."""
_LEAST, _SHARE = 5, 1 / 20
"""Documents that a sample has at least; else its share of the text to treat."""
BYTES_PER_TOKEN = 4
"""An average for English; other scripts need more tokens for fewer bytes."""


@dataclass(frozen=True, slots=True)
class SampleWork:
    """The work on a sample: `documents` treated, their lengths in tokens, and wall time.

    `load_s`: seconds until the models have read the first text. `seconds_per_char`: of the rest.
    """

    documents: int = 0
    tokens: tuple[float, ...] = ()
    load_s: float = 0.0
    seconds_per_char: float = 0.0


def sample_of(documents: Sequence[Document], chars: int) -> list[Document]:
    """Return the first documents that hold a twentieth of `chars`, at least 5 and at most 20."""
    taken: list[Document] = []
    for document in documents[:SAMPLE]:
        if len(taken) >= _LEAST and sum(len(d.text) for d in taken) >= _SHARE * chars:
            break
        taken.append(document)
    return taken


def sample_work(job: IndexJob, treatment: Treatment, sample: Sequence[Document]) -> SampleWork:
    """Treat a sample in this process, with the threads of a run; ask no model, write nothing.

    Worker processes are not started: for a run with several, the time is an upper bound.
    """
    if not sample:
        return SampleWork()
    engine = in_process(job.recognizer, job.embedder, threads=job.concurrency)
    with closing(engine):
        own = replace(job, recognizer=engine.recognizer, embedder=engine.embedder)
        threaded = treatment_of(own, run_in_executor=engine.run_in_executor) or treatment
        work = _work(own, engine, threaded.with_attributes(treatment.attributes), sample)
        return asyncio.run(work)


async def _work(
    job: IndexJob, engine: Engine, treatment: Treatment, sample: Sequence[Document]
) -> SampleWork:
    tokens: list[float] = []

    async def treat(document: Document) -> None:
        tokens.append(await _local_work(job, treatment, engine, document))

    started = time.perf_counter()
    if job.costs is None and job.roles is not None and not treatment.attributes.entries:
        protections = [await treatment.protect_sample(d) for d in sample[:SAMPLES]]
        if protected := [p.protected for p in protections if p is not None]:
            attributes = await job.roles.identifier.identify(protected)
            treatment = treatment.with_attributes(attributes)
    await treat(sample[0])
    loaded = time.perf_counter()
    rest = sample[1:] or sample
    await each(rest, treat, records_in_work(job, engine))
    seconds = (time.perf_counter() - loaded) / sum(len(document.text) for document in rest)
    return SampleWork(len(sample), tuple(tokens[: len(sample)]), loaded - started, seconds)


async def _local_work(
    job: IndexJob, treatment: Treatment, engine: Engine, document: Document
) -> float:
    """Do the part of a document's treatment that needs no model; return its length in tokens."""

    def protect_and_embed() -> float:
        with suppress(ProtectionError):
            protected = treatment.protect(document).protected
            job.embedder.embed([protected.text])
            return len(as_json(protected.fields).encode()) / BYTES_PER_TOKEN
        return 0.0

    if job.costs is None and not job.recipe.of_subjects:
        await treatment.treat(document)
        return len(as_json(document.fields).encode()) / BYTES_PER_TOKEN
    found: float = await engine.run_in_executor(protect_and_embed)
    return found
