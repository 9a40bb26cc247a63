from __future__ import annotations

import numpy as np
import pytest

from sage_rag.common.exceptions import InputError
from sage_rag.eval.model_attacks.membership_inference import (
    infer_membership,
    min_k_score,
    passages,
)
from sage_rag.eval.model_attacks.target import TokenScores
from tests.eval.model_attacks.fakes import FakeModel


def test_min_k_is_the_mean_of_the_lowest_fifth() -> None:
    scores = np.array([5.0, -3.0, 1.0, -1.0, 0.0, 2.0, 7.0, 4.0, 6.0, 8.0])
    assert min_k_score(TokenScores(np.zeros(10), scores)) == -2.0
    assert min_k_score(TokenScores(np.zeros(2), np.array([1.0, 3.0]))) == 1.0


def test_texts_that_a_model_finds_likelier_are_members() -> None:
    model = FakeModel(lambda text: -1.0 if "read" in text else -2.0)
    found = infer_membership(model, ["read one", "read two"], ["new one", "new two", "new three"])
    for score in (found.loss, found.min_k):
        assert score.auc == 1.0
        assert (score.detected.successes, score.detected.trials, score.others) == (2, 2, 3)
    swapped = infer_membership(model, ["new one"], ["read one"])
    assert swapped.loss.auc == 0.0


def test_without_members_or_others_nothing_is_measured() -> None:
    with pytest.raises(InputError, match="has read, and others"):
        infer_membership(FakeModel(), [], ["a"])


def test_passages_fit_into_the_context_and_follow_the_lengths_of_texts() -> None:
    texts = [
        "".join(f"a{n:03}" for n in range(250)),
        "".join(f"b{n:04}" for n in range(1800)),
        "c" * 20,
    ]
    drawn = passages(FakeModel(), texts, 40, seed=0)
    assert len(drawn) == 40
    assert {len(passage) for passage in drawn} <= {128, 104, 40}  # the last ones of a text
    assert 1 <= sum("a" in passage for passage in drawn) <= 8
    assert passages(FakeModel(), ["d" * 50, "e" * 39], 2, seed=0) == ["d" * 50]
    with pytest.raises(InputError, match="40 characters"):
        passages(FakeModel(), texts[2:], 1, seed=0)


def test_a_model_that_reads_less_than_a_passage_is_named_as_the_cause() -> None:
    class Short(FakeModel):
        context = 32

    with pytest.raises(InputError, match="the model reads 32 tokens"):
        passages(Short(), ["d" * 300], 1, seed=0)


def test_no_character_is_in_two_passages() -> None:
    text = "".join(f"{n:04}" for n in range(640))
    drawn = passages(FakeModel(), [text], 500, seed=0)
    assert len(drawn) == 20
    assert sum(map(len, drawn)) == len(text)


def test_a_passage_of_more_tokens_than_characters_is_halved_until_it_fits() -> None:
    class Spelling(FakeModel):
        def token_ids(self, text: str) -> list[int]:
            return list(text.encode())  # as a byte-level tokenizer spells unknown characters

    drawn = passages(Spelling(), ["日本語" * 100], 5, seed=0)
    assert {len(passage) for passage in drawn} == {32, 22}
