"""Measure the cost of the pipeline itself: with a slow model, and without a model.

    python benchmarks/pipeline.py model [--records 2560] [--concurrency 64] [--latency-ms 200]
    python benchmarks/pipeline.py stages [--records 144] [--corpus notes.jsonl]

Both take `--json FILE`. Records are copies of `examples/clinic.jsonl`, each with its own number,
unless `--corpus` names a jsonl file with `question` and `answer`.

`model` measures calls per second against a scripted model in a separate process, which answers
after the latency; the maximum is concurrency / latency. The first and the last calls, of which
fewer are open, count too: their weight falls with the number of records. The baseline sends as many
prompts of the same length through the same client without a pipeline. Names come from a table and
all vectors are equal, so the figures are those of the pipeline, the agents and the client. Other
processes lengthen the wall time, and less so `cpu_ms_per_call`, this process's own time. While it
is below latency / concurrency (`core_needed` below 1), one core keeps all calls open.

`stages` measures the processor time of each stage without the stages inside it, one record at a
time: rules do the roles, recognizer and embedder are the default ones. `machinery` is the rest of
the run: reading, hashing, ledger, fingerprints, threads, progress, publishing. It is compared with
the time to embed each published passage once.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import statistics
import subprocess
import sys
import time
from collections import defaultdict
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import closing, contextmanager, nullcontext
from dataclasses import replace
from multiprocessing import get_context
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

os.environ.setdefault("OMP_NUM_THREADS", "1")  # so that work costs the same in every thread

import numpy as np

from sage_rag.agents.attributes import load_attributes
from sage_rag.agents.chat.options import ModelOptions, chat_model
from sage_rag.agents.chat.protocols import ChatMessage
from sage_rag.agents.model.roles import model_roles
from sage_rag.agents.refinement import DEFAULT_OPTIONS, RefinementOptions
from sage_rag.agents.rules.roles import rules_roles
from sage_rag.agents.team.conversation import team
from sage_rag.common.jsonl import rows
from sage_rag.indexer.corpus_file import CorpusFile
from sage_rag.indexer.embedding import WrappedEmbedder, embedder_called
from sage_rag.indexer.job import IndexJob, Summary
from sage_rag.indexer.pipeline import index_corpus
from sage_rag.indexer.protocols import Embedder, Vectors
from sage_rag.indexer.timing import timed
from sage_rag.indexer.versions import open_version
from sage_rag.indexer.wiring import index_job
from sage_rag.privacy.entities import EntityType
from sage_rag.privacy.keyset.keyset import Keyset
from sage_rag.privacy.recognizers.default import default_recognizer
from sage_rag.privacy.testing import TableRecognizer
from sage_rag.privacy.tokens import readable_view

_ROOT = Path(__file__).parents[1]
_AGENT_STAGES = ("identify", "extract", "generate", "review", "rewrite")
_LABELS = {"judge": "gate", **dict.fromkeys(_AGENT_STAGES, "agents")}
"""Stages under another name in the table."""
_MACHINERY = ("read", "ledger", "publish", "other")
_NAMES = {"Tomasz Wieczorek": EntityType.PERSON, "Agnieszka": EntityType.PERSON}


class OneVector:
    """Embed every text as the same vector, at no cost."""

    name = "one-vector"
    dim = 8

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return the same vector for each text."""
        return np.full((len(texts), self.dim), self.dim**-0.5, dtype=np.float32)


def write_corpus(count: int, source: Path | None, folder: Path) -> Path:
    """Write `count` records, no two equal; return the file."""
    originals = list(rows(source or _ROOT / "examples" / "clinic.jsonl"))
    path = folder / f"corpus-{count}.jsonl"
    with path.open("w", encoding="utf-8") as file:
        for i in range(count):
            record = {name: originals[i % len(originals)][name] for name in ("question", "answer")}
            if i >= len(originals):
                record["question"] += f" This is copy {i // len(originals)}."
            file.write(json.dumps({"id": str(i), **record}, ensure_ascii=False) + "\n")
    return path


def job_of(path: Path, home: Path, **settings: Any) -> IndexJob:
    """Return a run of recipe `sage` with a new ledger."""
    job = index_job(
        CorpusFile(source=path, fields=("question", "answer"), recipe="sage"),
        "bench",
        home,
        Keyset.generate(),
        recognizer=TableRecognizer(_NAMES),
        embedder=OneVector(),
        roles=rules_roles(),
    )
    return replace(job, **settings)


@contextmanager
def scripted_model(latency_ms: int) -> Iterator[str]:
    """Serve the scripted model in another process; yield its address."""
    module = ["-m", "sage_rag.agents.testing.server", "--latency-ms", str(latency_ms)]
    command = [sys.executable, *module]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=_ROOT) as server:
        assert server.stdout is not None
        try:
            yield server.stdout.readline().strip()
        finally:
            server.terminate()


def calls_row(name: str, calls: int, wall: float, cpu: float, arguments: Any) -> dict[str, Any]:
    """Return one row: number, rate and cost of the calls."""
    most = arguments.concurrency / (arguments.latency_ms / 1000)
    return {
        "way": name,
        "calls": calls,
        "calls_per_s": round(calls / wall, 1),
        "of_most": round(calls / wall / most, 3),
        "cpu_ms_per_call": round(1000 * cpu / calls, 3),
        "core_needed": round(cpu / calls * most, 3),
    }


async def bare(url: str, arguments: argparse.Namespace, calls: int) -> dict[str, Any]:
    """Make as many calls without a pipeline, the same number at a time."""
    model = chat_model(
        ModelOptions(base_url=url, name="scripted"), concurrency=arguments.concurrency
    )
    prompt = "word " * 700
    await model.complete([ChatMessage("system", prompt), ChatMessage("user", "first")])
    cpu, wall = time.process_time(), time.perf_counter()
    waiting = iter(range(calls))

    async def ask() -> None:
        for number in waiting:
            await model.complete([ChatMessage("system", prompt), ChatMessage("user", str(number))])

    await asyncio.gather(*(ask() for _ in range(arguments.concurrency)))
    row = calls_row(
        "no pipeline", calls, time.perf_counter() - wall, time.process_time() - cpu, arguments
    )
    await model.close()
    return row


async def through(
    url: str, arguments: argparse.Namespace, name: str, refinement: RefinementOptions, folder: Path
) -> dict[str, Any]:
    """Index with a model; measure from the first call to the last treated document."""
    options = ModelOptions(base_url=url, name="scripted")
    model = chat_model(options, concurrency=arguments.concurrency)
    begun: list[tuple[float, float]] = []

    def begin(stage: str) -> Any:
        if not begun and stage in _AGENT_STAGES:
            begun.append((time.perf_counter(), time.process_time()))
        return nullcontext()

    job = job_of(
        write_corpus(arguments.records, arguments.corpus, folder),
        folder / name.replace(" ", "-"),
        roles=model_roles(model),
        refinement=refinement,
        costs=model.costs,
        concurrency=arguments.concurrency,
        timer=begin,
        attributes=load_attributes("medical-dialogue", ["question", "answer"]),
    )
    moments: list[tuple[float, float, int]] = []

    def progress(stage: str, done: int, total: int) -> None:
        if stage == "protect":
            moments.append((time.perf_counter(), time.process_time(), model.costs.total.calls))

    await index_corpus(job, progress)
    await model.close()
    (wall, cpu), (ended, used, calls) = begun[0], moments[-1]
    return calls_row(name, calls, ended - wall, used - cpu, arguments)


def with_a_model(arguments: argparse.Namespace) -> list[dict[str, Any]]:
    """Return calls per second of loop, team and no pipeline, each in a new process."""
    with ProcessPoolExecutor(1, get_context("spawn"), max_tasks_per_child=1) as processes:
        rows = [processes.submit(_way, name, arguments).result() for name in ("loop", "team")]
        rows.append(processes.submit(_bare, arguments, rows[0]["calls"]).result())
    for row in rows:
        row["of_bare"] = round(row["calls_per_s"] / rows[-1]["calls_per_s"], 3)
    return rows


def _way(name: str, arguments: argparse.Namespace) -> dict[str, Any]:
    refinement = RefinementOptions(conversation=team) if name == "team" else DEFAULT_OPTIONS
    with TemporaryDirectory() as folder, scripted_model(arguments.latency_ms) as url:
        warm = argparse.Namespace(**{**vars(arguments), "records": 8})
        asyncio.run(through(url, warm, "warm", refinement, Path(folder)))
        return asyncio.run(through(url, arguments, name, refinement, Path(folder)))


def _bare(arguments: argparse.Namespace, calls: int) -> dict[str, Any]:
    with scripted_model(arguments.latency_ms) as url:
        return asyncio.run(bare(url, arguments, calls))


class Meter:
    """Processor time by stage, without the stages inside it; one stage works at a time."""

    def __init__(self) -> None:
        self.seconds: defaultdict[str, float] = defaultdict(float)
        self._inner = 0.0
        """Time of the stages that ended inside the current one."""

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        """Measure the block, in all threads of the process."""
        before, self._inner = self._inner, 0.0
        began = time.process_time()
        try:
            yield
        finally:
            took = time.process_time() - began
            self.seconds[_LABELS.get(name, name)] += took - self._inner
            self._inner = before + took


class CountingEmbedder(WrappedEmbedder):
    """Count the embedded texts, and time them as a stage."""

    def __init__(self, embedder: Embedder, meter: Meter) -> None:
        super().__init__(timed(embedder, meter.stage, "embed", "embed"))
        self.texts = 0

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return the vectors of the wrapped embedder."""
        self.texts += len(texts)
        return self._embedder.embed(texts)


def without_a_model(arguments: argparse.Namespace) -> list[dict[str, Any]]:
    """Return the processor time of each stage and of the machinery."""
    inner, recognizer = embedder_called(), default_recognizer()
    with TemporaryDirectory() as name:
        folder = Path(name)
        for records in (8, arguments.records):  # the first run loads the models
            meter = Meter()
            embedder = CountingEmbedder(inner, meter)
            job = job_of(
                write_corpus(records, arguments.corpus, folder),
                folder / str(records),
                recognizer=recognizer,
                embedder=embedder,
                roles=rules_roles(),
                concurrency=1,
                timer=meter.stage,
            )
            began = time.process_time()
            summary = asyncio.run(index_corpus(job, lambda *_: None))
            total = time.process_time() - began
        once = embedded_once(summary, inner)
    return stage_rows(meter, total, summary.published, embedder.texts, once)


def embedded_once(summary: Summary, embedder: Embedder) -> float:
    """Return the processor time, in seconds, of embedding each published passage once."""
    assert summary.path is not None
    with closing(open_version(summary.path)) as version:
        passages = [readable_view(version.passage(row).text) for row in range(len(version))]
    cpu = time.process_time()
    for passage in passages:
        embedder.embed([passage])
    return time.process_time() - cpu


def stage_rows(
    meter: Meter, total: float, published: int, embedded: int, once: float
) -> list[dict[str, Any]]:
    """Return a row for each stage with its share of `once`, and one for the machinery."""
    seconds = dict(meter.seconds)
    seconds["other"] = total - sum(seconds.values())
    rows = [
        {"stage": label, "cpu_s": round(s, 3), "of_embedding": round(s / once, 3)}
        for label, s in sorted(seconds.items(), key=lambda item: -item[1])
    ]
    own = sum(seconds.get(label, 0.0) for label in _MACHINERY)
    rows.append({"stage": "= machinery", "cpu_s": round(own, 3)})
    rows[-1]["of_embedding"] = round(own / once, 3)
    rows[-1]["note"] = f"{1000 * own / published:.1f} ms per record; {embedded} texts embedded"
    return rows


def medians(runs: list[list[dict[str, Any]]]) -> list[dict[str, Any]]:
    """Return the median of each figure over runs whose rows are in the same order."""
    key = next(iter(runs[0][0]))
    found = []
    for row in runs[0]:
        same = [other for run in runs for other in run if other[key] == row[key]]
        found.append(
            {
                name: statistics.median(o[name] for o in same) if isinstance(v, float) else v
                for name, v in row.items()
            }
        )
    return found


def main() -> None:
    """Measure, print a table, and write the figures."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("what", choices=("model", "stages"))
    parser.add_argument("--records", type=int)
    parser.add_argument("--corpus", type=Path)
    parser.add_argument("--concurrency", type=int, default=64)
    parser.add_argument("--latency-ms", type=int, default=200)
    parser.add_argument("--repeat", type=int, default=3, help="runs, of which the median counts")
    parser.add_argument("--json", type=Path)
    arguments = parser.parse_args()
    arguments.records = arguments.records or (2560 if arguments.what == "model" else 144)
    measure = with_a_model if arguments.what == "model" else without_a_model
    rows = medians([measure(arguments) for _ in range(arguments.repeat)])
    for row in rows:
        print("  ".join(f"{name} {value}" for name, value in row.items()))
    if arguments.json:
        arguments.json.write_text(json.dumps(rows, indent=2) + "\n")


if __name__ == "__main__":
    main()
