"""The causal model as a model that is attacked."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import torch

from sage_rag.common.exceptions import InputError
from sage_rag.eval.knowledge.backends.causal import CausalModel
from sage_rag.eval.knowledge.persons import invent_persons
from sage_rag.eval.knowledge.questions import choices_about
from sage_rag.eval.knowledge.texts import plain
from tests.eval.knowledge.tiny import untrained

MODEL, TOKENIZER = untrained([c.spelled(plain) for c in choices_about(invent_persons(20, 0), 0)])
TARGET = CausalModel(MODEL, TOKENIZER)


def test_scores_are_those_of_the_definition() -> None:
    texts = ["Ada was born in Glenford.", "a", "Where?"]
    for text, found in zip(texts, TARGET.token_scores(texts), strict=True):
        ids = TOKENIZER(text)["input_ids"]
        with torch.no_grad():
            log_p = MODEL(torch.tensor([ids])).logits[0].double().log_softmax(-1)
        assert found.log_p.shape == found.standardized.shape == (len(ids) - 1,)
        for place, token in enumerate(ids[1:]):
            row, p = log_p[place], log_p[place].exp()
            mean = (p * row).sum()
            deviation = (p * (row - mean) ** 2).sum().sqrt()
            assert found.log_p[place] == pytest.approx(float(row[token]), abs=1e-4)
            expected = float((row[token] - mean) / deviation)
            assert found.standardized[place] == pytest.approx(expected, abs=2e-2)


def test_damaged_weights_give_an_error_and_no_figures(tmp_path: Path) -> None:
    MODEL.save_pretrained(tmp_path)
    TOKENIZER.save_pretrained(tmp_path)
    file = tmp_path / "model.safetensors"
    intact = file.read_bytes()
    file.write_bytes(intact[: len(intact) // 2])
    with pytest.raises(InputError, match="are damaged"):
        CausalModel.open(tmp_path)
    file.write_bytes(intact[:-400] + b"\xff" * 400)  # not a number
    model = CausalModel.open(tmp_path)
    for asked in (model.token_scores, model.mean_log_p):
        with pytest.raises(InputError, match="not numbers"):
            asked(["Ada was born in Glenford."])


def test_a_text_beyond_the_context_is_refused() -> None:
    with pytest.raises(InputError, match="longer than the model's context of 256"):
        TARGET.token_scores(["a", "x" * 500])


def test_tokens_and_texts_are_each_others_inverse() -> None:
    text = "Zoë, née  Ünal -- 12."
    assert TARGET.text_of(TARGET.token_ids(text)) == text


def test_the_likeliest_token_alone_is_drawn_where_top_k_is_1() -> None:
    first, second = (TARGET.generate(["Where"], 3, 6, seed, top_k=1)[0] for seed in (1, 2))
    assert len({*first, *second}) == 1
    assert len(set(TARGET.generate(["Where"], 3, 6, 1, top_k=64)[0])) == 3
    assert np.isfinite(TARGET.token_scores(["Where is it"])[0].log_p).all()


def test_texts_that_begin_alike_have_the_losses_that_they_have_alone() -> None:
    texts = ["Ada Moreno was born in Glenford.", "Ada Moreno was a baker", "Ada Moreno was", "Who"]
    alone = [TARGET.token_scores([text])[0].log_p.mean() for text in texts]
    assert TARGET.mean_log_p(texts[:3]) == pytest.approx(alone[:3], abs=1e-5)
    assert TARGET.mean_log_p(texts) == pytest.approx(alone, abs=1e-5)
    assert TARGET.mean_log_p([texts[0]] * 2) == pytest.approx([alone[0]] * 2, abs=1e-5)
