"""Each kind of index finds the nearest vectors; given rows are always searched exactly."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from sage_rag.indexer.stores import faiss
from sage_rag.indexer.stores.faiss import FaissIndex

DIM, COUNT = 32, 3000
_RANDOM = np.random.default_rng(0)
_CENTRES = _RANDOM.normal(size=(40, DIM))
VECTORS = _CENTRES[_RANDOM.integers(0, 40, COUNT)] + 0.5 * _RANDOM.normal(size=(COUNT, DIM))
VECTORS = VECTORS.astype(np.float32)
VECTORS /= np.linalg.norm(VECTORS, axis=1, keepdims=True)
LIMITS = {"flat": (COUNT, COUNT), "graph": (0, COUNT), "lists": (0, 0)}


@pytest.fixture(params=LIMITS)
def index(
    request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> FaissIndex:
    flat, graph = LIMITS[request.param]
    monkeypatch.setattr(faiss, "FLAT_LIMIT", flat)
    monkeypatch.setattr(faiss, "GRAPH_LIMIT", graph)
    FaissIndex.write(VECTORS, tmp_path / "v.faiss")
    return FaissIndex.open(tmp_path / "v.faiss")


def nearest(vector: np.ndarray, rows: np.ndarray, top_k: int) -> list[int]:
    return [int(r) for r in rows[np.argsort(-(VECTORS[rows] @ vector), kind="stable")][:top_k]]


def test_nine_of_ten_nearest_are_found(index: FaissIndex) -> None:
    every = np.arange(COUNT)
    shared = [
        len({row for row, _ in index.search(v, 10)} & set(nearest(v, every, 10)))
        for v in VECTORS[::100]
    ]
    assert np.mean(shared) >= 9


def test_a_vector_finds_itself_with_its_cosine(index: FaissIndex) -> None:
    row, score = index.search(VECTORS[17], 1)[0]
    assert row == 17
    assert score == pytest.approx(1, abs=0.02)


def test_given_rows_are_all_found_and_no_others(index: FaissIndex) -> None:
    rows = np.asarray([5, 900, 901, 2999])
    found = [row for row, _ in index.search(VECTORS[900], 10, rows)]
    assert sorted(found) == [5, 900, 901, 2999]
    assert found[0] == 900
    assert found[:2] == nearest(VECTORS[900], rows, 2)
    assert index.search(VECTORS[900], 10, rows[:0]) == []


def test_a_copy_has_the_rows_in_the_given_order(index: FaissIndex, tmp_path: Path) -> None:
    order = np.roll(np.arange(COUNT), 1)
    FaissIndex.copy(tmp_path / "v.faiss", tmp_path / "copy.faiss", order)
    copied = FaissIndex.open(tmp_path / "copy.faiss")
    assert len(copied) == COUNT
    assert copied.search(VECTORS[17], 1)[0][0] == 18
    assert copied.vectors(18, 1)[0] == pytest.approx(VECTORS[17], abs=0.02)
