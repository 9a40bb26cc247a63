"""Shuffled tokens and Shuffle-Dyck."""

from __future__ import annotations

import random
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sage_rag.common.exceptions import InputError
from sage_rag.training.cipher_pretraining.controls import (
    dyck_documents,
    number_tokenizer,
    numbers_text,
    shuffle_dyck,
    shuffled_documents,
)
from sage_rag.training.pretraining.tokenizing import train_tokenizer
from tests.training.pretraining.runs import invented_texts


@given(st.integers(0, 400), st.integers(1, 64), st.integers(1, 16), st.integers(0, 1000))
def test_brackets_close_only_what_is_open_of_their_kind(
    length: int, kinds: int, depth: int, seed: int
) -> None:
    found = shuffle_dyck(length, random.Random(seed), kinds=kinds, max_depth=depth)  # noqa: S311
    assert len(found) == length
    unclosed: Counter[int] = Counter()
    for token in found:
        unclosed[token % kinds] += 1 if token < kinds else -1
        assert min(unclosed.values()) >= 0
        assert unclosed.total() <= depth


def test_brackets_of_different_kinds_cross() -> None:
    found = shuffle_dyck(1000, random.Random(0))  # noqa: S311
    stack: list[int] = []
    crossed = 0
    for token in found:
        if token < 64:
            stack.append(token)
        else:
            crossed += stack[-1] != token - 64
            stack.remove(token - 64)
    assert crossed > 100


def test_documents_of_brackets_have_exactly_the_tokens_asked_for() -> None:
    tokenizer = number_tokenizer(300)
    documents = [tokenizer(text)["input_ids"] for text in dyck_documents(1000, 64, 300, seed=1)]
    assert sum(len(ids) + 1 for ids in documents) == 1000
    assert {len(ids) + 1 for ids in documents[:-1]} == {64}
    assert min(map(min, documents)) >= 1
    assert list(dyck_documents(1000, 64, 300, 1)) != list(dyck_documents(1000, 64, 300, 2))


def test_a_vocabulary_smaller_than_the_brackets_is_refused() -> None:
    with pytest.raises(InputError, match="129"):
        next(dyck_documents(1000, 64, 128, seed=0))


def test_shuffling_keeps_the_tokens_of_each_document_and_loses_their_order() -> None:
    texts = invented_texts(40)
    tokenizer = train_tokenizer(texts, 300)
    numbers = number_tokenizer(len(tokenizer))
    moved = 0
    for text, shuffled in zip(texts, shuffled_documents(texts, tokenizer, 0), strict=True):
        before, after = tokenizer(text)["input_ids"], numbers(shuffled)["input_ids"]
        assert sorted(before) == sorted(after)
        moved += before != after
    assert moved > 35


def test_numbers_are_tokens_of_their_own() -> None:
    tokenizer = number_tokenizer(300)
    assert tokenizer(numbers_text([1, 299, 12]))["input_ids"] == [1, 299, 12]
    assert (len(tokenizer), tokenizer.eos_token_id) == (300, 0)
