"""Cache spans and vectors of texts on disk, so that a study computes each of them once.

Several recipes protect the same documents, and a study is run again after changes that leave most
texts unchanged. A text is stored as its hash.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from sage_rag.common.ledger import StageLedger, StageTable
from sage_rag.indexer.embedding import text_hash
from sage_rag.indexer.protocols import Vector
from sage_rag.privacy.entities import EntityType
from sage_rag.privacy.protocols import Recognizer
from sage_rag.privacy.spans import Span

_SPANS, _VECTORS = StageTable("spans"), StageTable("vectors")


class StudyCache(StageLedger):
    """Spans and vectors by hash of text and fingerprint; a `VectorStore`."""

    def __init__(self, path: Path) -> None:
        super().__init__(path, (_SPANS, _VECTORS), version=1)

    def vector(self, text_hash: str, embedder: str) -> Vector | None:
        """Return the vector of a text, if it is kept."""
        stored = self.stored(_VECTORS, text_hash, embedder)
        return None if stored is None else np.frombuffer(stored, dtype=np.float32)

    def store_vectors(self, embedder: str, vectors: Mapping[str, Vector]) -> None:
        """Keep vectors by the hashes of their texts."""
        self.store(_VECTORS, embedder, {key: v.tobytes() for key, v in vectors.items()})


class CachedRecognizer:
    """Wraps a recognizer so that it reads each text once."""

    def __init__(self, recognizer: Recognizer, cache: StudyCache) -> None:
        self._recognizer = recognizer
        self._cache = cache

    @property
    def fingerprint(self) -> str:
        """The fingerprint of the wrapped recognizer."""
        return self._recognizer.fingerprint

    def recognize(self, text: str) -> Sequence[Span]:
        """Return the spans found in `text`."""
        key = text_hash(text)
        stored = self._cache.stored(_SPANS, key, self.fingerprint)
        if stored is None:
            spans = self._recognizer.recognize(text)
            stored = [(s.start, s.end, s.entity_type, s.score) for s in spans]
            self._cache.store(_SPANS, self.fingerprint, {key: stored})
        return [Span(start, end, EntityType(kind), score) for start, end, kind, score in stored]
