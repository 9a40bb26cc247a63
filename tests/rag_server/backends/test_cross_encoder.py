"""A tiny cross-encoder, made here, is loaded and reads question and passage."""

from __future__ import annotations

from pathlib import Path

import pytest

from sage_rag.common.exceptions import InputError
from sage_rag.rag_server.backends.cross_encoder import CrossEncoderReranker

pytestmark = pytest.mark.slow  # imports sentence-transformers
WORDS = "[PAD] [UNK] [CLS] [SEP] [MASK] person 1 2 gout knee helps against the what".split()


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    import torch
    from transformers import BertConfig, BertForSequenceClassification, BertTokenizerFast

    made: Path = tmp_path_factory.mktemp("cross-encoder")
    (made / "vocab.txt").write_text("\n".join(WORDS), "utf-8")
    torch.manual_seed(0)
    config = BertConfig(
        vocab_size=len(WORDS),
        hidden_size=16,
        num_hidden_layers=1,
        num_attention_heads=2,
        intermediate_size=16,
        max_position_embeddings=64,
        num_labels=1,
        initializer_range=0.5,
    )
    BertForSequenceClassification(config).save_pretrained(made)
    BertTokenizerFast(str(made / "vocab.txt")).save_pretrained(made)
    return made


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
