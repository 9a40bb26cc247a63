"""A small corpus, a keyset, and a runner for jobs over fakes."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from sage_rag.agents.testing import reversing_roles
from sage_rag.common.progress import Progress
from sage_rag.indexer.corpus_file import CorpusFile
from sage_rag.indexer.job import IndexJob, Summary
from sage_rag.indexer.passages import Passage
from sage_rag.indexer.pipeline import index_corpus
from sage_rag.indexer.recipes import Recipe, recipe_called
from sage_rag.indexer.testing import HashEmbedder
from sage_rag.indexer.versions import IndexVersion
from sage_rag.indexer.wiring import index_job
from sage_rag.privacy.ciphers.siv import SivCipher
from sage_rag.privacy.entities import EntityType
from sage_rag.privacy.keyset.keyset import Keyset
from sage_rag.privacy.testing import TableRecognizer

KEYSET = Keyset.generate()
NAMES = {f"Ada Novak{chr(97 + i)}": EntityType.PERSON for i in range(20)}


def record(index: int) -> dict[str, str]:
    name = list(NAMES)[index]
    return {
        "id": f"doc-{index}",
        "question": f"I am {name} and complaint number {index} keeps me awake most nights of May.",
        "answer": f"Dear {name}, remedy number {index} helps; come back if it does not.",
    }


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    path = tmp_path / "corpus.jsonl"
    path.write_text("".join(json.dumps(record(i)) + "\n" for i in range(20)))
    return path


def clinic_job(source: Path, home: Path, recipe: Recipe | None = None) -> IndexJob:
    """Return a job over fakes; they reverse the words, which changes the meaning."""
    recipe = recipe or recipe_called("sage")
    if recipe.policy is not None:
        recipe = replace(recipe, own_limits={"meaning": False, **recipe.own_limits})
    return index_job(
        CorpusFile(source=source, recipe="sage"),
        "clinic",
        home,
        KEYSET,
        recipe=recipe,
        recognizer=TableRecognizer(NAMES),
        embedder=HashEmbedder(),
        roles=reversing_roles(),
    )


Run = Callable[..., Summary]


def rows_of(version: IndexVersion, keyset: Keyset = KEYSET) -> dict[str, int]:
    """Return the row of each document by its plain id."""
    cipher = SivCipher(keyset, "clinic")
    return {cipher.decrypt(version.passage(row).source): row for row in range(len(version))}


def passage_of(version: IndexVersion, document_id: str, keyset: Keyset = KEYSET) -> Passage:
    """Return the passage of a document by its plain id."""
    return version.passage(rows_of(version, keyset)[document_id])


@pytest.fixture
def run(tmp_path: Path, corpus: Path) -> Run:
    """Index the corpus with fakes; keyword arguments replace parts of the job.

    A recipe may be given by name.
    """

    def index(**changes: object) -> Summary:
        given = changes.pop("recipe", "sage")
        progress: Progress = changes.pop("progress", lambda stage, done, total: None)  # type: ignore[assignment]
        recipe = given if isinstance(given, Recipe) else recipe_called(str(given))
        job = clinic_job(corpus, tmp_path / "home", recipe)
        return asyncio.run(index_corpus(replace(job, **changes), progress))  # type: ignore[arg-type]

    return index
