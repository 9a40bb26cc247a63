"""Recipe `controlled` takes what `sage-rag generate` wrote, and nothing else."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest

from sage_rag.common.exceptions import InputError, ProtectionError
from sage_rag.eval.synthetic_text.reading import synthetic_texts
from sage_rag.indexer.corpus_file import CorpusFile
from sage_rag.indexer.generated import check_generated
from sage_rag.indexer.job import Summary
from sage_rag.indexer.pipeline import index_corpus
from sage_rag.indexer.testing import HashEmbedder
from sage_rag.indexer.wiring import index_job
from sage_rag.privacy.entities import EntityType
from sage_rag.privacy.testing import TableRecognizer
from sage_rag.training.controlled.codes import Identifiers
from sage_rag.training.controlled.generation import Generation, GenerationSettings
from sage_rag.training.controlled.names import Block
from sage_rag.training.controlled.run import run_generation
from sage_rag.training.controlled.samplers import DECODING
from tests.indexer.conftest import KEYSET
from tests.training.controlled.corpus import cases, choice


class Writer:
    """Writes one text; "Eva Real" is a name that blocking does not know."""

    fingerprint, blocking, rows = "writer", DECODING, 8

    def write(self, requests):
        return [f"Eva Real won case {n} against the town." for n, _ in enumerate(requests)]


@pytest.fixture
def generated(tmp_path: Path) -> Path:
    return written(tmp_path / "synthetic", Block.CORPUS)


def written(folder: Path, block: Block, private: Identifiers = Identifiers.BOTH) -> Path:
    settings = GenerationSettings(block=block, count=4, identifiers=private)
    made = Generation(cases(8), settings, Writer(), choice())
    run_generation(made, folder, DECODING, lambda stage, done, total: None)
    return folder


def index(source: Path, home: Path) -> Summary:
    job = index_job(
        CorpusFile(source=source, recipe="controlled"),
        "cases",
        home,
        KEYSET,
        recognizer=TableRecognizer({"Eva Real": EntityType.PERSON}),
        embedder=HashEmbedder(),
    )
    return asyncio.run(index_corpus(job, lambda stage, done, total: None))


@pytest.mark.parametrize("name", ["", "corpus.jsonl"])
def test_a_generated_corpus_is_published_without_a_name_that_the_recognizer_finds(
    generated: Path, tmp_path: Path, name: str
) -> None:
    summary = index(generated / name, tmp_path / "home")
    assert summary.published == 4
    texts = synthetic_texts(tmp_path / "home" / "corpora" / "cases")
    assert len(texts) == 4
    assert not any("Eva Real" in text for text in texts)
    assert all("against the town" in text for text in texts)


def test_another_text_in_the_folder_is_refused(generated: Path, tmp_path: Path) -> None:
    (generated / "more").mkdir()
    (generated / "more" / "note.txt").write_text("A real note.")
    with pytest.raises(InputError, match=r"did not write `.*note.txt`"):
        index(generated, tmp_path / "home")
    assert index(generated / "corpus.jsonl", tmp_path / "home").published == 4


def test_a_changed_corpus_is_refused(generated: Path) -> None:
    with (generated / "corpus.jsonl").open("a") as file:
        file.write(json.dumps({"id": "x", "text": "A real record."}) + "\n")
    with pytest.raises(InputError, match="has changed since"):
        check_generated(generated)


def test_real_records_are_refused(tmp_path: Path) -> None:
    (tmp_path / "corpus.jsonl").write_text('{"text": "A real record."}\n')
    with pytest.raises(InputError, match="is not a corpus that `sage-rag generate` wrote"):
        index(tmp_path / "corpus.jsonl", tmp_path / "home")
    (tmp_path / "report.json").write_text("no report")
    with pytest.raises(InputError, match="is not a report"):
        check_generated(tmp_path)


def test_texts_in_which_nothing_was_blocked_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ProtectionError, match="no private value was blocked"):
        check_generated(written(tmp_path / "free", Block.NONE))


def test_texts_in_which_direct_identifiers_were_not_blocked_are_refused(tmp_path: Path) -> None:
    check_generated(written(tmp_path / "direct", Block.CORPUS, Identifiers.DIRECT))
    with pytest.raises(ProtectionError, match="direct identifiers were not blocked"):
        check_generated(written(tmp_path / "quasi", Block.CORPUS, Identifiers.QUASI))
