"""Dense vectors in a FAISS index on disk: exact, a graph or compressed lists, by their number."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import faiss
import numpy as np
from numpy.typing import NDArray

from sage_rag.common.exceptions import InputError
from sage_rag.indexer.protocols import Vectors

FLAT_LIMIT = 50_000
"""Up to this many vectors every search is exact: 8 ms on one core for 384 dimensions."""
GRAPH_LIMIT = 500_000
"""Up to this many vectors a graph (HNSW) is built; building one of a million takes an hour."""
_NEIGHBOURS, _BUILD_DEPTH, _SEARCH_DEPTH = 32, 80, 128
"""HNSW: edges per vector, and candidates while building and searching. Source: Malkov and Yashunin
(2018), arXiv 1603.09320, §4.1 (M 5 to 48); depths by recall (docs/results/retrieval.md)."""
_VECTORS_PER_LIST, _TRAINED_PER_LIST, _TRAINING_ROUNDS = 500, 40, 10
_CODE_VALUES = 256
_DIMENSIONS_PER_BYTE = 4
"""Of a product code: 96 bytes for 384 dimensions."""
_PROBED, _REFINED = 96, 8
"""IVF-PQ: lists that a search reads, and candidates per result that 8-bit vectors score again."""


class FaissIndex:
    """Search normalised vectors by cosine.

    Guarantees: up to `FLAT_LIMIT` vectors, and among given rows, results are exact with respect to
    the stored vectors, with the same ranks as the L2 of the papers.
    Does not guarantee: that a larger index finds every neighbour, or that its bytes are equal in
    two runs. IVF-PQ stores vectors in 8 bits per dimension.
    """

    def __init__(self, index: Any) -> None:
        self._index = index
        self._is_flat = isinstance(index, faiss.IndexFlat)
        self._searched = _on_gpus(index) if self._is_flat else index

    @staticmethod
    def write(vectors: Vectors, path: Path) -> None:
        """Write `(n, dim)` L2-normalised vectors; row i is passage i."""
        faiss.write_index(_built(np.ascontiguousarray(vectors, dtype=np.float32)), str(path))

    @classmethod
    def copy(cls, source: Path, target: Path, order: NDArray[np.int64]) -> None:
        """Copy an index; `order`: `(n,)` int64, the old row of each new row."""
        cls.write(cls.open(source).vectors()[order], target)

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

    def vectors(self, start: int = 0, count: int | None = None) -> Vectors:
        """Return the stored vectors of `count` rows from `start`, by default of all."""
        stored = _exact_part(self._index)
        found: Vectors = stored.reconstruct_n(start, len(self) - start if count is None else count)
        return found

    def search(
        self, vector: NDArray[np.float32], top_k: int, rows: NDArray[np.int64] | None = None
    ) -> list[tuple[int, float]]:
        """Return up to `top_k` pairs of row and cosine, best first.

        `rows`: `(m,)` int64, the only rows to search; exact, so `m` of them give `min(top_k, m)`.
        """
        if rows is not None:
            return self._among(vector, top_k, rows)
        top_k = min(top_k, len(self))
        if top_k < 1:
            return []
        scores, found = self._searched.search(vector.reshape(1, -1), top_k)
        return [(int(r), float(s)) for r, s in zip(found[0], scores[0], strict=True) if r >= 0]

    def _among(
        self, vector: NDArray[np.float32], top_k: int, rows: NDArray[np.int64]
    ) -> list[tuple[int, float]]:
        if top_k < 1 or not len(rows):
            return []
        cosines = _exact_part(self._index).reconstruct_batch(rows) @ vector
        order = np.lexsort((rows, -cosines))[:top_k]
        return [(int(rows[i]), float(cosines[i])) for i in order]


def _built(vectors: Vectors) -> Any:
    count, dim = vectors.shape
    index: Any
    if count <= FLAT_LIMIT:
        index = faiss.IndexFlatIP(dim)
    elif count <= GRAPH_LIMIT:
        index = faiss.IndexHNSWFlat(dim, _NEIGHBOURS, faiss.METRIC_INNER_PRODUCT)
        index.hnsw.efConstruction, index.hnsw.efSearch = _BUILD_DEPTH, _SEARCH_DEPTH
    else:
        index = _trained_lists(vectors)
    index.add(vectors)
    return index


def _trained_lists(vectors: Vectors) -> Any:
    """Return an empty IVF-PQ index with 8-bit vectors behind it, trained on a sample.

    Source: Jégou, Douze and Schmid (2011), "Product quantization for nearest neighbor search", IEEE
    TPAMI 33(1), §4 (inverted lists); re-scoring as in Jégou et al. (2011), arXiv 1102.3828.
    """
    count, dim = vectors.shape
    lists = count // _VECTORS_PER_LIST
    codes = dim // _DIMENSIONS_PER_BYTE
    index: Any = faiss.index_factory(
        dim, f"IVF{lists},PQ{codes}np,Refine(SQ8)", faiss.METRIC_INNER_PRODUCT
    )
    index.k_factor = _REFINED
    inverted = faiss.extract_index_ivf(index.base_index)
    inverted.nprobe, inverted.cp.niter = _PROBED, _TRAINING_ROUNDS
    trained = min(count, max(lists, _CODE_VALUES) * _TRAINED_PER_LIST)
    sample = np.random.default_rng(0).choice(count, trained, replace=False)
    index.train(vectors[np.sort(sample)])
    return index


def _exact_part(index: Any) -> Any:
    """Return the part that holds each vector most exactly."""
    found = faiss.downcast_index(index)
    return faiss.downcast_index(found.refine_index) if hasattr(found, "refine_index") else found


def _on_gpus(index: Any) -> Any:
    """Return a copy of a flat index on all GPUs, with the package faiss-gpu; else the index."""
    return faiss.index_cpu_to_all_gpus(index) if faiss.get_num_gpus() else index
