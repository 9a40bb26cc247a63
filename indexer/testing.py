"""Fakes for the protocols of the indexer, and what a hostile server does to a version."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from sage_rag.indexer.protocols import Vectors
from sage_rag.indexer.stores.lexical import lexical_words
from sage_rag.indexer.versions import LOOKUP, MANIFEST, hash_file, read_manifest


class HashEmbedder:
    """Embed by hashing words into 64 dimensions: texts with common words are similar."""

    name = "hash-64"
    dim = 64

    def __init__(self) -> None:
        self.embedded = 0
        """The number of texts embedded so far."""

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return `(n, 64)` float32, L2-normalised."""
        self.embedded += len(texts)
        vectors = np.full((len(texts), self.dim), 1e-3, dtype=np.float32)
        for row, text in enumerate(texts):
            for word in lexical_words(text):
                vectors[row, hashlib.sha256(word.encode()).digest()[0] % self.dim] += 1
        norms = np.linalg.norm(vectors, axis=1, keepdims=True)
        return np.asarray(vectors / norms, dtype=np.float32)


def put_lookup(version: Path, sealed: bytes, **fields: str) -> None:
    """Put another lookup into a version, as its server can, and other `fields` into its manifest.

    The manifest fits the files.
    """
    (version / LOOKUP).write_bytes(sealed)
    manifest = read_manifest(version)
    files = {**manifest.files, LOOKUP: hash_file(version / LOOKUP)}
    changed = manifest.model_copy(update={"files": files, **fields})
    (version / MANIFEST).write_text(changed.model_dump_json(indent=2) + "\n", "utf-8")
