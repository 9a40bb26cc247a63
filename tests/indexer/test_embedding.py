"""Embedders by name; vectors that are kept."""

from __future__ import annotations

import numpy as np

from sage_rag.indexer.embedding import (
    MINILM,
    CachedEmbedder,
    VectorMemory,
    embedder_called,
    vector_key,
)
from sage_rag.indexer.testing import HashEmbedder


def test_an_embedder_has_the_name_that_a_manifest_records() -> None:
    assert embedder_called().name == embedder_called(MINILM).name == MINILM
    assert embedder_called("./models/own").name == "./models/own"


def test_vectors_are_kept_by_name_and_code() -> None:
    embedder = HashEmbedder()
    assert vector_key(embedder).startswith("hash-64/")
    assert vector_key(embedder) != vector_key(embedder_called())


def test_a_cached_embedder_returns_the_vectors_in_the_order_of_the_texts() -> None:
    texts = ["sore knee", "night cough", "sore knee"]
    assert np.array_equal(CachedEmbedder(HashEmbedder()).embed(texts), HashEmbedder().embed(texts))


def test_a_cached_embedder_embeds_no_text_twice() -> None:
    inner = HashEmbedder()
    embedder = CachedEmbedder(inner)
    embedder.embed(["a", "b", "a"])
    embedder.embed(["b"])
    embedder.embed(["c", "a"])
    assert inner.embedded == 3


def test_a_cached_embedder_returns_no_rows_for_no_texts() -> None:
    embedder = CachedEmbedder(HashEmbedder())
    assert embedder.embed([]).shape == (0, embedder.dim)
    assert embedder.name == "hash-64"


def test_a_vector_memory_drops_the_vector_that_was_not_used_for_longest() -> None:
    memory = VectorMemory(2)
    for name in ("a", "b"):
        memory.store_vectors("e", {name: np.zeros(1, dtype=np.float32)})
    assert memory.vector("a", "e") is not None
    memory.store_vectors("e", {"c": np.zeros(1, dtype=np.float32)})
    assert [memory.vector(name, "e") is None for name in "abc"] == [False, True, False]
