"""What the pipeline adds to the work of its stages: beside a slow model, and without one.

    python benchmarks/pipeline.py model [--records 2560] [--concurrency 64] [--latency-ms 200]
    python benchmarks/pipeline.py stages [--records 144] [--corpus notes.jsonl]

Both take `--json FILE`. Records are copies of `examples/clinic.jsonl`, each with a number of its
own, unless `--corpus` names a jsonl file with `question` and `answer`.

`model`: calls a second against a scripted model in a process of its own, whose every answer takes
the latency; the most is concurrency / latency. The first calls' wait and the last ones, which are
fewer at a time, are in it: the fewer records, the more they weigh. The baseline sends as many
prompts of the same length through the same client without a pipeline. Names come from a table, and
vectors are all the same, so that what is measured is the pipeline, the agents and the client. Wall
time, which other processes lengthen; `cpu_ms_per_call` is this process's own time, which they
lengthen less: as long as it is under latency / concurrency, so that `core_needed` is under 1, one
core keeps all calls under way.

`stages`: rules do the roles, recognizer and embedder are the default ones. Processor time of the
thread in each stage's own work, each without what it asks of another; `machinery` is all the
rest of the run: reading, hashing, ledger, fingerprints, threads, progress. It and publishing are
held against the embedding of each published passage once.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import statistics
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import closing, contextmanager
from dataclasses import replace
from multiprocessing import get_context
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

os.environ.setdefault("OMP_NUM_THREADS", "1")  # so that a thread's time is all of its work's

import numpy as np

from sage_rag.agents.attributes import load_attributes
from sage_rag.agents.chat.options import ModelOptions, chat_model
from sage_rag.agents.chat.protocols import ChatMessage
from sage_rag.agents.model.roles import model_roles
from sage_rag.agents.refinement import DEFAULT_OPTIONS, RefinementOptions
from sage_rag.agents.rules import assignment, extractor
from sage_rag.agents.rules.roles import rules_roles
from sage_rag.agents.team.conversation import team
from sage_rag.indexer import pipeline
from sage_rag.indexer.audit import CorpusAudit, IdentifierAudit
from sage_rag.indexer.embedding import SentenceTransformerEmbedder
from sage_rag.indexer.job import IndexJob, Summary
from sage_rag.indexer.ledger import Ledger
from sage_rag.indexer.pipeline import index_corpus
from sage_rag.indexer.protocols import Vectors
from sage_rag.indexer.recipes import recipe_called
from sage_rag.indexer.treatment import Treatment
from sage_rag.indexer.versions import open_version
from sage_rag.privacy.entities import EntityType
from sage_rag.privacy.gate.gate import Gate
from sage_rag.privacy.keyset.keyset import Keyset
from sage_rag.privacy.protect import Protector
from sage_rag.privacy.recognizers.default import default_recognizer
from sage_rag.privacy.testing import TableRecognizer
from sage_rag.privacy.tokens import readable_view

_ROOT = Path(__file__).parents[1]
_NAMES = {"Tomasz Wieczorek": EntityType.PERSON, "Agnieszka": EntityType.PERSON}


class OneVector:
    """Find every text like every other, at no cost."""

    name = "one-vector"
    dim = 8

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return the same vector for each text."""
        return np.full((len(texts), self.dim), self.dim**-0.5, dtype=np.float32)


def corpus(count: int, source: Path | None, folder: Path) -> Path:
    """Write so many records, no two alike."""
    lines = (source or _ROOT / "examples" / "clinic.jsonl").read_text("utf-8").splitlines()
    given = [json.loads(line) for line in lines]
    path = folder / f"corpus-{count}.jsonl"
    with path.open("w", encoding="utf-8") as file:
        for i in range(count):
            record = {name: given[i % len(given)][name] for name in ("question", "answer")}
            if i >= len(given):
                record["question"] += f" This is copy {i // len(given)}."
            file.write(json.dumps({"id": str(i), **record}, ensure_ascii=False) + "\n")
    return path


def job_of(path: Path, home: Path, **settings: Any) -> IndexJob:
    """Return a run of recipe sage over a fresh ledger."""
    job = IndexJob(
        corpus=path,
        text_fields=("question", "answer"),
        name="bench",
        home=home,
        recipe=recipe_called("sage"),
        keyset=Keyset.generate(),
        recognizer=TableRecognizer(_NAMES),
        embedder=OneVector(),
        roles=rules_roles(),
    )
    return replace(job, **settings)


@contextmanager
def scripted_model(latency_ms: int) -> Iterator[str]:
    """Serve in another process; yield its address."""
    command = [
        sys.executable,
        "-m",
        "sage_rag.agents.testing.server",
        "--latency-ms",
        str(latency_ms),
    ]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=_ROOT) as server:
        assert server.stdout is not None
        try:
            yield server.stdout.readline().strip()
        finally:
            server.terminate()


def asked(name: str, calls: int, wall: float, cpu: float, arguments: Any) -> dict[str, Any]:
    """Return one row: how many calls were made, how fast, and at what cost."""
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
    """Ask as often without a pipeline, the same number at a time."""
    model = chat_model(
        ModelOptions(base_url=url, model="scripted"), concurrency=arguments.concurrency
    )
    prompt = "word " * 700
    await model.complete([ChatMessage("system", prompt), ChatMessage("user", "first")])
    cpu, wall = time.process_time(), time.perf_counter()
    waiting = iter(range(calls))

    async def ask() -> None:
        for number in waiting:
            await model.complete([ChatMessage("system", prompt), ChatMessage("user", str(number))])

    await asyncio.gather(*(ask() for _ in range(arguments.concurrency)))
    row = asked(
        "no pipeline", calls, time.perf_counter() - wall, time.process_time() - cpu, arguments
    )
    await model.close()
    return row


async def through(
    url: str, arguments: argparse.Namespace, name: str, refinement: RefinementOptions, folder: Path
) -> dict[str, Any]:
    """Index with a model; from the first call to the last document that is done."""
    options = ModelOptions(base_url=url, model="scripted")
    model = chat_model(options, concurrency=arguments.concurrency)
    begun: list[tuple[float, float]] = []
    complete = model.complete

    def noting_the_first(*asked: Any, **named: Any) -> Any:
        if not begun:
            begun.append((time.perf_counter(), time.process_time()))
        return complete(*asked, **named)

    model.complete = noting_the_first  # type: ignore[method-assign]
    job = job_of(
        corpus(arguments.records, arguments.corpus, folder),
        folder / name.replace(" ", "-"),
        roles=model_roles(model),
        refinement=refinement,
        accounts=model.accounts,
        concurrency=arguments.concurrency,
        attributes=load_attributes("medical-dialogue", ["question", "answer"]),
    )
    moments: list[tuple[float, float, int]] = []

    def progress(stage: str, done: int, total: int) -> None:
        if stage == "protect":
            moments.append((time.perf_counter(), time.process_time(), model.accounts.total.calls))

    await index_corpus(job, progress)
    await model.close()
    (wall, cpu), (ended, used, calls) = begun[0], moments[-1]
    return asked(name, calls, ended - wall, used - cpu, arguments)


def beside_a_model(arguments: argparse.Namespace) -> list[dict[str, Any]]:
    """Return calls a second: in the plain loop, by the team, bare; each in a fresh process."""
    with ProcessPoolExecutor(1, get_context("spawn"), max_tasks_per_child=1) as fresh:
        rows = [fresh.submit(_way, name, arguments).result() for name in ("loop", "team")]
        rows.append(fresh.submit(_bare, arguments, rows[0]["calls"]).result())
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
    """Processor time by label, each without what was measured inside it."""

    def __init__(self) -> None:
        self.seconds: Counter[str] = Counter()
        self._inner = threading.local()

    @contextmanager
    def of(self, label: str) -> Iterator[None]:
        """Measure the block, in whatever thread it runs."""
        before = getattr(self._inner, "spent", 0.0)
        self._inner.spent = 0.0
        began = time.thread_time()
        try:
            yield
        finally:
            took = time.thread_time() - began
            self.seconds[label] += took - self._inner.spent
            self._inner.spent = before + took

    def watch(self, owner: Any, name: str, label: str) -> Callable[[], None]:
        """Measure a method or function from now on; return what ends that."""
        original = getattr(owner, name)

        def measured(*arguments: Any, **named: Any) -> Any:
            with self.of(label):
                return original(*arguments, **named)

        async def measured_async(*arguments: Any, **named: Any) -> Any:
            with self.of(label):  # of agents that never wait
                return await original(*arguments, **named)

        asynchronous = asyncio.iscoroutinefunction(original)
        setattr(owner, name, measured_async if asynchronous else measured)
        return lambda: setattr(owner, name, original)


def watched(meter: Meter, job: IndexJob) -> list[Callable[[], None]]:
    """Measure every stage's own work, and publishing."""
    roles = job.roles
    assert roles is not None
    stages = [
        (type(job.recognizer), "recognize", "recognise"),
        (type(job.embedder), "embed", "embed"),
        (extractor.RuleExtractor, "_select", "agents"),
        (extractor, "arranged", "agents"),
        (extractor, "courtesies", "agents"),
        (assignment, "_hints", "agents"),
        (Protector, "protect", "protect"),
        (Gate, "judge", "gate"),
        (Treatment, "seal", "seal"),
        (IdentifierAudit, "add", "audit"),
        (IdentifierAudit, "count", "audit"),
        (CorpusAudit, "__init__", "audit"),
        (CorpusAudit, "judge", "audit"),
        (pipeline, "publish", "publish"),
        (pipeline, "report_of", "report"),
        (type(roles.identifier), "identify", "agents"),
        (type(roles.generator), "generate", "agents"),
        (type(roles.reviewer), "review", "agents"),
        (type(roles.rewriter), "rewrite", "agents"),
        *(
            (Ledger, name, "ledger")
            for name in (
                *("__init__", "result", "store_result", "draft", "store_draft", "decision"),
                *("vector", "store_vectors", "documents", "store_documents", "store_refusals"),
            )
        ),
    ]
    return [meter.watch(*stage) for stage in stages]


def without_a_model(arguments: argparse.Namespace) -> list[dict[str, Any]]:
    """Return processor time by stage, and the machinery's share."""
    with TemporaryDirectory() as name:
        folder = Path(name)
        embedder = SentenceTransformerEmbedder()
        real = {
            "recognizer": default_recognizer(),
            "embedder": embedder,
            "roles": rules_roles(embedder),
        }
        few = job_of(corpus(8, arguments.corpus, folder), folder / "warm", **real)
        asyncio.run(index_corpus(few, lambda *_: None))
        path = corpus(arguments.records, arguments.corpus, folder)
        job = job_of(path, folder / "home", **real)
        meter, texts = Meter(), Counter[str]()
        embed = type(job.embedder).embed

        def counted(embedder: Any, given: Any) -> Any:
            texts["embedded"] += len(given)
            return embed(embedder, given)

        type(job.embedder).embed = counted  # type: ignore[method-assign]
        ends = watched(meter, job)
        cpu = time.process_time()
        summary = asyncio.run(index_corpus(job, lambda *_: None))
        total = time.process_time() - cpu
        for end in ends:
            end()
        type(job.embedder).embed = embed  # type: ignore[method-assign]
        once = embedded_once(summary, embedder)
    return stage_rows(meter, total, summary.published, texts["embedded"], once)


def embedded_once(summary: Summary, embedder: SentenceTransformerEmbedder) -> float:
    """Return the processor time, in seconds, of embedding each published passage once."""
    assert summary.path is not None
    with closing(open_version(summary.path)) as version:
        passages = [readable_view(version.passage(row).text) for row in range(len(version))]
    cpu = time.process_time()
    for passage in passages:
        embedder.embed([passage])
    return time.process_time() - cpu


_OF_THE_PIPELINE = ("ledger", "publish", "other")


def stage_rows(
    meter: Meter, total: float, published: int, embedded: int, once: float
) -> list[dict[str, Any]]:
    """Return a row for each stage, as a share of `once`, and what the pipeline's own add up to."""
    seconds = dict(meter.seconds)
    seconds["other"] = total - sum(seconds.values())
    rows = [
        {"stage": label, "cpu_s": round(s, 3), "of_embedding": round(s / once, 3)}
        for label, s in sorted(seconds.items(), key=lambda item: -item[1])
    ]
    own = sum(seconds.get(label, 0.0) for label in _OF_THE_PIPELINE)
    rows.append({"stage": "= machinery", "cpu_s": round(own, 3)})
    rows[-1]["of_embedding"] = round(own / once, 3)
    rows[-1]["note"] = f"{1000 * own / published:.1f} ms a record; {embedded} texts embedded"
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
    parser.add_argument("--repeat", type=int, default=3, help="the median of so many runs")
    parser.add_argument("--json", type=Path)
    arguments = parser.parse_args()
    arguments.records = arguments.records or (2560 if arguments.what == "model" else 144)
    measure = beside_a_model if arguments.what == "model" else without_a_model
    rows = medians([measure(arguments) for _ in range(arguments.repeat)])
    for row in rows:
        print("  ".join(f"{name} {value}" for name, value in row.items()))
    if arguments.json:
        arguments.json.write_text(json.dumps(rows, indent=2) + "\n")


if __name__ == "__main__":
    main()
