"""A corpus of dialogues that repeat each other, and a runner for recipe `consensus` over fakes."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path

import pytest

from sage_rag.indexer.consensus.options import ConsensusOptions
from sage_rag.indexer.corpus_file import CorpusFile
from sage_rag.indexer.job import IndexJob, Summary
from sage_rag.indexer.pipeline import index_corpus
from sage_rag.indexer.testing import HashEmbedder
from sage_rag.indexer.wiring import index_job
from sage_rag.privacy.testing import TableRecognizer
from tests.indexer.conftest import KEYSET, NAMES

MATTERS = {
    "knee": ("I have knee pain after running", "Rest the knee and cool it with ice"),
    "cough": ("I have a dry cough at night", "Drink warm water and avoid cold air"),
    "rash": ("I have an itchy rash on my arm", "Use a mild cream and avoid hot showers"),
}
DETAILS = (
    "Grandfather repaired clocks in a lighthouse", "Our parrot swallowed a brass button",
    "Yesterday we painted seven wooden boats", "The choir rehearses beneath a viaduct",
    "Someone borrowed that purple accordion", "Bees moved into our letterbox",
    "A comet delayed the village marathon", "Two goats climbed onto the bakery",
)  # fmt: skip

Record = dict[str, str]


def dialogue(index: int, *, extra: str = "") -> Record:
    """Return a record: a matter that others have, a detail that no other has, and `extra`."""
    question, answer = list(MATTERS.values())[index % len(MATTERS)]
    first, second = (DETAILS[(index // len(MATTERS) + i) % len(DETAILS)] for i in (0, 3))
    detail = f"{first} number {index}. {second} after case {index}"
    return {
        "id": f"doc-{index}",
        "patient": f"Ada Novak {index}",
        "question": f"{question}. {detail}. I am {list(NAMES)[index % len(NAMES)]}.",
        "answer": f"{answer}. {extra}".strip(),
    }


def own_words(index: int, count: int = 40) -> str:
    """Return text with words that no other record has, so that a passage resembles no record."""
    letters = "".join("abcdefghij"[int(digit)] for digit in str(index))
    words = (f"z{letters}y{chr(97 + n // 26)}{chr(97 + n % 26)}" for n in range(count))
    return " ".join(f"this is {word}." for word in words)


def write(path: Path, records: Iterable[Record]) -> None:
    path.write_text("".join(json.dumps(record) + "\n" for record in records))


@pytest.fixture
def dialogues(tmp_path: Path) -> Path:
    path = tmp_path / "dialogues.jsonl"
    write(path, map(dialogue, range(24)))
    return path


def consensus_job(source: Path, home: Path, k: int = 3, **settings: object) -> IndexJob:
    job = index_job(
        CorpusFile.model_validate({"source": source, "recipe": "consensus", **settings}),
        "clinic",
        home,
        KEYSET,
        recognizer=TableRecognizer(NAMES),
        embedder=HashEmbedder(),
    )
    return replace(job, consensus=ConsensusOptions(k=k))


ConsensusRun = Callable[..., Summary]


@pytest.fixture
def consensus(tmp_path: Path, dialogues: Path) -> ConsensusRun:
    """Index the dialogues by recipe `consensus`; keyword arguments replace parts of the job."""

    def index(k: int = 3, subject: str | None = None, **changes: object) -> Summary:
        job = consensus_job(dialogues, tmp_path / "home", k, subject=subject)
        job = replace(job, **changes)  # type: ignore[arg-type]
        return asyncio.run(index_corpus(job, lambda stage, done, total: None))

    return index
