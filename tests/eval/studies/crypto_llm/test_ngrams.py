"""Entropies and sizes of n-grams."""

from __future__ import annotations

from collections import Counter
from math import log2

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sage_rag.common.exceptions import InputError
from sage_rag.eval.studies.crypto_llm.ngrams import ngram_figures


def sequence(tokens: list[int]) -> np.ndarray:
    return np.array(tokens, dtype=np.int64)


def entropy(tokens: list[int], n: int) -> float:
    counts = Counter(tuple(tokens[i : i + n]) for i in range(len(tokens) - n + 1))
    return -sum(c / counts.total() * log2(c / counts.total()) for c in counts.values())


@given(st.lists(st.integers(0, 5) | st.integers(0, 2**15 - 1), min_size=4, max_size=60))
def test_entropies_are_those_of_counted_ngrams(tokens: list[int]) -> None:
    for found in ngram_figures(sequence(tokens)):
        assert found.entropy == pytest.approx(entropy(tokens, found.n), abs=1e-9)
        shorter = entropy(tokens, found.n - 1) if found.n > 1 else 0.0
        assert found.conditional_entropy == pytest.approx(found.entropy - shorter, abs=1e-9)


def test_equal_frequencies_have_no_distance_to_uniform() -> None:
    (found,) = ngram_figures(sequence(list(range(64)) * 100), longest=1)
    assert (found.unique, found.entropy) == (64, pytest.approx(6))
    assert found.distance_to_uniform == pytest.approx(0, abs=1e-7)
    assert found.effective == pytest.approx(64, rel=0.02)


def test_uneven_frequencies_have_a_smaller_effective_size() -> None:
    (found,) = ngram_figures(sequence([0] * 900 + list(range(1, 101))), longest=1)
    assert found.effective is not None
    assert found.effective < 2
    assert found.distance_to_uniform > 0.4


def test_two_tokens_of_a_repeated_sentence_give_the_next_one() -> None:
    figures = ngram_figures(sequence([1, 2, 1, 3] * 500))
    assert figures[1].conditional_entropy == pytest.approx(0.5, abs=0.01)
    assert figures[2].conditional_entropy == pytest.approx(0, abs=0.01)


def test_pairs_that_never_repeat_have_no_effective_size() -> None:
    assert ngram_figures(sequence([1, 2, 3, 4]))[1].effective is None


@pytest.mark.parametrize("tokens", [[1, 2, 3], [1, 2, 3, 2**15]])
def test_what_cannot_be_counted_is_refused(tokens: list[int]) -> None:
    with pytest.raises(InputError, match="at least 4 tokens"):
        ngram_figures(sequence(tokens))
