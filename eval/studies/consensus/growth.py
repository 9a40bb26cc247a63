"""Time and memory of a consensus as the number of records grows, on invented records.

Runs the pipeline without models: a recognizer that finds nothing and vectors of hashed words. What
is left is what could grow faster than the records: counts, topics, statements, gate and files.
"""

from __future__ import annotations

import asyncio
import random
import resource
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from pydantic import BaseModel, ConfigDict

from sage_rag.common.exceptions import UpstreamError
from sage_rag.common.jsonl import write_jsonl
from sage_rag.indexer.corpus_file import CorpusFile
from sage_rag.indexer.pipeline import index_corpus
from sage_rag.indexer.testing import HashEmbedder
from sage_rag.indexer.wiring import index_job
from sage_rag.privacy.keyset.keyset import Keyset
from sage_rag.privacy.testing import TableRecognizer

SIZES = (5_000, 10_000, 20_000)
"""Records of each run."""
FIELDS = ("question", "answer")
_SYLLABLES = "bro vel quin tas mor dil fen gur lop zan ka rie tos mul".split()
_PARTS = "knee back neck hip ankle wrist elbow shoulder hand foot chest jaw".split()
_COMPLAINTS = "pain swelling stiffness numbness cramps redness weakness tingling itching".split()
_ADVICE = "rest the {}|cool the {} with ice|avoid lifting with the {}|bandage the {} at night"
_FRAME = "There is a {} near the {} and the {} of my {}."
_OWN_SENTENCES = 5


class GrowthFigures(BaseModel):
    """One run. `processor_s`: user and system; `peak_bytes`: the largest resident memory."""

    model_config = ConfigDict(frozen=True)
    records: int
    passages: int
    processor_s: float
    peak_bytes: int


def grown(records: int, folder: Path) -> GrowthFigures:
    """Index invented records in a process of its own.

    Raises:
        UpstreamError: when the process fails.
    """
    command = [sys.executable, "-m", __name__, str(records), str(folder)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise UpstreamError(f"indexing {records} invented records failed: {done.stderr[-500:]}")
    return GrowthFigures.model_validate_json(done.stdout.splitlines()[-1])


def invented(count: int) -> Iterator[dict[str, str]]:
    """Yield records of about 70 words: three sentences that others have, and five of their own."""
    draw = random.Random(0)  # noqa: S311 - invented text, not a secret
    words = ["".join(draw.choices(_SYLLABLES, k=3)) for _ in range(5_000)]

    def own() -> str:
        return " ".join(_FRAME.format(*draw.sample(words, 4)) for _ in range(_OWN_SENTENCES))

    for number in range(count):
        part, other = draw.sample(_PARTS, 2)
        complaint = draw.choice(_COMPLAINTS)
        advice = [a.format(part) for a in draw.sample(_ADVICE.split("|"), 2)]
        yield {
            "id": f"invented-{number}",
            "question": f"I have {complaint} in my {part} and my {other}. {own()}",
            "answer": f"Please {advice[0]}. Also {advice[1]}.",
        }


def measure(count: int, folder: Path) -> GrowthFigures:
    """Index invented records in this process."""
    folder.mkdir(parents=True, exist_ok=True)
    source = folder / f"invented-{count}.jsonl"
    write_jsonl(source, invented(count))
    job = index_job(
        CorpusFile(source=source, fields=FIELDS, recipe="consensus"),
        f"invented-{count}-{time.time_ns()}",
        folder,
        Keyset.generate(),
        recognizer=TableRecognizer({}),
        embedder=HashEmbedder(),
    )
    started = time.process_time()
    summary = asyncio.run(index_corpus(job, lambda *_: None))
    return GrowthFigures(
        records=count,
        passages=summary.published,
        processor_s=round(time.process_time() - started, 1),
        peak_bytes=resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024,
    )


if __name__ == "__main__":
    sys.stdout.write(measure(int(sys.argv[1]), Path(sys.argv[2])).model_dump_json() + "\n")
