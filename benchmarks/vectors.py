"""Measure vector indexes: build time, memory, latency and recall against exact search.

    python benchmarks/vectors.py [--count 1000000] [--questions 200] [--json FILE]

Vectors are mixtures of two sentences of `examples/clinic.jsonl`, embedded by the default model,
with noise a third as long: they fill the space as sentences do, and there are as many as needed.
The questions are more of them. Building uses all cores, searching one. Memory is that of a process
that opens the index, memory-mapped, and asks all questions.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import faiss
import numpy as np

from sage_rag.common.jsonl import rows
from sage_rag.common.sentences import sentence_spans
from sage_rag.indexer.embedding import embedder_called
from sage_rag.indexer.protocols import Vectors
from sage_rag.indexer.stores.faiss import FaissIndex

EXAMPLES = Path(__file__).parents[1] / "examples" / "clinic.jsonl"
_NOISE, _TOP, _BLOCK = 0.33, 10, 50_000


def sentences() -> Iterator[str]:
    """Yield the sentences of the example corpus."""
    for record in rows(EXAMPLES):
        for text in (record["question"], record["answer"]):
            yield from (text[start:end] for start, end in sentence_spans(text))


def mixtures(real: Vectors, count: int, seed: int) -> Vectors:
    """Return `(count, dim)` float32, L2-normalised: mixtures of two vectors and noise."""
    random = np.random.default_rng(seed)
    made = np.empty((count, real.shape[1]), dtype=np.float32)
    for start in range(0, count, _BLOCK):
        size = min(_BLOCK, count - start)
        first, second = real[random.integers(0, len(real), (2, size))]
        share = random.uniform(0.3, 0.9, (size, 1)).astype(np.float32)
        noise = random.standard_normal((size, real.shape[1]), dtype=np.float32)
        noise *= _NOISE / np.linalg.norm(noise, axis=1, keepdims=True)
        block = share * first + (1 - share) * second + noise
        made[start : start + size] = block / np.linalg.norm(block, axis=1, keepdims=True)
    return made


def exact(vectors: Vectors, questions: Vectors) -> list[set[int]]:
    """Return the ten nearest rows of each question, by comparing it with every vector."""
    flat = faiss.IndexFlatIP(vectors.shape[1])
    flat.add(vectors)
    _, found = flat.search(questions, _TOP)
    return [set(map(int, row)) for row in found]


def resident_mb() -> float:
    """Return the resident memory of this process, in megabytes."""
    status = Path("/proc/self/status").read_text("utf-8")
    return int(status.split("VmRSS:")[1].split()[0]) / 1000


def ask(index_file: Path, questions_file: Path) -> None:
    """Open an index, ask all questions on one core, and print what was found as JSON."""
    faiss.omp_set_num_threads(1)
    before = resident_mb()
    index = FaissIndex.open(index_file)
    found, times = [], []
    for question in np.load(questions_file):
        started = time.perf_counter()
        found.append([row for row, _ in index.search(question, _TOP)])
        times.append(1000 * (time.perf_counter() - started))
    memory = resident_mb() - before
    sys.stdout.write(json.dumps({"found": found, "times": times, "memory_mb": memory}))


def measure(count: int, questions: int, folder: Path) -> dict[str, float | int]:
    """Build the index of `count` vectors and return its figures."""
    real = np.asarray(embedder_called().embed(list(dict.fromkeys(sentences()))))
    vectors, asked = mixtures(real, count, 0), mixtures(real, questions, 1)
    started = time.perf_counter()
    FaissIndex.write(vectors, folder / "v.faiss")
    built = time.perf_counter() - started
    nearest = exact(vectors, asked)
    np.save(folder / "q.npy", asked)
    command = [sys.executable, __file__, "--ask", str(folder / "v.faiss"), str(folder / "q.npy")]
    answer = json.loads(subprocess.run(command, check=True, capture_output=True).stdout)
    shared = [len(n & set(f)) / _TOP for n, f in zip(nearest, answer["found"], strict=True)]
    return {
        "vectors": count,
        "build_s": round(built, 1),
        "file_mb": round((folder / "v.faiss").stat().st_size / 1e6),
        "memory_mb": round(answer["memory_mb"]),
        "p50_ms": round(statistics.median(answer["times"]), 2),
        "p95_ms": round(statistics.quantiles(answer["times"], n=20)[-1], 2),
        "recall_at_10": round(statistics.fmean(shared), 4),
    }


def main() -> None:
    """Run the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=1_000_000)
    parser.add_argument("--questions", type=int, default=200)
    parser.add_argument("--json", type=Path)
    parser.add_argument("--ask", type=Path, nargs=2, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.ask:
        ask(*options.ask)
        return
    with TemporaryDirectory() as folder:
        figures = measure(options.count, options.questions, Path(folder))
    print(json.dumps(figures, indent=1))
    if options.json:
        options.json.write_text(json.dumps(figures), "utf-8")


if __name__ == "__main__":
    main()
