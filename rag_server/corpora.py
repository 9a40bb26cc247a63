"""The corpora a server answers from: opened when asked for, exchanged when a version changes."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Protocol

from sage_rag.common.exceptions import InputError
from sage_rag.common.web.errors import CorpusUnavailableError, UnknownModelError
from sage_rag.indexer.passages import Passage
from sage_rag.indexer.protocols import Embedder
from sage_rag.indexer.versions import MANIFEST, Manifest, current_path, list_corpora, open_version
from sage_rag.rag_server.retrieval import Retriever, Searchable


class Version(Searchable, Protocol):
    """An open index version."""

    @property
    def manifest(self) -> Manifest:
        """What the version is and how it was made."""
        ...

    def close(self) -> None:
        """Release it."""
        ...


class Catalog(Protocol):
    """Knows which corpora are published, and opens their versions."""

    def names(self) -> Sequence[str]:
        """Return the published corpora, sorted."""
        ...

    def current(self, name: str) -> str:
        """Return a mark that changes whenever another version is published.

        Raises:
            InputError: when the corpus is not published.
        """
        ...

    def open(self, name: str) -> Version:
        """Open the published version.

        Raises:
            InputError: when it is damaged.
        """
        ...


class HomeCatalog:
    """The corpora under a home folder."""

    def __init__(self, home: Path) -> None:
        self._home = home

    def names(self) -> Sequence[str]:
        """Return the published corpora, sorted."""
        return list_corpora(self._home)

    def current(self, name: str) -> str:
        """Return the version's folder and its manifest's identity on disk.

        The identity tells apart two versions of one number when a corpus was made anew.
        """
        path = current_path(self._home, name)
        try:
            stat = (path / MANIFEST).stat()
        except OSError:
            return str(path)
        return f"{path}:{stat.st_ino}:{stat.st_mtime_ns}"

    def open(self, name: str) -> Version:
        """Open the published version."""
        return open_version(current_path(self._home, name))


@dataclass
class _Shelf:
    """An open version, how many requests read it, and whether a newer one took its place."""

    mark: str
    version: Version
    retriever: Retriever
    readers: int = 0
    retired: bool = False


@dataclass
class _Place:
    lock: threading.Lock = field(default_factory=threading.Lock)
    shelf: _Shelf | None = None


class Corpora:
    """Search published corpora by name, always in their current version.

    A version that was replaced is closed when its last reader is done. Blocking: call it in a
    thread.
    """

    def __init__(self, catalog: Catalog, embedder: Embedder) -> None:
        self._catalog = catalog
        self._embedder = embedder
        self._places: dict[str, _Place] = {}
        self._lock = threading.Lock()

    def names(self) -> list[str]:
        """Return the names of the published corpora, sorted."""
        return list(self._catalog.names())

    def manifest(self, name: str) -> Manifest:
        """Return the manifest of the current version; raises as `search` does."""
        with self._reading(name) as shelf:
            return shelf.version.manifest

    def search(
        self, name: str, question: str, top_k: int, words: Sequence[str] = ()
    ) -> list[Passage]:
        """Return the passages of a corpus that bear on a question, best first.

        `words` are blind words of the values that the question names.

        Raises:
            UnknownModelError: when no such corpus is published.
            CorpusUnavailableError: when its version cannot be opened or needs another embedder.
        """
        with self._reading(name) as shelf:
            return shelf.retriever.retrieve(question, top_k, words)

    def close(self) -> None:
        """Close every version that nobody reads; the others when their readers are done."""
        with self._lock:
            places = list(self._places.values())
        for place in places:
            with place.lock:
                if place.shelf is not None:
                    _retire(place.shelf)
                    place.shelf = None

    @contextmanager
    def _reading(self, name: str) -> Iterator[_Shelf]:
        if name not in self._catalog.names():
            raise UnknownModelError(
                "there is no such model", hint="/v1/models lists the corpora that are served"
            )
        with self._lock:
            place = self._places.setdefault(name, _Place())
        with place.lock:
            shelf = self._current(place, name)
            shelf.readers += 1
        try:
            yield shelf
        finally:
            with place.lock:
                shelf.readers -= 1
                if shelf.retired and not shelf.readers:
                    shelf.version.close()

    def _current(self, place: _Place, name: str) -> _Shelf:
        try:
            mark = self._catalog.current(name)
            if place.shelf is None or place.shelf.mark != mark:
                # A version that was withdrawn is not served on, even if the new one is damaged:
                # it may have been withdrawn so that something is forgotten.
                fresh = self._open(name, mark)
                if place.shelf is not None:
                    _retire(place.shelf)
                place.shelf = fresh
        except InputError:
            raise CorpusUnavailableError(f"corpus `{name}` cannot be opened") from None
        return place.shelf

    def _open(self, name: str, mark: str) -> _Shelf:
        version = self._catalog.open(name)
        if version.manifest.embedder != self._embedder.name:
            version.close()
            raise CorpusUnavailableError(
                f"corpus `{name}` was embedded with another model than this server's",
                hint="set SAGE_RAG_SERVE_EMBEDDER to the embedder in its manifest",
            )
        return _Shelf(mark, version, Retriever(version, self._embedder))


def _retire(shelf: _Shelf) -> None:
    shelf.retired = True
    if not shelf.readers:
        shelf.version.close()


def created_at(manifest: Manifest) -> int:
    """Return when a version was made, in seconds since 1970."""
    return int(datetime.fromisoformat(manifest.created).timestamp())
