"""Dense vectors in Milvus, for corpora whose vectors outgrow one machine.

Milvus receives vectors and row numbers alone: no text, token or document id.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sage_rag.common.exceptions import UpstreamError, extra
from sage_rag.indexer.stores.faiss import FaissIndex

with extra("milvus", needed_by="vectors in Milvus"):
    from llama_index.core.schema import TextNode
    from llama_index.core.vector_stores.types import VectorStoreQuery
    from llama_index.vector_stores.milvus import MilvusVectorStore

_BATCH = 10_000
_ROWS_PER_SEARCH = 4_000
"""Rows that one search may name: they are a list in its filter expression."""


class MilvusIndex:
    """Search normalised vectors by cosine in a collection of Milvus.

    `uri`: the address of a server, or a file for Milvus Lite. Uses LlamaIndex's vector store.
    """

    def __init__(self, uri: str, collection: str, dim: int) -> None:
        self._collection = collection
        try:
            self._store = MilvusVectorStore(
                uri=uri,
                collection_name=collection,
                dim=dim,
                similarity_metric="IP",
                consistency_level="Strong",
                overwrite=False,
            )
        except Exception as error:  # noqa: BLE001 - pymilvus and grpc have exceptions of their own
            raise _unreachable(error) from None

    def fill(self, source: FaissIndex) -> None:
        """Copy the vectors of an index, unless the collection holds as many already.

        Raises:
            UpstreamError: when Milvus fails.
        """
        if len(self) == len(source):
            return
        try:
            for start in range(0, len(source), _BATCH):
                vectors = source.vectors(start, min(_BATCH, len(source) - start))
                self._store.add(
                    [
                        TextNode(id_=str(row), text="", embedding=vector.tolist())
                        for row, vector in enumerate(vectors, start=start)
                    ]
                )
        except Exception as error:  # noqa: BLE001 - as above
            raise _unreachable(error) from None

    def __len__(self) -> int:
        try:
            found = self._store.client.query(self._collection, output_fields=["count(*)"])
        except Exception as error:  # noqa: BLE001 - as above
            raise _unreachable(error) from None
        return int(found[0]["count(*)"])

    def search(
        self, vector: NDArray[np.float32], top_k: int, rows: NDArray[np.int64] | None = None
    ) -> list[tuple[int, float]]:
        """Return up to `top_k` pairs of row and cosine, best first.

        Raises:
            UpstreamError: when Milvus fails.
        """
        if top_k < 1:
            return []
        found = [pair for part in _parts(rows) for pair in self._search(vector, top_k, part)]
        return sorted(found, key=lambda pair: (-pair[1], pair[0]))[:top_k]

    def _search(
        self, vector: NDArray[np.float32], top_k: int, rows: list[str] | None
    ) -> list[tuple[int, float]]:
        query = VectorStoreQuery(
            query_embedding=vector.tolist(), similarity_top_k=top_k, node_ids=rows
        )
        try:
            result: Any = self._store.query(query)
        except Exception as error:  # noqa: BLE001 - as above
            raise _unreachable(error) from None
        return list(zip(map(int, result.ids or ()), result.similarities or (), strict=True))


def _parts(rows: NDArray[np.int64] | None) -> Iterator[list[str] | None]:
    if rows is None:
        yield None
        return
    for start in range(0, len(rows), _ROWS_PER_SEARCH):
        yield [str(row) for row in rows[start : start + _ROWS_PER_SEARCH]]


def _unreachable(error: Exception) -> UpstreamError:
    return UpstreamError(
        f"Milvus failed: {type(error).__name__}", hint="is the address of --milvus right?"
    )
