"""A version on disk is served only while its files are those of its manifest."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from sage_rag.common import files
from sage_rag.indexer.testing import HashEmbedder
from sage_rag.rag_server.catalog import FolderCatalog
from sage_rag.rag_server.corpora import CorpusSearch
from sage_rag.rag_server.exceptions import CorpusUnavailableError
from tests.indexer.test_versions import published


@pytest.fixture
def hashed(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Return the names of files that are hashed from here on."""
    names: list[str] = []
    read = files.sha256_of

    def sha256_of(path: Path) -> str:
        names.append(path.name)
        return read(path)

    monkeypatch.setattr(files, "sha256_of", sha256_of)
    return names


def search(corpora: CorpusSearch) -> int:
    return len(corpora.search("clinic", "asthma", 2).passages)


def test_each_file_is_hashed_once_and_again_when_it_is_touched(
    tmp_path: Path, hashed: list[str]
) -> None:
    path = published(tmp_path)
    corpora = CorpusSearch(FolderCatalog(tmp_path), HashEmbedder())
    assert [search(corpora) for _ in range(3)] == [2, 2, 2]
    assert len(hashed) == len(set(hashed)) >= 5
    before = len(hashed)
    os.utime(path / "passages.jsonl", ns=(1, 1))
    assert search(corpora) == 2
    assert hashed[before:] == ["passages.jsonl"]


@pytest.mark.parametrize("when", ["before it is opened", "while it is open"])
@pytest.mark.parametrize("file", ["passages.jsonl", "vectors.faiss", "passages.offsets.npy"])
def test_a_changed_byte_is_not_served_and_logged_once(
    tmp_path: Path, when: str, file: str, caplog: pytest.LogCaptureFixture
) -> None:
    path = published(tmp_path) / file
    corpora = CorpusSearch(FolderCatalog(tmp_path), HashEmbedder())
    if when == "while it is open":
        assert search(corpora) == 2
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.chmod(0o644)
    path.write_bytes(content)
    for _ in range(3):
        with pytest.raises(CorpusUnavailableError):
            search(corpora)
    logged = [record.getMessage() for record in caplog.records if record.levelname == "ERROR"]
    assert logged == [f"`{path}` was changed; hint: copy the version again"]


def test_a_missing_file_is_not_served_and_a_repaired_one_is(tmp_path: Path) -> None:
    path = published(tmp_path) / "passages.jsonl"
    content = path.read_bytes()
    path.unlink()
    corpora = CorpusSearch(FolderCatalog(tmp_path), HashEmbedder())
    with pytest.raises(CorpusUnavailableError):
        search(corpora)
    path.write_bytes(content)
    assert search(corpora) == 2


def test_a_new_version_is_checked_and_served(tmp_path: Path, hashed: list[str]) -> None:
    published(tmp_path)
    corpora = CorpusSearch(FolderCatalog(tmp_path), HashEmbedder())
    assert corpora.search("clinic", "asthma", 2).version == "clinic@1"
    before = len(hashed)
    published(tmp_path)
    assert corpora.search("clinic", "asthma", 2).version == "clinic@2"
    assert len(hashed) == 2 * before


def test_a_link_to_nothing_and_a_file_that_vanishes_are_not_errors_of_the_server(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = published(tmp_path)
    corpora = CorpusSearch(FolderCatalog(tmp_path), HashEmbedder())
    path.chmod(0o755)
    (path / "notes").symlink_to(tmp_path / "nowhere")
    assert search(corpora) == 2
    found = list(os.scandir(path))
    (path / "notes").unlink()
    read = os.scandir
    monkeypatch.setattr(os, "scandir", lambda p: found if p == path else read(p))
    assert search(corpora) == 2
