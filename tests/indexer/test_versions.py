"""Versions on disk: published whole or not at all, and checked."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from sage_rag.common.exceptions import InputError, ProtectionError
from sage_rag.indexer.passages import RECORDS, Passage
from sage_rag.indexer.publishing import hand_over, publish
from sage_rag.indexer.stores.faiss import FaissIndex
from sage_rag.indexer.stores.lexical import lexical_words
from sage_rag.indexer.testing import HashEmbedder
from sage_rag.indexer.versions import (
    IndexVersion,
    current_path,
    list_corpora,
    list_versions,
    next_number,
    open_version,
)
from sage_rag.privacy.ciphers.siv import SivCipher
from sage_rag.privacy.entities import EntityType
from sage_rag.privacy.keyset.keyset import Keyset

ADA = SivCipher(Keyset.generate(), "clinic").encrypt("Ada Novak", EntityType.PERSON)
TEXTS = [f"{ADA} has asthma at night", "a swollen knee", "asthma and hay fever", "膝盖 疼痛"]
PASSAGES = [Passage(f"p-{i}", f"s-{i}", {"text": t}) for i, t in enumerate(TEXTS)]
MANIFEST: dict[str, Any] = {
    "corpus": "clinic",
    "recipe": "sage",
    "protection": "synthetic",
    "policy": "sage",
    "agents": None,
    "embedder": "hash-64",
    "key_ids": ("00000000",),
    "counts": {"passages": len(PASSAGES)},
}


def published(home: Path) -> Path:
    vectors = HashEmbedder().embed(TEXTS)
    return publish(home, "clinic", PASSAGES, vectors, lexical=TEXTS, manifest=MANIFEST, report={})


def opened(home: Path) -> IndexVersion:
    return open_version(current_path(home, "clinic"), verify=True)


def test_what_was_published_is_found_again(tmp_path: Path) -> None:
    published(tmp_path)
    version = opened(tmp_path)
    assert [version.passage(i) for i in range(len(version))] == PASSAGES
    vector = HashEmbedder().embed(["swollen knee"])[0]
    assert version.layers[RECORDS].search_dense(vector, 2)[0][0] == 1
    assert len(version.layers[RECORDS].search_dense(vector, 99)) == len(PASSAGES)


@pytest.mark.parametrize(
    ("query", "rows"),
    [
        ("Asthma!", {0, 2}),
        (ADA, {0}),
        (ADA[:-2] + "]", set()),
        ("膝", {3}),
        ("the and of", set()),
        ("unheard", set()),
        ("", set()),
    ],
)
def test_words_find_their_passages(tmp_path: Path, query: str, rows: set[int]) -> None:
    published(tmp_path)
    assert {row for row, _ in opened(tmp_path).layers[RECORDS].search_lexical(query, 10)} == rows


def test_a_token_is_one_word_and_keeps_its_case() -> None:
    assert lexical_words(f"Did {ADA}, both knees hurting?") == [ADA, "both", "knee", "hurt"]


def test_versions_count_up_and_the_pointer_follows(tmp_path: Path) -> None:
    assert published(tmp_path).name == "000001"
    assert published(tmp_path).name == "000002"
    assert current_path(tmp_path, "clinic").name == "000002"
    assert list_corpora(tmp_path) == ["clinic"]


def test_a_number_is_not_given_again_when_the_folder_of_the_current_version_is_gone(
    tmp_path: Path,
) -> None:
    for _ in range(2):
        path = published(tmp_path)
    path.rename(tmp_path / "gone")
    assert published(tmp_path).name == "000003"
    (tmp_path / "corpora/clinic/current").write_text("damaged")
    assert published(tmp_path).name == "000004"


@pytest.mark.parametrize("known", ["current", "versions/999999"])
def test_a_version_whose_number_could_not_be_read_is_not_begun(tmp_path: Path, known: str) -> None:
    (tmp_path / "versions" / "999999").mkdir(parents=True)
    (tmp_path / "current").write_text("999998" if known != "current" else "999999")
    with pytest.raises(InputError, match="the last number"):
        next_number(tmp_path)


def test_a_lookup_is_made_with_the_number_of_its_version(tmp_path: Path) -> None:
    numbers: list[int] = []

    def sealed(number: int) -> bytes:
        numbers.append(number)
        return b"sealed"

    for _ in range(2):
        vectors = HashEmbedder().embed(TEXTS)
        made: dict[str, Any] = {"manifest": MANIFEST, "report": {}, "lookup": sealed}
        publish(tmp_path, "clinic", PASSAGES, vectors, lexical=TEXTS, **made)
    assert numbers == [1, 2]
    assert opened(tmp_path).lookup == b"sealed"


@pytest.mark.parametrize(
    ("failure", "reason"),
    [
        (OSError(28, "No space left on device"), "No space left"),
        (OSError("192 requested and 64 written"), r"is the disk full\?"),
        (RuntimeError("write error"), r"is the disk full\?"),
    ],
    ids=["the system's", "NumPy's", "FAISS's"],
)
def test_a_failure_while_writing_leaves_the_old_version_and_no_half(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, failure: Exception, reason: str
) -> None:
    published(tmp_path)

    def full(*_: object) -> None:
        raise failure

    monkeypatch.setattr(FaissIndex, "write", full)
    with pytest.raises(InputError, match=reason):
        published(tmp_path)
    assert current_path(tmp_path, "clinic").name == "000001"
    assert [p.name for p in (tmp_path / "corpora/clinic/versions").iterdir()] == ["000001"]


def test_what_a_killed_run_left_is_no_version_and_goes_away(tmp_path: Path) -> None:
    half = tmp_path / "corpora/clinic/versions/.staging"
    half.mkdir(parents=True)
    (half / "passages.jsonl").write_text("half")
    assert list_versions(tmp_path / "corpora/clinic") == []
    published(tmp_path)
    assert not half.exists()


def test_an_empty_version_is_never_published(tmp_path: Path) -> None:
    with pytest.raises(ProtectionError):
        publish(
            tmp_path, "clinic", [], np.zeros((0, 4), np.float32), lexical=[], manifest={}, report={}
        )


@pytest.mark.parametrize(
    "name", ["passages.jsonl", "vectors.faiss", "report.json", "lexical/vocab.index.json"]
)
def test_a_changed_file_is_noticed(tmp_path: Path, name: str) -> None:
    file = published(tmp_path) / name
    file.write_bytes(file.read_bytes() + b" ")
    with pytest.raises(InputError, match="was changed"):
        opened(tmp_path)


def test_missing_and_added_files_are_noticed(tmp_path: Path) -> None:
    path = published(tmp_path)
    (path / "note").write_text("x")
    with pytest.raises(InputError, match="unlisted"):
        opened(tmp_path)
    (path / "note").unlink()
    (path / "report.json").unlink()
    with pytest.raises(InputError, match="missing"):
        opened(tmp_path)


@pytest.mark.parametrize("name", ["manifest.json", "passages.jsonl", "vectors.faiss"])
def test_a_cut_file_is_an_error_even_without_checksums(tmp_path: Path, name: str) -> None:
    path = published(tmp_path)
    (path / name).write_bytes((path / name).read_bytes()[:20])
    with pytest.raises(InputError):
        open_version(path)


def test_a_manifest_that_cannot_be_read_is_not_called_missing(tmp_path: Path) -> None:
    manifest = published(tmp_path) / "manifest.json"
    manifest.unlink()
    with pytest.raises(InputError, match=r"it has no manifest\.json"):
        open_version(manifest.parent)
    manifest.mkdir()
    with pytest.raises(InputError, match=r"cannot read `.*manifest\.json`: Is a directory"):
        open_version(manifest.parent)


@pytest.mark.parametrize("pointer", ["", "latest", "../..", "\xff"])
def test_a_pointer_that_names_no_version_is_an_error(tmp_path: Path, pointer: str) -> None:
    published(tmp_path)
    (tmp_path / "corpora/clinic/current").write_text(pointer)
    with pytest.raises(InputError):
        current_path(tmp_path, "clinic")


def test_each_file_and_folder_of_a_version_is_on_the_disk_before_the_pointer_moves(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    synced: list[int] = []
    monkeypatch.setattr(os, "fsync", lambda descriptor: synced.append(os.fstat(descriptor).st_ino))
    owner, server = tmp_path / "owner", tmp_path / "server"
    for write in (lambda: published(owner), lambda: hand_over(owner, "clinic", server)):
        version = write()
        written = {path.stat().st_ino for path in (version.parent, version, *version.rglob("*"))}
        pointer = synced.index((version.parents[1] / "current").stat().st_ino)
        assert written <= set(synced[:pointer])
        synced.clear()


def test_handing_over_copies_the_current_version_and_nothing_else(tmp_path: Path) -> None:
    owner, server = tmp_path / "owner", tmp_path / "server"
    published(owner)
    published(owner)
    (owner / "owner").mkdir()
    hand_over(owner, "clinic", server)
    hand_over(owner, "clinic", server)
    names = sorted(p.relative_to(server).as_posix() for p in server.rglob("*") if p.is_file())
    assert all(n.startswith("corpora/clinic/versions/000002/") for n in names[1:])
    assert names[0] == "corpora/clinic/current"
    assert len(opened(server)) == len(PASSAGES)
