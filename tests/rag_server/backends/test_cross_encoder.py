"""A tiny cross-encoder, made here, is loaded and reads question and passage."""

from __future__ import annotations

from pathlib import Path

import pytest

from sage_rag.common.exceptions import InputError
from sage_rag.rag_server.backends.cross_encoder import CrossEncoderReranker
from tests.tiny_models import cross_encoder

pytestmark = pytest.mark.slow  # imports sentence-transformers


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return cross_encoder(tmp_path_factory.mktemp("cross-encoder"))


def test_each_passage_gets_a_score_that_depends_on_the_question(folder: Path) -> None:
    reranker = CrossEncoderReranker(str(folder))
    passages = ["gout helps", "the knee", "gout helps"]
    scores = reranker.scores("what helps against gout", passages)
    assert len(scores) == 3
    assert scores[0] == pytest.approx(scores[2], abs=1e-5)
    assert abs(scores[0] - scores[1]) > 1e-4
    assert scores != pytest.approx(reranker.scores("knee", passages), abs=1e-4)


def test_a_folder_without_a_model_is_one_clear_line(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="holds no cross-encoder"):
        CrossEncoderReranker(str(tmp_path)).scores("q", ["p"])


def test_a_model_that_is_not_here_is_not_downloaded() -> None:
    with pytest.raises(InputError, match="this machine's cache"):
        CrossEncoderReranker("example/no-such-model").scores("q", ["p"])
