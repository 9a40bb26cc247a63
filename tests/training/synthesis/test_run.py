"""A corpus becomes a folder of shards, and a killed run resumes."""

from __future__ import annotations

import errno
import json
import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from sage_rag.common.exceptions import InputError
from sage_rag.common.files import locked
from sage_rag.privacy.restore import Restorer
from sage_rag.privacy.testing import FailingRecognizer
from sage_rag.training.ciphers.codebook import CodebookCipher
from sage_rag.training.owner_folder import OWNER
from sage_rag.training.synthesis import shards
from sage_rag.training.synthesis.encryption import CODEBOOK_FILE
from sage_rag.training.synthesis.entities import EntityReader
from sage_rag.training.synthesis.run import (
    SynthesisJob,
    raise_for_failures,
    run_synthesis,
)
from sage_rag.training.synthesis.samples import SourceDocument, SynthesisError
from sage_rag.training.synthesis.shards import MANIFEST, write_shards
from sage_rag.training.synthesis.synthesis import Choices, Synthesizer
from tests.training.synthesis.job import KEYSET, job, quiet, run_job
from tests.training.synthesis.texts import VALUES, documents


def published(folder: Path) -> dict[str, bytes]:
    """Return the files that can be given away."""
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}


def lines(folder: Path) -> list[dict[str, object]]:
    return [
        json.loads(line)
        for path in sorted(folder.glob("*.jsonl"))
        for line in path.read_text("utf-8").splitlines()
    ]


@pytest.mark.parametrize("point", ["11", "write"])
def test_a_run_that_was_killed_gives_the_same_bytes(tmp_path: Path, point: str) -> None:
    command = [sys.executable, "-m", "tests.training.synthesis.job", str(tmp_path / "a"), point]
    died = subprocess.run(command, cwd=Path(__file__).parents[3], capture_output=True)
    assert died.returncode == -9
    assert not (tmp_path / "a" / MANIFEST).exists()
    summary = run_job(tmp_path / "a")
    assert summary.resumed == {"11": 8, "write": 20}[point]
    run_job(tmp_path / "b")
    assert published(tmp_path / "a") == published(tmp_path / "b")


def test_the_codebook_of_a_resumed_run_opens_all_samples(tmp_path: Path) -> None:
    run_job(tmp_path, count=8)
    run_job(tmp_path, count=12)
    restorer = Restorer(CodebookCipher(tmp_path / OWNER / CODEBOOK_FILE, KEYSET, "invented"))
    restored = " ".join(restorer.restore(str(line["text"])) for line in lines(tmp_path))
    assert all(value in restored for value in VALUES)
    assert "unreadable" not in restored


def test_the_shards_of_another_corpus_are_not_replaced(tmp_path: Path) -> None:
    run_job(tmp_path, count=2)
    before = published(tmp_path)
    other = job(tmp_path, count=1)
    with pytest.raises(InputError, match="holds the output of `synthesize invented`") as stopped:
        run_synthesis(replace(other, settings={**other.settings, "corpus": "other"}), quiet)
    assert "--out" in str(stopped.value.hint)
    assert published(tmp_path) == before
    assert run_job(tmp_path, count=2, tokens=300).resumed == 0


def test_files_that_no_run_made_are_not_replaced(tmp_path: Path) -> None:
    (tmp_path / "shard-1990.jsonl").write_text("{}\n")
    with pytest.raises(InputError, match=r"`.*shard-1990.jsonl` exists, and no run"):
        run_job(tmp_path, count=1)
    assert (tmp_path / "shard-1990.jsonl").read_text() == "{}\n"
    assert [path.name for path in tmp_path.iterdir()] == ["shard-1990.jsonl"]


def test_no_published_file_holds_a_value(tmp_path: Path) -> None:
    run_job(tmp_path)
    for content in published(tmp_path).values():
        assert not any(value in content.decode() for value in VALUES)
        assert "doc-0" not in content.decode()


def test_a_sample_says_where_it_comes_from(tmp_path: Path) -> None:
    run_job(tmp_path, count=2)
    cipher = CodebookCipher(tmp_path / OWNER / CODEBOOK_FILE, KEYSET, "invented")
    found = lines(tmp_path)
    assert {cipher.decrypt(str(line["source"])) for line in found} == {"doc-0", "doc-1"}
    for line in found:
        assert set(line) >= {"text", "kind", "tuple", "entities", "writer", "cipher", "tokens"}
        assert re.fullmatch(r"template:en/\w+/\d+", str(line["writer"]))
        assert all(entity in str(line["text"]) for entity in line["entities"])  # type: ignore[attr-defined]


def test_the_manifest_counts_what_the_shards_hold(tmp_path: Path) -> None:
    summary = run_job(tmp_path, count=3)
    manifest = json.loads((tmp_path / MANIFEST).read_text())
    found = lines(tmp_path)
    assert manifest["samples"] == summary.samples == len(found) == manifest["shards"][0]["samples"]
    assert manifest["tokens"] == sum(line["tokens"] for line in found)  # type: ignore[misc]
    assert not any(manifest["plain_mentions"].values())
    assert manifest["encrypted_mentions"]["PERSON"] > 10


def test_a_shard_ends_at_its_size_and_old_shards_are_removed(tmp_path: Path) -> None:
    rows = [{"text": "x" * 90, "tokens": 2} for _ in range(10)]
    made = write_shards(tmp_path, rows, size=300)
    assert [shard.samples for shard in made] == [3, 3, 3, 1]
    assert len(lines(tmp_path)) == 10
    write_shards(tmp_path, rows[:3], size=300)
    assert len(lines(tmp_path)) == 3


def test_a_full_disk_is_reported_and_leaves_whole_shards(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run_job(tmp_path, count=2)
    before = lines(tmp_path)

    def full(path: Path) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(shards, "replacing", full)
    with pytest.raises(InputError, match="No space left") as caught:
        run_job(tmp_path, count=3)
    assert "finished documents are kept" in str(caught.value.hint)
    assert lines(tmp_path) == before
    assert not (tmp_path / MANIFEST).exists()


def failing_job(folder: Path) -> SynthesisJob:
    reader = EntityReader(FailingRecognizer(), job(folder).build(None)._reader._policy)
    return replace(job(folder, 2), build=lambda cipher: Synthesizer(reader, cipher, Choices()))


def test_a_document_that_cannot_be_protected_is_left_out_and_named(tmp_path: Path) -> None:
    summary = run_synthesis(failing_job(tmp_path), quiet)
    assert lines(tmp_path) == []
    with pytest.raises(SynthesisError, match=r"2 of 2 documents .*`doc-0`, `doc-1`") as caught:
        raise_for_failures(summary)
    assert "Zora" not in str(caught.value)
    assert run_job(tmp_path, count=2).resumed == 0


def test_one_foreign_document_does_not_stop_the_others(tmp_path: Path) -> None:
    german = "Der Zeuge hat gestern vor dem Gericht ausgesagt, dass er nichts davon gewusst habe."
    mixed = [SourceDocument("de", german), *documents(2)]
    summary = run_synthesis(replace(job(tmp_path), documents=mixed), quiet)
    assert list(summary.failures) == ["de"]
    assert lines(tmp_path)


def test_two_runs_in_one_folder_are_refused(tmp_path: Path) -> None:
    run_job(tmp_path, count=1)
    with locked(tmp_path / OWNER / "lock"), pytest.raises(InputError, match="another run"):
        run_job(tmp_path, count=1)
