from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sage_rag.eval.knowledge.significance import at_least, better_than, differ


@given(st.integers(1, 60).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))))
def test_the_p_value_is_the_sum_of_the_binomial_probabilities(case: tuple[int, int]) -> None:
    successes, trials = case
    expected = sum(
        math.comb(trials, k) * 0.25**k * 0.75 ** (trials - k) for k in range(successes, trials + 1)
    )
    assert at_least(successes, trials, 0.25) == pytest.approx(expected, abs=1e-12)


def test_500_questions_need_150_right_answers_for_one_per_cent() -> None:
    assert at_least(150, 500, 0.25) < 0.01 < at_least(145, 500, 0.25)


def test_a_paired_test_counts_the_questions_that_one_model_alone_answers() -> None:
    own = [True] * 8 + [False] * 2 + [True] * 50
    other = [False] * 8 + [True] * 2 + [True] * 50
    assert better_than(own, other) == pytest.approx((45 + 10 + 1) / 1024)
    assert better_than(own, own) == 1.0
    assert differ(own, other) == differ(other, own) == pytest.approx(2 * (45 + 10 + 1) / 1024)
    assert differ(own, own) == 1.0


@pytest.mark.parametrize("case", [(-1, 5, 0.5), (6, 5, 0.5), (1, 5, 0.0), (1, 5, 1.0)])
def test_impossible_counts_are_refused(case: tuple[int, int, float]) -> None:
    with pytest.raises(ValueError, match="binomial"):
        at_least(*case)


def test_models_that_answered_different_questions_are_not_compared() -> None:
    with pytest.raises(ValueError, match="argument"):
        better_than([True], [True, False])
