"""The learning rate rises, then falls along half a cosine."""

from __future__ import annotations

import pytest

from sage_rag.training.pretraining.schedule import rate_at


def rates(steps: int, **settings: float) -> list[float]:
    return [rate_at(step, steps, highest=2.0, **settings) for step in range(steps)]


def test_the_rate_rises_to_the_highest_and_falls_to_the_final_rate() -> None:
    found = rates(101, warm_up=0.1, final_rate=0.1)
    peak = found.index(max(found))
    assert found[peak] == 2.0
    assert peak == 11
    assert found[:peak] == pytest.approx([2.0 * (step + 1) / 12 for step in range(11)])
    assert found[peak:] == sorted(found[peak:], reverse=True)
    assert rate_at(101, 101, highest=2.0, final_rate=0.1) == pytest.approx(0.2)
    middle = rate_at(56, 101, highest=2.0, final_rate=0.1)
    assert middle == pytest.approx(1.1)  # halfway down: the mean of 2.0 and 0.2


def test_the_first_step_moves() -> None:
    assert all(rate > 0 for steps in (1, 2, 7) for rate in rates(steps))
    assert rates(4, warm_up=0.0)[0] == 2.0
