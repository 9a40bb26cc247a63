"""Files that are whole or absent, forced to the disk, and readable by their owner alone."""

from __future__ import annotations

import codecs
import fcntl
import hashlib
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import lru_cache
from pathlib import Path
from typing import IO

from sage_rag.common.exceptions import InputError

_PRIVATE = 0o600
_KNOWN_FILES = 2**14

Stamp = tuple[int, int, int]
"""Inode, time of the last change in ns, size in bytes."""


@contextmanager
def replacing(path: Path, *, mode: int = _PRIVATE) -> Iterator[IO[str]]:
    """Yield a UTF-8 file that replaces `path` when the block ends without an exception.

    Killed at any moment, this leaves the old file or the new one, and at most a hidden `.tmp` file.

    Raises:
        OSError: when the disk or the folder does not take the file; `path` is then unchanged.
    """
    descriptor, name = tempfile.mkstemp(prefix=f".{path.name}.", suffix=".tmp", dir=path.parent)
    draft = Path(name)
    file = os.fdopen(descriptor, "w", encoding="utf-8", newline="")
    try:
        yield file
        _sync(file)
        draft.chmod(mode)
        draft.replace(path)
        sync_folder(path.parent)
    finally:
        with suppress(OSError):  # on a full disk, closing tries to write again
            file.close()
        draft.unlink(missing_ok=True)


def write_file(path: Path, content: str, *, mode: int = _PRIVATE) -> None:
    """Replace a file by one with this content; see `replacing`."""
    with replacing(path, mode=mode) as file:
        file.write(content)


def create_file(path: Path, content: str) -> None:
    """Write a new file of mode 0600, or none.

    Raises:
        FileExistsError: when there is one.
        OSError: when the disk or the folder does not take it.
    """
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, _PRIVATE)
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            file.write(content)
            _sync(file)
    except OSError:
        path.unlink(missing_ok=True)
        raise
    sync_folder(path.parent)


@contextmanager
def reading(path: Path) -> Iterator[None]:
    """Translate what can go wrong while a text file is read.

    Raises:
        InputError: when the file cannot be read, or is not UTF-8.
    """
    try:
        yield
    except UnicodeDecodeError as error:
        raise InputError(
            f"`{path}` is not UTF-8 at byte {error.start}",
            hint=f"convert it, for example: iconv -f {_likely_encoding(error)} -t UTF-8",
        ) from None
    except OSError as error:
        raise InputError(f"cannot read `{path}`: {error.strerror or 'it is damaged'}") from None


def stamp_of(stat: os.stat_result) -> Stamp:
    """Return what changes when a file is written again."""
    return stat.st_ino, stat.st_mtime_ns, stat.st_size


def sha256_of(path: Path) -> str:
    """Return the SHA-256 of a file's content, in hexadecimal."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


@lru_cache(_KNOWN_FILES)
def known_sha256(path: Path, stamp: Stamp) -> str:
    """Return the SHA-256 of a file; a process reads it once for each stamp.

    Does not guarantee: detection of a change that keeps inode, size and time.
    """
    del stamp  # a part of the cache's key alone
    return sha256_of(path)


def _likely_encoding(error: UnicodeDecodeError) -> str:
    is_wide = error.object[:2] in (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
    return "UTF-16" if is_wide else "WINDOWS-1252"


def sync_file(path: Path) -> None:
    """Force a file's content to the disk."""
    with path.open("rb") as file:
        os.fsync(file.fileno())


def sync_folder(folder: Path) -> None:
    """Force a folder's entries to the disk."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


@contextmanager
def locked(path: Path, *, create: bool = False, wait: bool = False) -> Iterator[None]:
    """Hold the lock of a file or folder; the system frees it when the process dies.

    `create` makes a file where there is none.

    Raises:
        BlockingIOError: when another process holds it, unless `wait`.
        OSError: when it cannot be opened.
    """
    flags = os.O_RDWR | os.O_CREAT if create else os.O_RDONLY
    descriptor = os.open(path, flags, _PRIVATE)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
        yield
    finally:
        os.close(descriptor)


def _sync(file: IO[str]) -> None:
    file.flush()
    os.fsync(file.fileno())
