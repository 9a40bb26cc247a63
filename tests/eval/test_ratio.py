"""Ratios of means over questions."""

import numpy as np

from sage_rag.eval.ratio import Ratio


def test_a_ratio_of_equals_is_one_and_has_no_width():
    found = Ratio.of([0.1, 0.2, 0.3], [0.1, 0.2, 0.3])
    assert (found.value, found.low, found.high) == (1.0, 1.0, 1.0)


def test_a_ratio_has_an_interval_around_it_and_is_the_same_again():
    chance = np.random.default_rng(1)
    reference = chance.random(200)
    own = reference * chance.uniform(0.5, 1.1, 200)
    found = Ratio.of(list(own), list(reference))
    assert found.low < own.sum() / reference.sum() < found.high
    assert found.high - found.low < 0.1
    assert found == Ratio.of(list(own), list(reference))


def test_draws_in_which_the_reference_is_nothing_are_left_out():
    found = Ratio.of([1.0, 0.0, 0.0], [1.0, 0.0, 0.0])
    assert (found.low, found.value, found.high) == (1.0, 1.0, 1.0)


def test_nothing_has_no_share():
    assert Ratio.of([1.0, 1.0], [0.0, 0.0]) is None
