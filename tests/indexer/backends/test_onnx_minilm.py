"""The two embedders of MiniLM agree, so that either can ask an index of the other."""

import numpy as np
import pytest

from sage_rag.common.deadlines import Deadline, WorkAbandonedError, deadline
from sage_rag.indexer.backends.minilm import MiniLmEmbedder
from sage_rag.indexer.embedding import query_embedder

TEXTS = [
    "cough",
    "What helps against night-time wheezing in a child of six years?",
    "PERSON 1 asks whether propranolol and red wine go together. " * 4,
    "Fieber und Husten; 膝盖 疼痛; 🤒",
    "",
    "a long record of one visit after the other, " * 120,
]


@pytest.fixture(scope="module")
def embedder():
    pytest.importorskip("onnxruntime")
    return query_embedder()


def test_vectors_are_equal_to_those_of_torch(embedder):
    found, wanted = embedder.embed(TEXTS), MiniLmEmbedder().embed(TEXTS)
    assert type(embedder).__name__ == "OnnxMiniLmEmbedder"
    assert (embedder.name, embedder.dim) == (MiniLmEmbedder.name, MiniLmEmbedder.dim)
    assert found.dtype == np.float32
    assert np.sum(found * wanted, axis=1) == pytest.approx(1, abs=1e-5)
    assert embedder.embed([]).shape == (0, 384)


def test_a_long_text_is_abandoned_between_its_windows(embedder):
    with deadline(Deadline(-1)), pytest.raises(WorkAbandonedError):
        embedder.embed(TEXTS[-1:])
