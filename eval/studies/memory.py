"""What a study found once and need not find again: spans and vectors of texts, kept on disk.

Several recipes protect the same documents and are asked the same questions, and a study is run
again after a change that leaves most texts as they are. A digest stands for a text; whoever
changes a recognizer or an embedder changes its name, and with that the key.
"""

from __future__ import annotations

import hashlib
import json
import sqlite3
import threading
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import numpy as np

from sage_rag.indexer.embedding import WrappedEmbedder, vector_key
from sage_rag.indexer.protocols import Embedder, Vectors
from sage_rag.privacy.entities import EntityType
from sage_rag.privacy.protocols import Recognizer
from sage_rag.privacy.spans import Span

_ONE_QUERY = 500
"""SQLite takes 999 parameters in older builds."""


class Memory:
    """Bytes by key in one file, for any thread. Belongs in a folder that may hold private text."""

    def __init__(self, path: Path) -> None:
        path.touch(mode=0o600)
        self._connection = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
        self._lock = threading.Lock()
        self._connection.execute("pragma journal_mode = wal")
        self._connection.execute("pragma synchronous = off")
        self._connection.execute("create table if not exists kept (key text primary key, found)")

    def recall(
        self,
        whose: str,
        texts: Sequence[str],
        find: Callable[[Sequence[str]], Sequence[bytes]],
    ) -> list[bytes]:
        """Return what is known of each text; `find` is asked once for all that are not."""
        keys = {text: _key(whose, text) for text in texts}
        known = self._known(list(keys.values()))
        missing = [text for text, key in keys.items() if key not in known]
        if missing:
            fresh = dict(zip(map(keys.__getitem__, missing), find(missing), strict=True))
            known |= fresh
            self._keep(fresh)
        return [known[keys[text]] for text in texts]

    def _known(self, keys: Sequence[str]) -> dict[str, bytes]:
        found: dict[str, bytes] = {}
        with self._lock:
            for start in range(0, len(keys), _ONE_QUERY):
                some = keys[start : start + _ONE_QUERY]
                marks = ", ".join("?" * len(some))
                query = f"select key, found from kept where key in ({marks})"  # noqa: S608 - marks
                found |= dict(self._connection.execute(query, some))
        return found

    def _keep(self, found: Mapping[str, bytes]) -> None:
        with self._lock:
            self._connection.executemany(
                "insert or ignore into kept values (?, ?)", list(found.items())
            )


def _key(whose: str, text: str) -> str:
    return hashlib.sha256(f"{whose}\n{text}".encode()).hexdigest()


class RememberedRecognizer:
    """A recognizer that reads every text once."""

    def __init__(self, recognizer: Recognizer, memory: Memory) -> None:
        self._recognizer = recognizer
        self._memory = memory

    @property
    def fingerprint(self) -> str:
        """That of the recognizer within."""
        return self._recognizer.fingerprint

    def recognize(self, text: str) -> Sequence[Span]:
        """Return the spans found in `text`."""
        (found,) = self._memory.recall(self.fingerprint, [text], self._read)
        return [
            Span(start, end, EntityType(kind), score)
            for start, end, kind, score in json.loads(found)
        ]

    def _read(self, texts: Sequence[str]) -> list[bytes]:
        return [
            json.dumps(
                [(s.start, s.end, s.entity_type, s.score) for s in self._recognizer.recognize(text)]
            ).encode()
            for text in texts
        ]


class RememberedEmbedder(WrappedEmbedder):
    """An embedder that reads every text once."""

    def __init__(self, embedder: Embedder, memory: Memory) -> None:
        super().__init__(embedder)
        self._memory = memory

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return `(n, dim)` float32, L2-normalised, in the order of `texts`."""
        found = self._memory.recall(vector_key(self._embedder), texts, self._read)
        if not found:
            return np.zeros((0, self.dim), dtype=np.float32)
        return np.stack([np.frombuffer(vector, dtype=np.float32) for vector in found])

    def _read(self, texts: Sequence[str]) -> list[bytes]:
        return [vector.tobytes() for vector in self._embedder.embed(texts)]
