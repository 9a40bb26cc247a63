import numpy as np

from sage_rag.eval.targets.embedding import RememberingEmbedder
from sage_rag.indexer.testing import HashEmbedder


def test_vectors_are_the_embedders_own_in_the_order_asked():
    texts = ["sore knee", "night cough", "sore knee"]
    found = RememberingEmbedder(HashEmbedder()).embed(texts)
    assert np.array_equal(found, HashEmbedder().embed(texts))


def test_no_text_is_embedded_twice():
    inner = HashEmbedder()
    embedder = RememberingEmbedder(inner)
    embedder.embed(["a", "b", "a"])
    embedder.embed(["b"])
    embedder.embed(["c", "a"])
    assert inner.embedded == 3


def test_no_texts_are_no_rows():
    embedder = RememberingEmbedder(HashEmbedder())
    assert embedder.embed([]).shape == (0, embedder.dim)
    assert embedder.name == "hash-64"
