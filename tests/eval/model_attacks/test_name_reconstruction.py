from __future__ import annotations

from collections.abc import Sequence

import pytest

from sage_rag.common.exceptions import InputError
from sage_rag.eval.model_attacks.name_reconstruction import reconstruct_names
from sage_rag.eval.model_attacks.sentences import NamedSentence
from tests.eval.model_attacks.fakes import FakeModel

NAMES = ["Ada Moreno", "Bo Lund", "Cy Ray", "Di Fox"]
SENTENCES = [NamedSentence("Then ", name, " left the mill.") for name in NAMES[:2]]


def test_the_rank_is_that_of_the_sentence_with_the_true_name() -> None:
    def score(text: str) -> float:
        return {"Ada": -1.0, "Bo": -3.0, "Cy": -2.0, "Di": -9.0}[text.split()[1]]

    found = reconstruct_names(FakeModel(score), SENTENCES, NAMES)
    assert found.candidates == 4
    assert (found.first.successes, found.first.trials) == (1, 2)
    assert found.rank is not None
    assert found.rank.value == 2.0  # ranks 1 and 3


def test_a_model_without_preference_has_the_mean_rank_of_chance_and_no_first_name() -> None:
    found = reconstruct_names(FakeModel(), SENTENCES, [*NAMES, *NAMES])
    assert found.candidates == 4
    assert found.first.successes == 0
    assert found.rank is not None
    assert found.rank.value == 2.5


def test_a_name_that_is_no_candidate_is_refused() -> None:
    with pytest.raises(InputError, match="not among the candidates"):
        reconstruct_names(FakeModel(), SENTENCES, NAMES[1:])


def test_a_tokenizer_that_cannot_spell_the_names_is_refused() -> None:
    class Illiterate(FakeModel):
        def text_of(self, ids: Sequence[int]) -> str:
            return "<unk>"

    with pytest.raises(InputError, match="cannot spell") as error:
        reconstruct_names(Illiterate(), SENTENCES, NAMES)
    assert "Moreno" not in str(error.value)
