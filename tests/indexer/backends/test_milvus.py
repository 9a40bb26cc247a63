"""The same results from FAISS and from Milvus Lite on the same vectors."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from sage_rag.common.exceptions import UpstreamError
from sage_rag.indexer.stores.faiss import FaissIndex

pytestmark = [
    pytest.mark.slow,  # importing pymilvus alone takes seconds
    pytest.mark.filterwarnings("ignore"),
]
DIM, COUNT = 16, 300
_RANDOM = np.random.default_rng(0)
VECTORS = _RANDOM.normal(size=(COUNT, DIM)).astype(np.float32)
VECTORS /= np.linalg.norm(VECTORS, axis=1, keepdims=True)
QUESTIONS = VECTORS[:5] + 0.2 * _RANDOM.normal(size=(5, DIM)).astype(np.float32)


@pytest.fixture(scope="module")
def stored(tmp_path_factory: pytest.TempPathFactory) -> FaissIndex:
    path: Path = tmp_path_factory.mktemp("faiss") / "vectors.faiss"
    FaissIndex.write(VECTORS, path)
    return FaissIndex.open(path)


@pytest.fixture(scope="module")
def uri(tmp_path_factory: pytest.TempPathFactory) -> str:
    return str(tmp_path_factory.mktemp("milvus") / "lite.db")


def test_milvus_finds_what_faiss_finds(stored: FaissIndex, uri: str) -> None:
    from sage_rag.indexer.backends.milvus import MilvusIndex

    index = MilvusIndex(uri, "sage_c_1", DIM)
    index.fill(stored)
    assert len(index) == COUNT
    index.fill(stored)  # a second server finds the vectors there
    assert len(index) == COUNT
    rows = np.arange(0, COUNT, 7)
    for question in QUESTIONS:
        for only in (None, rows):
            expected, found = stored.search(question, 10, only), index.search(question, 10, only)
            assert [row for row, _ in found] == [row for row, _ in expected]
            assert [s for _, s in found] == pytest.approx([s for _, s in expected], abs=1e-4)
    assert index.search(QUESTIONS[0], 0) == []
    assert index.search(QUESTIONS[0], 5, np.zeros(0, dtype=np.int64)) == []


def test_a_server_that_is_not_there_is_one_clear_line() -> None:
    from sage_rag.indexer.backends.milvus import MilvusIndex

    with pytest.raises(UpstreamError, match="Milvus failed"):
        MilvusIndex("http://127.0.0.1:9", "sage_c_1", DIM)
