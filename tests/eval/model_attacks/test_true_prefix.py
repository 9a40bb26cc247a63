from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sage_rag.eval.model_attacks.sentences import NamedSentence
from sage_rag.eval.model_attacks.true_prefix import content_words, continue_prefixes, distance
from tests.eval.model_attacks.fakes import FakeModel

WORDS = st.lists(st.sampled_from("abc"), max_size=6)


def test_the_papers_example() -> None:
    """Appendix A.1 of the paper."""
    true = content_words("has been lived in Canada for 10 years.")
    written = content_words("likes Canada and U.S.")
    assert true == ["lived", "canada", "10", "years"]
    assert distance(written, true) == 0.75


@given(WORDS, WORDS)
def test_the_distance_is_symmetric_and_between_0_and_1(own, other) -> None:
    found = distance(own, other)
    assert found == distance(other, own)
    assert 0 <= found <= 1
    assert (found == 0) == (own == other)


@given(WORDS, st.integers(0, 5), st.sampled_from("xyz"))
def test_one_changed_word_costs_one(words, place, word) -> None:
    if place < len(words):
        changed = [*words[:place], word, *words[place + 1 :]]
        assert distance(changed, words) == pytest.approx(1 / len(words))
    assert distance([*words, word], words) == pytest.approx(1 / (len(words) + 1))


def test_the_closest_sample_counts_and_ends_with_its_sentence() -> None:
    sentences = [
        NamedSentence("Then ", "Ada Moreno", " sold the old mill."),
        NamedSentence("So ", "Bo Lund", " bought seven brown horses."),
    ]

    def write(prompt: str, sample: int) -> str:
        if prompt == "Then Ada Moreno":
            return [" kept the mill.", " sold the old mill. Bo"][sample]
        return " bought seven"

    found = continue_prefixes(FakeModel(write=write), sentences, seed=0, samples=2)
    assert found.distance is not None
    assert found.distance.value == 0.25  # 0 of the first sentence, 2 of 4 words of the second
    assert (found.exact.successes, found.exact.trials) == (1, 2)
