"""The packaged model: the library's vectors, whatever the other texts of a call are."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from sage_rag.common.minilm.base import base_folder
from sage_rag.indexer.backends.minilm import MiniLmEmbedder
from sage_rag.indexer.backends.sentence_transformer import SentenceTransformerEmbedder

KNEE = "The knee swells after running and hurts on the stairs, so rest it and cool it. "
COURT = "The court adjourned the hearing and the witness went home without a word. "
TEXTS = [
    "My knee hurts after running.",
    *"knee,rash,fever,sore throat,red eye,a dry cough at night,pain in the left arm".split(","),
    "",
    " \n",
    "The court adjourned the hearing.",
    KNEE * 12,
    KNEE * 40 + COURT * 30,
    "[PERSON_1] wrote: 膝盖疼 – naïve, 3 µg?",
    "x" * 3000,
]


def test_the_vectors_are_those_of_sentence_transformers() -> None:
    theirs = SentenceTransformerEmbedder(str(base_folder())).embed(TEXTS)
    ours = MiniLmEmbedder().embed(TEXTS)
    assert ours.dtype == theirs.dtype == np.float32
    assert np.allclose(ours, theirs, atol=2e-6)


def test_a_vector_does_not_depend_on_the_other_texts() -> None:
    embedder = MiniLmEmbedder()
    together = embedder.embed(TEXTS)
    assert together.shape == (len(TEXTS), embedder.dim)
    for text, vector in zip(TEXTS, together, strict=True):
        assert np.array_equal(embedder.embed([text])[0], vector)


def test_threads_share_the_model() -> None:
    embedder = MiniLmEmbedder()
    alone = embedder.embed(TEXTS)
    with ThreadPoolExecutor(4) as threads:
        assert all(np.array_equal(v, alone) for v in threads.map(embedder.embed, [TEXTS] * 8))


@pytest.mark.parametrize("text", ["", " \n" * 20_000, KNEE, KNEE * 40])
def test_every_vector_has_length_1(text: str) -> None:
    assert np.linalg.norm(MiniLmEmbedder().embed([text])) == pytest.approx(1.0, abs=1e-5)


def test_no_texts_have_no_vectors() -> None:
    assert MiniLmEmbedder().embed([]).shape == (0, 384)
