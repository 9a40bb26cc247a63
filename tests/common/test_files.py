"""Files appear whole or not at all, and only their owner reads them."""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path

import pytest

from sage_rag.common import files
from sage_rag.common.files import create_file, locked, replacing, write_file


def test_a_file_is_replaced_whole_and_private(tmp_path: Path) -> None:
    path = tmp_path / "f"
    path.write_text("old")
    write_file(path, "new\n")
    assert path.read_text() == "new\n"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    write_file(path, "shared", mode=0o644)
    assert stat.S_IMODE(path.stat().st_mode) == 0o644


@pytest.mark.parametrize("error", [RuntimeError, KeyboardInterrupt])
def test_what_fails_halfway_leaves_the_old_file_alone(
    tmp_path: Path, error: type[BaseException]
) -> None:
    path = tmp_path / "f"
    path.write_text("old")

    def half() -> None:
        with replacing(path) as file:
            file.write("half")
            raise error

    with pytest.raises(error):
        half()
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def full(descriptor: int) -> None:
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def test_a_full_disk_leaves_the_old_file_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "f"
    path.write_text("old")
    monkeypatch.setattr(files.os, "fsync", full)
    with pytest.raises(OSError, match="No space left"):
        write_file(path, "new")
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_a_new_file_never_replaces_one(tmp_path: Path) -> None:
    path = tmp_path / "f"
    create_file(path, "first")
    with pytest.raises(FileExistsError):
        create_file(path, "second")
    assert path.read_text() == "first"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_a_full_disk_leaves_no_new_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files.os, "fsync", full)
    with pytest.raises(OSError, match="No space left"):
        create_file(tmp_path / "f", "key")
    assert not list(tmp_path.iterdir())


def test_one_process_holds_a_lock(tmp_path: Path) -> None:
    path = tmp_path / "lock"
    with locked(path, create=True):
        with pytest.raises(BlockingIOError), locked(path):
            pass
        with locked(tmp_path, wait=True):
            pass
    with locked(path):
        pass


def test_a_lock_is_made_only_where_asked(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError), locked(tmp_path / "lock"):
        pass
    assert list(tmp_path.iterdir()) == []
