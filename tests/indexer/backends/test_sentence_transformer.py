"""Vectors of a sentence-transformers model for short texts and, by windows, for long ones."""

from __future__ import annotations

import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from sage_rag.common.exceptions import InputError
from sage_rag.common.minilm.base import base_folder
from sage_rag.indexer.backends.sentence_transformer import SentenceTransformerEmbedder

SHORT = ["My knee hurts after running.", "", "The court adjourned the hearing.", " \n"]
KNEE = "The knee swells after running and hurts on the stairs, so rest it and cool it. "
COURT = "The court adjourned the hearing and the witness went home without a word. "


@pytest.fixture(scope="module")
def minilm() -> SentenceTransformerEmbedder:
    return SentenceTransformerEmbedder(str(base_folder()))


@pytest.fixture(scope="module")
def narrow() -> SentenceTransformerEmbedder:
    """The same model, made to read 32 word pieces at a time."""
    embedder = SentenceTransformerEmbedder(str(base_folder()))
    embedder._model.max_seq_length = 32
    return embedder


def test_texts_within_the_limit_have_the_models_own_vectors(
    minilm: SentenceTransformerEmbedder,
) -> None:
    own = minilm._model.encode(SHORT, batch_size=32, normalize_embeddings=True)
    assert np.array_equal(minilm.embed(SHORT), own)
    assert minilm.embed([]).shape == (0, 384)
    assert minilm.dim == 384


def test_what_stands_at_the_end_of_a_long_text_counts_as_much_as_its_beginning(
    narrow: SentenceTransformerEmbedder,
) -> None:
    knee, court, first, last, knee_alone = narrow.embed(
        [KNEE, COURT, KNEE * 4 + COURT * 4, COURT * 4 + KNEE * 4, KNEE * 8]
    )
    assert np.allclose([np.linalg.norm(v) for v in (first, last)], 1, atol=1e-5)
    assert first @ court > knee_alone @ court + 0.3
    assert float(first @ last) > 0.95
    assert abs(float(first @ knee - last @ knee)) < 0.05


def test_order_and_company_do_not_matter(narrow: SentenceTransformerEmbedder) -> None:
    texts = [KNEE * 6, SHORT[0], COURT * 10, ""]
    together = narrow.embed(texts)
    assert together.shape == (4, 384)
    assert together.dtype == np.float32
    for text, vector in zip(texts, together, strict=True):
        assert np.allclose(narrow.embed([text])[0], vector, atol=1e-5)


def test_threads_take_turns(
    minilm: SentenceTransformerEmbedder, monkeypatch: pytest.MonkeyPatch
) -> None:
    encode, inside, most = minilm._model.encode, Counter[str](), Counter[str]()

    def counted(*arguments: Any, **named: Any) -> Any:
        inside["now"] += 1
        most["ever"] = max(most["ever"], inside["now"])
        time.sleep(0.01)  # room for others to come in
        found = encode(*arguments, **named)
        inside["now"] -= 1
        return found

    monkeypatch.setattr(minilm._model, "encode", counted)
    with ThreadPoolExecutor(8) as threads:
        assert len(list(threads.map(minilm.embed, [[KNEE]] * 16))) == 16
    assert most["ever"] == 1


def test_a_text_of_white_space_alone_has_a_vector(minilm: SentenceTransformerEmbedder) -> None:
    (vector,) = minilm.embed([" \n" * 20_000])
    assert np.isfinite(vector).all()


def test_the_packaged_model_reads_254_pieces_and_another_what_it_says(
    minilm: SentenceTransformerEmbedder, narrow: SentenceTransformerEmbedder
) -> None:
    assert minilm._limit == 256 - 2
    assert narrow._limit == 32 - 2
    assert np.array_equal(narrow.embed(SHORT), minilm.embed(SHORT))
    assert not np.allclose(narrow.embed([KNEE * 2]), minilm.embed([KNEE * 2]), atol=1e-3)


def test_a_prompt_takes_its_part_of_what_the_model_reads() -> None:
    prompted = SentenceTransformerEmbedder(str(base_folder()))
    prompted._model.prompts["query"] = "a question about knees: "
    prompted._model.default_prompt_name = "query"
    assert prompted._limit == 256 - 2 - 5


@pytest.mark.parametrize(
    ("name", "where"),
    [("example/no-such-model", "this machine's cache"), (".", "the folder")],
)
def test_a_model_that_is_not_here_is_one_clear_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, where: str
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HF_HUB_OFFLINE", "0")
    with pytest.raises(InputError, match=f"embedder `{name}`: {where} holds no model"):
        SentenceTransformerEmbedder(name).embed(["x"])
