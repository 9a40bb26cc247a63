"""Comparisons of models on the same held-out rows."""

from __future__ import annotations

import pytest

from sage_rag.eval.studies.crypto_llm.comparison import (
    difference,
    mean_of_seeds,
    tokens_to_reach,
)
from tests.eval.studies.crypto_llm.results import arm_result


def test_a_difference_in_every_row_is_beyond_the_interval() -> None:
    found = difference(arm_result("key-1", [2.4]), arm_result("cpt", [2.5]))
    assert found.value == pytest.approx(-0.1)
    assert found.is_better
    assert not found.is_worse


def test_a_model_equals_itself() -> None:
    arm = arm_result("cpt")
    found = difference(arm, arm)
    assert (found.value, found.is_better, found.is_worse) == (0, False, False)


def test_a_difference_in_few_rows_is_within_the_interval() -> None:
    arm, other = arm_result("key-10", [2.5]), arm_result("cpt", [2.5])
    nats = list(other.last.nats)
    nats[0] -= 40.0
    nats[1] += 30.0
    changed = arm.last.model_copy(update={"nats": tuple(nats)})
    found = difference(arm.model_copy(update={"held_out": (changed,)}), other)
    assert found.value < 0
    assert not found.is_better


@pytest.mark.parametrize(
    ("bits", "goal", "tokens"),
    [((3.0, 2.0), 2.5, 1500.0), ((3.0, 2.0), 3.5, 1000.0), ((3.0, 2.0), 1.9, None)],
)
def test_tokens_to_reach_lie_between_measurements(
    bits: tuple[float, ...], goal: float, tokens: float | None
) -> None:
    found = tokens_to_reach(arm_result("key-1", bits), goal)
    assert found == (None if tokens is None else pytest.approx(tokens))


def test_one_seed_has_no_interval_and_three_have_one() -> None:
    assert mean_of_seeds([2.5]) == "2.500"
    assert mean_of_seeds([2.4, 2.5, 2.6]) == "2.500 (2.252 to 2.748)"
    assert mean_of_seeds([0.1], signed=True) == "+0.100"
