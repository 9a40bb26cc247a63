"""Search in published corpora: versions open on first use and are replaced by newer ones."""

from __future__ import annotations

import logging
import math
import re
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Protocol

from sage_rag.common.deadlines import checkpoint
from sage_rag.common.exceptions import InputError, SageRagError
from sage_rag.indexer.passages import Passage
from sage_rag.indexer.protocols import Embedder, Vector, Vectors
from sage_rag.indexer.versions import Manifest
from sage_rag.privacy.tokens import readable_view
from sage_rag.rag_server.answering.evidence import Evidence, find_evidence
from sage_rag.rag_server.exceptions import CorpusUnavailableError, UnknownModelError
from sage_rag.rag_server.named_people import NamedPeople
from sage_rag.rag_server.read_ahead import ReadAhead
from sage_rag.rag_server.reranking import Reranker
from sage_rag.rag_server.retrieval import Retriever, Searchable

_VERSION = re.compile(r"\d{1,6}", re.ASCII)
_DESCRIPTION_WAIT_S = 2.0
"""How long a description of corpora waits for versions to open: less than a health check has."""
_STEP_S = 0.05
log = logging.getLogger("sage_rag")


class Version(Searchable, Protocol):
    """An open index version."""

    @property
    def manifest(self) -> Manifest:
        """The version's manifest."""
        ...

    @property
    def lookup(self) -> bytes | None:
        """The sealed lookup for edges, if the version has one."""
        ...

    def close(self) -> None:
        """Close its files."""
        ...


class CorpusCatalog(Protocol):
    """Lists the published corpora and opens their versions."""

    def names(self) -> Sequence[str]:
        """Return the published corpora, sorted."""
        ...

    def current(self, name: str) -> str:
        """Return an identifier that changes whenever another version is published.

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


@dataclass(frozen=True, slots=True)
class SearchResult:
    """The passages that a search found, best first, and the version that it searched.

    `evidence`: whether the version can answer the question. `sentence_vectors`: those of the
    passages, by `sentence_key`, as far as the version has them.
    """

    passages: list[Passage]
    manifest: Manifest
    evidence: Evidence
    sentence_vectors: Mapping[int, Vector] = field(default_factory=dict, repr=False)

    @property
    def version(self) -> str:
        """Corpus and version, as `clinic@7`."""
        return f"{self.manifest.corpus}@{int(self.manifest.version)}"


@dataclass
class _OpenVersion:
    """An open version. `readers`: requests that use it, and the reading ahead; `retired`: a newer
    version replaced it."""

    identifier: str
    version: Version
    retriever: Retriever
    readers: int = 0
    retired: threading.Event = field(default_factory=threading.Event)

    def close_if_unread(self) -> None:
        """Close a retired version without readers."""
        if self.retired.is_set() and not self.readers:
            self.version.close()


@dataclass
class _Corpus:
    """The current version of one corpus, once it is open.

    `lock` is never held while a version is opened. `opening`: the end of that, in progress.
    """

    lock: threading.Lock = field(default_factory=threading.Lock)
    current: _OpenVersion | None = None
    opening: Future[None] | None = None
    reported: str = ""

    def report(self, error: InputError) -> None:
        """Log why the version cannot be opened, once: clients do not learn paths."""
        if self.reported != error.message:
            self.reported = error.message
            log.error("%s%s", error.message, f"; hint: {error.hint}" if error.hint else "")

    def replace(self, newer: _OpenVersion | None) -> None:
        """Retire the current version for a newer one, or for none."""
        with self.lock:
            older, self.current = self.current, newer
            if older is not None:
                older.retired.set()
                older.close_if_unread()

    def release(self, opened: _OpenVersion) -> None:
        """End one reading of a version."""
        with self.lock:
            opened.readers -= 1
            opened.close_if_unread()


class CorpusSearch:
    """Search published corpora by name, always in their current version.

    A replaced version, or one whose corpus is no longer published, is closed when its last reader
    finishes. Calls block: use a thread. A question waits for a version to open until its deadline;
    a description of corpora gives up earlier.
    """

    def __init__(
        self,
        catalog: CorpusCatalog,
        embedder: Embedder,
        reranker: Reranker | None = None,
        *,
        guarded: bool = False,
        ahead: ReadAhead | None = None,
    ) -> None:
        """`ahead` reads the passages of each version in the background once it is open."""
        self._ahead = ahead
        self._guarded = guarded
        self._catalog = catalog
        self._embedder = embedder
        self._reranker = reranker
        self._corpora: dict[str, _Corpus] = {}
        self._lock = threading.Lock()
        self._opener = ThreadPoolExecutor(thread_name_prefix="open version")

    def manifest(self, name: str) -> Manifest:
        """Return the manifest of the current version; raises as `search` does."""
        with self._reading(name, time.monotonic() + _DESCRIPTION_WAIT_S) as opened:
            return opened.version.manifest

    def lookup(self, name: str) -> bytes | None:
        """Return the sealed lookup of the current version, if any; raises as `search` does."""
        with self._reading(name, time.monotonic() + _DESCRIPTION_WAIT_S) as opened:
            return opened.version.lookup

    def manifests(self, wait_s: float = _DESCRIPTION_WAIT_S) -> dict[str, Manifest | SageRagError]:
        """Return the manifest of each published corpus, or the error that prevents its search.

        `wait_s`: for versions that open.
        """
        names, end = self._published(), time.monotonic() + wait_s
        for name in names:
            self._description(name, 0.0)  # begins to open it, before another one is waited for
        return {name: self._description(name, end) for name in names}

    def _description(self, name: str, end: float) -> Manifest | SageRagError:
        try:
            with self._reading(name, end) as opened:
                return opened.version.manifest
        except SageRagError as error:
            return error

    def search(
        self,
        name: str,
        question: str,
        top_k: int,
        words: Sequence[str] = (),
        groups: Sequence[Sequence[str]] = (),
        people: NamedPeople | None = None,
        people_before: Sequence[str] = (),
    ) -> SearchResult:
        """Return the passages of a corpus that are relevant to a question, best first.

        `words` are blind words of the values that the question names; `groups`, for each word of
        these values, the tokens of the values that have it. `people`: whom its persons may mean.
        `people_before`: those of a conversation whose question names no one: it may be about them.

        Raises:
            UnknownModelError: when no such corpus is published.
            CorpusUnavailableError: when its version cannot be opened or needs another embedder.
        """
        checkpoint()
        with self._reading(name) as opened:
            meant = (people.meant if people else ()) or people_before
            passages = opened.retriever.retrieve(question, top_k, words, groups, meant)
            layers = opened.version.layers
            evidence = find_evidence(
                question, passages, words, layers, self._embedder, people, groups
            )
            vectors = _sentence_vectors(passages, opened.version)
            return SearchResult(passages, opened.version.manifest, evidence, vectors)

    @property
    def dim(self) -> int:
        """The length of the vectors of `embed`."""
        return self._embedder.dim

    def embed(self, name: str, texts: Sequence[str]) -> Vectors:
        """Return the vectors of texts, `(n, dim)`, by the embedder of a corpus's passages."""
        with self._reading(name):
            return self._embedder.embed([readable_view(text) for text in texts])

    def close(self) -> None:
        """Close every version without readers now, and the others after their last reader."""
        self._opener.shutdown()
        with self._lock:
            corpora = list(self._corpora.values())
        for corpus in corpora:
            corpus.replace(None)

    def _published(self) -> Sequence[str]:
        """Return the published corpora, and retire the versions of all others."""
        names = self._catalog.names()
        with self._lock:
            gone = [corpus for name, corpus in self._corpora.items() if name not in names]
        for corpus in gone:
            corpus.replace(None)
        return names

    @contextmanager
    def _reading(self, model: str, end: float = math.inf) -> Iterator[_OpenVersion]:
        """Open a corpus by its name, or by name and version as `clinic@7`.

        Only the current version is served: an older one may have been replaced so that a record is
        deleted. `end`: when to give up, on the monotonic clock.
        """
        name, at, version = model.partition("@")
        if name not in self._published():
            raise UnknownModelError(
                "there is no such model", hint="/v1/models lists the corpora that are served"
            )
        with self._lock:
            corpus = self._corpora.setdefault(name, _Corpus())
        opened = self._current(corpus, name, end)
        try:
            current = int(opened.version.manifest.version)
            if at and not (_VERSION.fullmatch(version) and int(version) == current):
                raise UnknownModelError(
                    "this version of the corpus is not the current one",
                    hint=f"the current one is {name}@{current}",
                )
            yield opened
        finally:
            corpus.release(opened)

    def _current(self, corpus: _Corpus, name: str, end: float) -> _OpenVersion:
        """Return the published version, with one more reader. An older one is not served, even if
        this one is damaged: it may have been replaced so that a record is deleted."""
        while True:
            with corpus.lock, _unavailable_if_damaged(corpus, name):
                identifier = self._catalog.current(name)
                if corpus.current is not None and corpus.current.identifier == identifier:
                    corpus.reported = ""
                    corpus.current.readers += 1
                    return corpus.current
                if corpus.opening is None:
                    corpus.opening = self._opener.submit(self._open_current, corpus, name)
                opening = corpus.opening
            while not opening.done():
                checkpoint()
                if time.monotonic() >= end:
                    raise CorpusUnavailableError(f"corpus `{name}` is being opened")
                wait([opening], timeout=_STEP_S)
            opening.result()

    def _open_current(self, corpus: _Corpus, name: str) -> None:
        """Open the published version in place of the current one."""
        try:
            with _unavailable_if_damaged(corpus, name):
                newer = self._open(name)
            self._read_ahead(corpus, newer)
            corpus.replace(newer)
        finally:
            with corpus.lock:
                corpus.opening = None

    def _read_ahead(self, corpus: _Corpus, opened: _OpenVersion) -> None:
        if self._ahead is not None:
            opened.readers += 1
            self._ahead.begin(opened.version, opened.retired, lambda: corpus.release(opened))

    def _open(self, name: str) -> _OpenVersion:
        identifier = self._catalog.current(name)
        version = self._catalog.open(name)
        if version.manifest.embedder != self._embedder.name:
            version.close()
            raise CorpusUnavailableError(
                f"corpus `{name}` was embedded with another model than the server's",
                hint="set SAGE_RAG_SERVE_EMBEDDER to the embedder in its manifest",
            )
        retriever = Retriever(version, self._embedder, self._reranker, guarded=self._guarded)
        return _OpenVersion(identifier, version, retriever)


def _sentence_vectors(passages: Sequence[Passage], version: Version) -> Mapping[int, Vector]:
    """Return copies: the version may be closed before the answer is written."""
    if not passages:
        return {}
    rows = (passage.row for passage in passages if passage.row is not None)
    return version.layers[passages[0].layer].sentence_vectors(rows)


@contextmanager
def _unavailable_if_damaged(corpus: _Corpus, name: str) -> Iterator[None]:
    try:
        yield
    except InputError as error:
        corpus.report(error)
        raise CorpusUnavailableError(f"corpus `{name}` cannot be opened") from None
