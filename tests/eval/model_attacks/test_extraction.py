from __future__ import annotations

import pytest

from sage_rag.common.exceptions import InputError
from sage_rag.eval.model_attacks.canaries import invent_canaries
from sage_rag.eval.model_attacks.extraction import (
    compression_ratio,
    drawn_prompts,
    extract,
    openings,
)
from sage_rag.eval.model_attacks.suffix_array import WordSuffixArray
from tests.eval.model_attacks.fakes import FakeModel

TEXTS = [canary.text for canary in invent_canaries({1: 30}, seed=5)]
ARRAY = WordSuffixArray(TEXTS)


def test_a_model_that_continues_its_training_text_is_found_out() -> None:
    def write(prompt: str, sample: int) -> str:
        return next(text[len(prompt) :] for text in TEXTS if text.startswith(prompt))

    model = FakeModel(write=write)
    prompts = openings(model, TEXTS[:10])
    assert all(len(prompt.split()) == 5 for prompt in prompts)
    found = extract(model, prompts * 2, ARRAY, seed=0)
    assert (found.outputs.successes, found.outputs.trials) == (20, 20)
    assert (found.total, found.unique, found.repetitive) == (20, 10, 0)


def test_a_prompt_alone_and_a_shuffled_text_are_no_extraction() -> None:
    model = FakeModel(write=lambda prompt, sample: " ".join(sorted(prompt.split())) * 20)
    found = extract(model, TEXTS[:5], ARRAY, seed=0)
    assert (found.outputs.successes, found.total, found.unique) == (0, 0, 0)


def test_repetitive_runs_are_counted_apart_and_digits_are_equal() -> None:
    repetitive = " ".join(f"Chapter {i}," for i in range(11, 99))
    model = FakeModel(write=lambda prompt, sample: repetitive)
    found = extract(model, ["a b c d e"], WordSuffixArray([repetitive]), seed=0)
    assert (found.outputs.successes, found.unique, found.repetitive) == (0, 0, 1)
    assert compression_ratio("7318 2249 6150 8846") == compression_ratio("0000 0000 0000 0000")
    assert compression_ratio(TEXTS[0]) > 0.275 > compression_ratio(repetitive.lower())


def test_prompts_are_drawn_by_seed_from_long_texts() -> None:
    model = FakeModel()
    prompts = drawn_prompts(model, TEXTS, 50, seed=1)
    assert prompts == drawn_prompts(model, TEXTS, 50, seed=1) != drawn_prompts(model, TEXTS, 50, 2)
    assert all(any(prompt in text for text in TEXTS) for prompt in prompts)
    assert {len(prompt.split()) for prompt in prompts} == {5}
    with pytest.raises(InputError, match="6 words"):
        drawn_prompts(model, ["short"], 1, seed=0)
