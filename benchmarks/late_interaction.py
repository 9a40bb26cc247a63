"""Measure late interaction: word-piece vectors that are computed, against ones stored as int8.

    python benchmarks/late_interaction.py [--questions 20] [--json FILE]

Questions are those of `examples/questions.jsonl`; the 50 passages of each are the nearest records
of `examples/clinic.jsonl`. *Computed*: a passage is read when it is found for the first time.
*Stored*: its vectors lie in one memory-mapped file, eight bits a dimension. One core; the file is
in the system's cache.
"""

from __future__ import annotations

import argparse
import json
import statistics
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import torch
from numpy.typing import NDArray

from sage_rag.common.jsonl import rows
from sage_rag.indexer.backends.minilm import token_vectors
from sage_rag.indexer.embedding import embedder_called
from sage_rag.rag_server.backends.late_interaction import eight_bit_vectors, max_similarity

_EXAMPLES = Path(__file__).parents[1] / "examples"
_FOUND = 50

Vectors = NDArray[np.int8]
Vectors32 = NDArray[np.float32]
Timed = tuple[list[float], float]


def stored(texts: Sequence[str], file: Path) -> Callable[[int], Vectors]:
    """Write the vectors of texts to a file; return what reads those of one text."""
    found = [eight_bit_vectors(text) for text in texts]
    np.save(file, np.concatenate(found))
    ends = np.cumsum([len(vectors) for vectors in found])
    mapped = np.load(file, mmap_mode="r")
    return lambda row: np.asarray(mapped[ends[row] - len(found[row]) : ends[row]])


def scored(pieces: Vectors32, read: Callable[[int], Vectors], found: Sequence[int]) -> Timed:
    """Return the scores of passages for a question, and the milliseconds that they take."""
    started = time.perf_counter()
    scores = [max_similarity(pieces, read(row)) for row in found]
    return scores, 1000 * (time.perf_counter() - started)


def measure(questions: int, folder: Path) -> dict[str, float]:
    """Return the median times of reranking, and the sizes of what is stored."""
    texts = [f"{r['question']}\n{r['answer']}" for r in rows(_EXAMPLES / "clinic.jsonl")]
    asked = [r["question"] for r in rows(_EXAMPLES / "questions.jsonl")][:questions]
    embedder = embedder_called()
    vectors = embedder.embed(texts)
    token_vectors("warm up")
    file = folder / "pieces.npy"
    read = stored(texts, file)
    computed, looked_up, differences = [], [], []
    for question in asked:
        nearest = np.argsort(-(vectors @ embedder.embed([question])[0]))[:_FOUND].tolist()
        pieces = token_vectors(question)
        fresh, fresh_ms = scored(pieces, lambda row: eight_bit_vectors(texts[row]), nearest)
        kept, kept_ms = scored(pieces, read, nearest)
        computed.append(fresh_ms)
        looked_up.append(kept_ms)
        differences.append(float(np.abs(np.subtract(fresh, kept)).max()))
    pieces_each = len(np.load(file, mmap_mode="r")) / len(texts)
    return {
        "passages": len(texts),
        "pieces_per_passage": round(pieces_each),
        "computed_ms": round(statistics.median(computed)),
        "computed_ms_per_passage": round(statistics.median(computed) / _FOUND, 1),
        "stored_ms": round(statistics.median(looked_up), 1),
        "stored_bytes_per_passage": round(file.stat().st_size / len(texts)),
        "vector_bytes_per_passage": 4 * vectors.shape[1],
        "largest_difference": max(differences),
    }


def main() -> None:
    """Run the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--questions", type=int, default=20)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    torch.set_num_threads(1)
    with TemporaryDirectory() as folder:
        figures = measure(options.questions, Path(folder))
    print(json.dumps(figures, indent=1))
    if options.json:
        options.json.write_text(json.dumps(figures), "utf-8")


if __name__ == "__main__":
    main()
