"""The order of rows is a pure function of seed, epoch and index."""

from __future__ import annotations

from pathlib import Path

import pytest

from sage_rag.training.pretraining.order import Order, Source, order_of
from sage_rag.training.pretraining.packing import pack
from sage_rag.training.pretraining.token_shards import TokenShards
from sage_rag.training.pretraining.tokenizing import train_tokenizer
from tests.training.pretraining.runs import invented_texts


@pytest.fixture(scope="module")
def sources(tmp_path_factory: pytest.TempPathFactory) -> tuple[Source, Source]:
    folder: Path = tmp_path_factory.mktemp("order")
    tokenizer = train_tokenizer(invented_texts(200), 300)

    def source(name: str, count: int) -> Source:
        shards = TokenShards.build(invented_texts(count), tokenizer, folder / name)
        return shards, pack(shards.documents, 64, seed=0)

    return source("corpus", 80), source("replay", 30)


def epoch_of(order: Order, epoch: int) -> list[tuple[bool, tuple[tuple[int, int], ...]]]:
    """Return whether each row is replay, and its pieces."""
    rows = [order.row(epoch, index) for index in range(order.rows_per_epoch)]
    return [(shards is not order.corpus[0], tuple(pieces)) for shards, pieces in rows]


def test_each_epoch_has_every_row_once_in_another_order(sources: tuple[Source, Source]) -> None:
    order = order_of(sources[0], None, 0.0, seed=5)
    first, second = epoch_of(order, 0), epoch_of(order, 1)
    assert len(set(first)) == len(first) == len(sources[0][1])
    assert first != second
    assert set(first) == set(second)
    assert epoch_of(order_of(sources[0], None, 0.0, seed=5), 1) == second
    assert epoch_of(order_of(sources[0], None, 0.0, seed=6), 0) != first


def test_replay_has_its_share_and_goes_on_through_its_text(sources: tuple[Source, Source]) -> None:
    order = order_of(*sources, 0.1, seed=5)
    epochs = [epoch_of(order, epoch) for epoch in range(6)]
    replayed = [[pieces for replay, pieces in rows if replay] for rows in epochs]
    for rows, again in zip(epochs, replayed, strict=True):
        assert len(again) / len(rows) == pytest.approx(0.1, abs=0.01)
        assert len({row for row in rows if not row[0]}) == len(sources[0][1])
    in_turn = [pieces for again in replayed for pieces in again]
    size = len(sources[1][1])
    assert len(in_turn) > size
    assert len(set(in_turn[:size])) >= size - len(replayed[0])
