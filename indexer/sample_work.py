"""Measure what the documents of a corpus cost in time: treat a few of them as a run does."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Mapping, Sequence
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

SAMPLE = 120
"""Documents that a sample has at most: enough to know a published share of 30 % within a third
(95 % interval)."""
_LEAST, _SHARE, _START = 5, 1 / 20, 300
"""Documents that a sample has at least; else its share of the text beyond that of `_START` average
documents: to start and to count costs about as much as a twentieth of those."""
BYTES_PER_TOKEN = 4
"""An average for English; other scripts need more tokens for fewer bytes."""


@dataclass(frozen=True, slots=True)
class SampleWork:
    """The work on a sample: `documents` treated, their lengths in tokens, and wall time.

    `load_s`: seconds until the models have read the first text. `seconds_per_char`: of the rest.
    `safe`: documents whose draft the gate passes; `None` where the drafts are a model's.
    """

    documents: int = 0
    safe: int | None = None
    tokens: tuple[float, ...] = ()
    load_s: float = 0.0
    seconds_per_char: float = 0.0


def sample_of(documents: Sequence[Document], chars: int, of: int) -> list[Document]:
    """Return the first documents, as many as an estimate for `of` documents can afford.

    `chars`: the text of all. The sample has at least 5 documents, and at most `SAMPLE`.
    """
    enough = _SHARE * chars * (1 - _START / max(of, _START))
    taken: list[Document] = []
    for document in documents[:SAMPLE]:
        if len(taken) >= _LEAST and sum(len(d.text) for d in taken) >= enough:
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
    safe: list[bool] = []

    async def treat(document: Document) -> None:
        if job.costs is None and not job.recipe.of_subjects:
            safe.append((await treatment.treat(document)).safe)
            tokens.append(_tokens(document.fields))
        else:
            tokens.append(await _protect_and_embed(job, treatment, engine, document))

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
    return SampleWork(
        documents=len(sample),
        safe=sum(safe[: len(sample)]) if safe else None,
        tokens=tuple(tokens[: len(sample)]),
        load_s=loaded - started,
        seconds_per_char=seconds,
    )


async def _protect_and_embed(
    job: IndexJob, treatment: Treatment, engine: Engine, document: Document
) -> float:
    """Do the part of a document's treatment that needs no model; return its length in tokens."""

    def work() -> float:
        with suppress(ProtectionError):
            protected = treatment.protect(document).protected
            job.embedder.embed([protected.text])
            return _tokens(protected.fields)
        return 0.0

    found: float = await engine.run_in_executor(work)
    return found


def _tokens(fields: Mapping[str, str]) -> float:
    return len(as_json(fields).encode()) / BYTES_PER_TOKEN
