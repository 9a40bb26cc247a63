"""The published corpora of a home folder; their files are checked before they are served."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path

from sage_rag.common.exceptions import InputError
from sage_rag.common.files import Stamp, known_sha256, stamp_of
from sage_rag.indexer.versions import (
    IndexVersion,
    Manifest,
    current_path,
    list_corpora,
    open_version,
    read_manifest,
)


class FolderCatalog:
    """The corpora under a home folder.

    Guarantees: a version is opened only if its files have the SHA-256 of its manifest. A file is
    read for that once, and again when its inode, size or time changes; such a change is noticed at
    the next request, also in a version that is open.
    Does not guarantee: detection of a change of file and manifest together, nor of one that keeps
    size and time.
    """

    def __init__(self, home: Path, milvus: str | None = None) -> None:
        self._home = home
        self._milvus = milvus

    def names(self) -> Sequence[str]:
        """Return the published corpora, sorted."""
        return list_corpora(self._home)

    def current(self, name: str) -> str:
        """Return the version's folder, and the stamps of its files.

        They differ between two versions of equal number if a corpus was deleted and created again.
        """
        path = current_path(self._home, name)
        return f"{path}:{hash(tuple(sorted(_files(path))))}"

    def open(self, name: str) -> IndexVersion:
        """Open the published version.

        Raises:
            InputError: when it is damaged; names the first file that differs.
        """
        path = current_path(self._home, name)
        self._check(path, read_manifest(path))
        return open_version(path, milvus=self._milvus)

    def _check(self, path: Path, manifest: Manifest) -> None:
        stamps = dict(_files(path))
        for name, entry in manifest.files.items():
            file = path / name
            if (stamp := stamps.get(str(file))) is None:
                raise InputError(f"`{file}` is missing", hint="copy the version again")
            try:
                sha256 = known_sha256(file, stamp)
            except OSError as error:
                message = f"cannot read `{file}`: {error.strerror}"
                raise InputError(message, hint="copy the version again") from None
            if sha256 != entry.sha256:
                raise InputError(f"`{file}` was changed", hint="copy the version again")


def _files(path: Path | str) -> Iterator[tuple[str, Stamp]]:
    """Yield every file under a folder with its stamp; nothing where there is no folder.

    A link to nothing and a file that is removed meanwhile are left out.
    Every request asks for them, so paths are texts: objects would take most of the time.
    """
    try:
        entries = list(os.scandir(path))
    except OSError:
        return
    for entry in entries:
        if entry.is_dir(follow_symlinks=False):
            yield from _files(entry.path)
            continue
        try:
            stamp = stamp_of(entry.stat())
        except OSError:
            continue
        yield entry.path, stamp
