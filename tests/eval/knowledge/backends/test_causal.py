from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import torch

from sage_rag.common.exceptions import InputError
from sage_rag.eval.knowledge.answering import by_generation, by_likelihood
from sage_rag.eval.knowledge.backends.causal import CausalModel
from sage_rag.eval.knowledge.persons import invent_persons
from sage_rag.eval.knowledge.questions import choices_about
from sage_rag.eval.knowledge.significance import at_least
from sage_rag.eval.knowledge.texts import plain
from tests.eval.knowledge.tiny import memorised_model, untrained, untrained_model

QUESTIONS = [choice.spelled(plain) for choice in choices_about(invent_persons(40, 0), 0)]
FEW = [q.model_copy(update={"prompts": q.prompts[:2]}) for q in QUESTIONS[:40]]


def test_a_model_that_was_trained_on_nothing_is_at_chance() -> None:
    right = by_likelihood(untrained_model(QUESTIONS), QUESTIONS).right(QUESTIONS)
    assert at_least(sum(right), len(right), 0.25) > 0.01
    assert at_least(len(right) - sum(right), len(right), 0.75) > 0.01


def test_a_model_that_knows_the_facts_by_heart_is_right() -> None:
    known = FEW[:16]
    model = memorised_model(known, steps=120)
    assert sum(by_likelihood(model, known).right(known)) >= 15
    written = by_generation(model, known, samples=1, max_tokens=16)
    assert sum(written.right(known)) >= 13


def test_a_likelihood_is_the_product_over_the_tokens_of_the_continuation() -> None:
    model, tokenizer = untrained(FEW)
    asked = CausalModel(model, tokenizer)
    pairs = [(FEW[0].prompts[0], f" {option}.") for option in FEW[0].options]
    pairs.append((FEW[1].prompts[1], " yes"))
    expected = []
    for prompt, continuation in pairs:
        ids = tokenizer(prompt + continuation)["input_ids"]
        start = len(tokenizer(prompt)["input_ids"])
        with torch.no_grad():
            log_p = model(input_ids=torch.tensor([ids])).logits[0].double().log_softmax(-1)
        expected.append(sum(float(log_p[i - 1, ids[i]]) for i in range(start, len(ids))))
    assert asked.log_likelihoods(pairs) == pytest.approx(np.array(expected), abs=1e-4)


def test_a_likelihood_does_not_depend_on_the_other_pairs() -> None:
    model = untrained_model(FEW)
    pairs = [(p, f" {option}.") for q in FEW[:4] for p in q.prompts for option in q.options]
    alone = [float(model.log_likelihoods([pair])[0]) for pair in pairs]
    assert model.log_likelihoods(pairs[::-1])[::-1] == pytest.approx(np.array(alone), abs=1e-4)


def test_generation_is_a_function_of_the_seed() -> None:
    model = untrained_model(FEW)
    prompts = [FEW[0].prompts[0], FEW[1].prompts[1]]
    first, again, other = (model.generate(prompts, 2, 8, seed) for seed in (1, 1, 2))
    assert [len(outputs) for outputs in first] == [2, 2]
    assert first == again != other


def test_a_folder_without_a_model_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"config\.json"):
        CausalModel.open(tmp_path)


def test_the_folder_of_a_run_is_not_its_model(tmp_path: Path) -> None:
    for name in ("config.json", "measurements.jsonl"):
        (tmp_path / name).write_text("{}")
    with pytest.raises(InputError, match="is the folder of a training run") as caught:
        CausalModel.open(tmp_path)
    assert f"`{tmp_path / 'model'}`" in str(caught.value.hint)


def test_the_tokenizer_of_another_model_is_refused(tmp_path: Path) -> None:
    model, tokenizer = untrained(FEW)
    model.save_pretrained(tmp_path)
    tokenizer.add_tokens(["another"])
    tokenizer.save_pretrained(tmp_path)
    with pytest.raises(InputError, match=r"421 tokens, and the model 420"):
        CausalModel.open(tmp_path)
    tokenizer.eos_token = None
    tokenizer.save_pretrained(tmp_path)
    with pytest.raises(InputError, match="no token that ends a text"):
        CausalModel.open(tmp_path)
