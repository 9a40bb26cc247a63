"""Rows hold every token that has to be predicted, once, and documents do not mix."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from sage_rag.training.pretraining.packing import (
    NO_TARGET,
    batch_of,
    block_diagonal_mask,
    pack,
    pieces_of,
)
from sage_rag.training.pretraining.token_shards import TokenShards
from sage_rag.training.pretraining.tokenizing import train_tokenizer
from tests.training.pretraining.runs import invented_texts

TOKENIZER = train_tokenizer(invented_texts(200), 300)
LENGTHS = st.lists(st.integers(1, 40), min_size=1, max_size=60)


def documents(lengths: list[int]) -> np.ndarray:
    return np.concatenate([[0], np.cumsum(lengths)])


@given(LENGTHS, st.integers(2, 16), st.integers(0, 5))
def test_each_token_after_a_documents_first_is_a_target_once(
    lengths: list[int], row_tokens: int, seed: int
) -> None:
    rows = pack(documents(lengths), row_tokens, seed)
    targets = Counter(
        place
        for row in range(len(rows))
        for start, end in rows[row]
        for place in range(start + 1, end)
    )
    firsts = set(documents(lengths)[:-1].tolist())
    assert targets == Counter(p for p in range(sum(lengths)) if p not in firsts)
    assert all(sum(end - start for start, end in rows[r]) <= row_tokens for r in range(len(rows)))


@given(LENGTHS)
def test_pieces_of_a_long_document_share_one_token(lengths: list[int]) -> None:
    pieces = pieces_of(documents(lengths), 8).tolist()
    ends = documents(lengths)[1:].tolist()
    for (_, end), (start, _) in pairwise(pieces):
        assert start == (end if end in ends else end - 1)


def test_rows_are_nearly_full() -> None:
    lengths = np.random.default_rng(0).integers(20, 200, 5000)
    rows = pack(documents(lengths.tolist()), 256, seed=0)
    assert lengths.sum() / (len(rows) * 256) > 0.98


def test_the_seed_decides_which_documents_share_a_row() -> None:
    starts = documents([5] * 50)
    first, again, other = (pack(starts, 20, seed).pieces.tolist() for seed in (0, 0, 1))
    assert first == again != other


@pytest.fixture(scope="module")
def shards(tmp_path_factory: pytest.TempPathFactory) -> TokenShards:
    folder: Path = tmp_path_factory.mktemp("shards") / "tokens"
    return TokenShards.build(invented_texts(20), TOKENIZER, folder)


def test_targets_are_the_next_tokens_of_the_same_document(shards: TokenShards) -> None:
    rows = pack(shards.documents, 64, seed=0)
    batch = batch_of([(shards, rows[0]), (shards, [])], 64, fill=0)
    place = 0
    for number, (start, end) in enumerate(rows[0]):
        here = slice(place, place + end - start)
        expected = shards.tokens(start, end)
        assert batch.tokens[0, here].tolist() == expected.tolist()
        assert batch.targets[0, here].tolist() == [*expected[1:].tolist(), NO_TARGET]
        assert batch.positions[0, here].tolist() == list(range(end - start))
        assert set(batch.documents[0, here].tolist()) == {number}
        place += end - start
    assert set(batch.targets[1].tolist()) == {NO_TARGET}
    assert batch.target_count() == sum(end - start - 1 for start, end in rows[0])


def test_a_token_sees_the_earlier_ones_of_its_document() -> None:
    mask = block_diagonal_mask(torch.tensor([[0, 0, 1, 1, -1]]))[0, 0]
    expected = [[1, 0, 0, 0, 0], [1, 1, 0, 0, 0], [0, 0, 1, 0, 0], [0, 0, 1, 1, 0], [0, 0, 0, 0, 1]]
    assert mask.int().tolist() == expected
