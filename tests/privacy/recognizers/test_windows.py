from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sage_rag.privacy.recognizers.windows import windows

SIZES = st.tuples(st.integers(0, 500), st.integers(1, 60), st.integers(0, 20)).filter(
    lambda s: s[1] > 2 * s[2]
)


@given(SIZES)
def test_cores_partition_the_input_and_lie_in_their_windows(sizes: tuple[int, int, int]) -> None:
    length, size, margin = sizes
    parts = list(windows(length, size=size, margin=margin))
    cores = [(w.core_start, w.core_end) for w in parts]
    assert [i for a, b in cores for i in range(a, b)] == list(range(length))
    for part in parts:
        assert part.start <= part.core_start <= part.core_end <= part.end <= length
        assert part.end - part.start <= size
        assert part.start == 0 or part.core_start - part.start == margin
        assert part.end == length or part.end - part.core_end == margin


@given(SIZES, st.data())
def test_what_is_no_longer_than_the_margin_lies_whole_in_a_window_that_decides_it(
    sizes: tuple[int, int, int], data: st.DataObject
) -> None:
    length, size, margin = sizes
    if not length or not margin:
        return
    start = data.draw(st.integers(0, length - 1))
    end = min(length, start + data.draw(st.integers(1, margin)))
    found = [
        w
        for w in windows(length, size=size, margin=margin)
        if w.start <= start and end <= w.end and w.decides(start, end)
    ]
    assert found


def test_margins_that_leave_nothing_are_refused() -> None:
    with pytest.raises(ValueError, match="too short"):
        list(windows(10, size=8, margin=4))
