from __future__ import annotations

import pytest

from sage_rag.common.batches import batches_of, padded_batches


@pytest.mark.parametrize(
    ("count", "sizes"), [(0, []), (1, [1]), (3, [3]), (4, [3, 1]), (6, [3, 3])]
)
def test_batches_keep_order_and_only_the_last_is_smaller(count: int, sizes: list[int]) -> None:
    batches = list(batches_of(range(count), 3))
    assert [len(batch) for batch in batches] == sizes
    assert [item for batch in batches for item in batch] == list(range(count))


@pytest.mark.parametrize("order", [sorted, lambda lengths: sorted(lengths)[::-1], list])
def test_padded_batches_hold_every_item_once_and_no_more_than_fits(order) -> None:
    lengths = order([5, 400, 512, 512, 1, 512] * 9)
    batches = list(padded_batches(range(len(lengths)), lengths.__getitem__, 8192))
    assert [i for batch in batches for i in batch] == list(range(len(lengths)))
    assert all(len(b) * max(lengths[i] for i in b) <= 8192 for b in batches)
    assert len(batches) < 6


def test_an_item_over_the_budget_is_a_batch_of_its_own() -> None:
    assert list(padded_batches([1, 20, 2, 2], lambda n: n, 10)) == [[1], [20], [2, 2]]
    assert list(padded_batches([], len, 10)) == []
