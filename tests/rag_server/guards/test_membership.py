import numpy as np
import pytest

from sage_rag.rag_server.guards.membership import FEWEST, is_suspicious

CHANCE = np.random.default_rng(3)


@pytest.mark.parametrize("n", [100, 400])
def test_the_largest_of_normal_similarities_is_seldom_suspicious(n):
    trials = 400
    hidden = 0
    for _ in range(trials):
        similarities = sorted(CHANCE.normal(0.2, 0.1, n))
        hidden += is_suspicious(similarities[-1], similarities[:-1])
    assert hidden / trials < 0.12


def test_a_copy_among_ordinary_similarities_is_suspicious():
    assert is_suspicious(0.98, CHANCE.normal(0.2, 0.1, 200).tolist())


def test_a_question_that_has_many_near_passages_is_not():
    assert not is_suspicious(0.8, CHANCE.normal(0.6, 0.1, 200).tolist())


def test_few_passages_say_nothing():
    assert not is_suspicious(0.98, [0.1] * (FEWEST - 1))
