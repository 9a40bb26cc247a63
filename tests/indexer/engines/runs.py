"""Runs of the small corpus in a separate process: `python -m tests.indexer.engines.runs ...`.

Ray leaves processes behind that pytest would report as ours, and only a separate process can be
interrupted or killed. The keyset comes through standard input.
"""

from __future__ import annotations

import asyncio
import json
import signal
import sys
from collections import Counter
from dataclasses import asdict, replace
from functools import partial
from pathlib import Path
from typing import Any, ClassVar

from sage_rag.agents.protocols import Roles
from sage_rag.agents.testing import ReversingAgent
from sage_rag.common.exceptions import SageRagError, UpstreamError
from sage_rag.indexer.corpus_file import CorpusFile
from sage_rag.indexer.engines.local import on_processes
from sage_rag.indexer.engines.models import ModelSetup
from sage_rag.indexer.engines.ray import on_ray
from sage_rag.indexer.job import IndexJob
from sage_rag.indexer.ledger import Ledger, Result
from sage_rag.indexer.pipeline import index_corpus
from sage_rag.indexer.recipes import recipe_called
from sage_rag.indexer.testing import HashEmbedder
from sage_rag.indexer.wiring import index_job
from sage_rag.privacy.keyset.raw import parse_raw
from sage_rag.privacy.protect import ProtectedText
from tests.indexer.engines.corpora import MortalRecognizer, SlowRecognizer, table

STARTS = {"local": on_processes, "ray": on_ray}


class Down(ReversingAgent):
    """A model that answers eleven times."""

    async def extract(self, record: ProtectedText, attributes: Any) -> Any:
        if self.extracted == 11:
            raise UpstreamError("the model endpoint failed")
        return await super().extract(record, attributes)


class CountingLedger(Ledger):
    """Count how often each result is stored."""

    times: ClassVar[Counter[str]] = Counter()

    def store_result(self, content_hash: str, fingerprint: str, result: Result) -> None:
        self.times[content_hash] += 1
        super().store_result(content_hash, fingerprint, result)


def _job(engine: str, folder: Path, home: str, worker: Any, here: Any, agent: Any) -> IndexJob:
    job = index_job(
        CorpusFile(source=folder / "corpus.jsonl", recipe="sage"),
        "clinic",
        folder / home,
        _KEYSET,
        recipe=replace(recipe_called("sage"), own_limits={"meaning": False}),  # words are reversed
        recognizer=here,
        embedder=HashEmbedder(),
        roles=Roles(agent, agent, agent, agent, agent, "test"),
    )
    start = partial(STARTS[engine], ModelSetup(worker, HashEmbedder), 2, threads=8)
    return replace(job, engine=start)


def _quiet(*_: object) -> None:
    pass


def killed(engine: str, folder: Path) -> None:
    """Index with a worker that is killed midway; print how often each result was stored."""
    from sage_rag.indexer import pipeline

    pipeline.Ledger = CountingLedger  # type: ignore[misc]
    agent, worker = ReversingAgent(), partial(MortalRecognizer, str(folder / "died"))
    job = _job(engine, folder, "several", worker, MortalRecognizer(), agent)
    summary = asyncio.run(index_corpus(job, _quiet))
    times = sorted(CountingLedger.times.values())
    outcome = {**asdict(summary), "path": None, "times": times, "extracted": agent.extracted}
    sys.stdout.write(json.dumps(outcome))


def down(engine: str, folder: Path) -> None:
    """Index with a model that fails; print the error."""
    job = _job(engine, folder, "home", table, table(), Down())
    try:
        asyncio.run(index_corpus(job, _quiet))
    except SageRagError as error:
        sys.stdout.write(json.dumps({"kind": type(error).__name__, "message": error.message}))


def slow(engine: str, folder: Path) -> None:
    """Index slowly; print a line after the first document."""
    # A background job of a shell ignores Ctrl-C, and its children inherit that.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    job = _job(engine, folder, "home", SlowRecognizer, SlowRecognizer(), ReversingAgent())

    def progress(stage: str, done: int, total: int) -> None:
        if done == 1:
            sys.stdout.write("started\n")
            sys.stdout.flush()

    asyncio.run(index_corpus(job, progress))


if __name__ == "__main__":
    _KEYSET = parse_raw(sys.stdin.readline().strip())
    {"killed": killed, "down": down, "slow": slow}[sys.argv[1]](sys.argv[2], Path(sys.argv[3]))
