"""Dense vectors in a FAISS index on disk."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import faiss
import numpy as np
from numpy.typing import NDArray

from sage_rag.common.exceptions import InputError
from sage_rag.indexer.protocols import Vectors


class FaissIndex:
    """Search normalised vectors by cosine; exact, with the same ranks as the L2 of the papers."""

    def __init__(self, index: Any) -> None:
        self._index = index

    @staticmethod
    def write(vectors: Vectors, path: Path) -> None:
        """Write `(n, dim)` L2-normalised vectors; row i is passage i."""
        index = faiss.IndexFlatIP(vectors.shape[1])
        index.add(vectors)
        faiss.write_index(index, str(path))

    @classmethod
    def copy(cls, source: Path, target: Path, order: NDArray[np.int64]) -> None:
        """Copy an index; `order`: `(n,)` int64, the old row of each new row."""
        stored = cls.open(source)
        cls.write(stored._index.reconstruct_n(0, len(stored))[order], target)

    @classmethod
    def open(cls, path: Path) -> FaissIndex:
        """Open an index, memory-mapped.

        Raises:
            InputError: when FAISS cannot read the file.
        """
        try:
            return cls(faiss.read_index(str(path), faiss.IO_FLAG_MMAP_IFC))
        except RuntimeError:
            raise InputError(
                f"`{path}` is not a FAISS index", hint="index the corpus again"
            ) from None

    def __len__(self) -> int:
        return int(self._index.ntotal)

    def search(
        self, vector: NDArray[np.float32], top_k: int, rows: NDArray[np.int64] | None = None
    ) -> list[tuple[int, float]]:
        """Return up to `top_k` pairs of row and cosine, best first.

        `rows`: `(m,)` int64, the only rows to search; exact, so `m` of them give `min(top_k, m)`.
        """
        top_k = min(top_k, len(self) if rows is None else len(rows))
        if top_k < 1:
            return []
        only = None
        if rows is not None:
            selector = faiss.IDSelectorBatch(rows)
            only = faiss.SearchParameters(sel=selector)  # type: ignore[call-arg] # not in its stubs
        scores, found = self._index.search(vector.reshape(1, -1), top_k, params=only)
        return [(int(r), float(s)) for r, s in zip(found[0], scores[0], strict=True) if r >= 0]
