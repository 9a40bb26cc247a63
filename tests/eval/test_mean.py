from __future__ import annotations

import pytest

from sage_rag.eval.mean import Mean


def test_the_interval_holds_the_mean_and_narrows_with_more_values() -> None:
    few, many = Mean.of([0.0, 1.0] * 5), Mean.of([0.0, 1.0] * 500)
    assert few is not None
    assert many is not None
    assert few.value == many.value == 0.5
    assert few.low < many.low < 0.5 < many.high < few.high
    assert many.high - many.low == pytest.approx(2 * 1.96 * 0.5 / 1000**0.5, rel=0.1)


def test_equal_values_have_an_interval_of_no_width() -> None:
    found = Mean.of([3.0, 3.0, 3.0])
    assert found is not None
    assert (found.low, found.value, found.high, found.count) == (3.0, 3.0, 3.0, 3)


def test_without_values_there_is_no_mean() -> None:
    assert Mean.of([]) is None
