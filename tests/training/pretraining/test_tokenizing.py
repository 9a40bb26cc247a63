"""Tokenizers: lossless, reproducible, with whole words where asked."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sage_rag.common.exceptions import InputError
from sage_rag.training.ciphers.codewords import word_lists
from sage_rag.training.pretraining.tokenizing import (
    codebook_words_of,
    load_tokenizer,
    save_tokenizer,
    train_tokenizer,
)
from tests.training.pretraining.runs import files_of_at_most, invented_texts

TOKENIZER = train_tokenizer(invented_texts(200), 300, ["_[river_", "oak]"])


@given(st.text())
def test_every_text_survives(text: str) -> None:
    assert TOKENIZER.decode(TOKENIZER(text)["input_ids"]) == text


def test_equal_texts_give_equal_tokenizers() -> None:
    again = train_tokenizer(invented_texts(200), 300, ["_[river_", "oak]"])
    assert again.get_vocab() == TOKENIZER.get_vocab()
    assert len(again) == 300


def test_a_codebook_token_is_its_type_and_two_words() -> None:
    pieces = TOKENIZER.tokenize("ID_[river_oak]")
    assert pieces[-2:] == ["_[river_", "oak]"]
    assert "".join(pieces[:-2]) == "ID"
    assert "_[river_" not in TOKENIZER.tokenize("the river_ and oak trees")


def test_only_words_of_codebook_tokens_are_found() -> None:
    (first, *_), (second, third, *_) = word_lists()
    texts = [f"PERSON_[{first}_{second}] met ID_[{first}_{third}].", "PERSON_[Zm9vYmFy] [a_b]"]
    assert set(codebook_words_of(texts)) == {f"_[{first}_", f"{second}]", f"{third}]"}


def test_extra_words_take_no_part_in_the_merges() -> None:
    texts = [text + " _[river_oak]" * 20 for text in invented_texts(200)]
    assert train_tokenizer(texts, 300, ["_[river_", "oak]"]).get_vocab() == TOKENIZER.get_vocab()


@pytest.mark.parametrize(("size", "message"), [(258, "at least 259"), (5000, "not 5000")])
def test_a_size_that_cannot_be_reached_is_refused(size: int, message: str) -> None:
    with pytest.raises(InputError, match=message):
        train_tokenizer(["a b c"], size, ["_[river_", "oak]"])


def test_a_damaged_tokenizer_is_named(tmp_path: Path) -> None:
    save_tokenizer(TOKENIZER, tmp_path)
    file = tmp_path / "tokenizer.json"
    intact = file.read_text("utf-8")
    for damaged in (intact[:-9], intact.replace('"merges": [', '"merges": ["x y z",')):
        file.write_text(damaged, "utf-8")
        with pytest.raises(InputError, match="is damaged"):
            load_tokenizer(tmp_path)


def test_a_disk_that_is_too_small_is_named(tmp_path: Path) -> None:
    with files_of_at_most(8_000), pytest.raises(InputError, match="File too large"):
        save_tokenizer(TOKENIZER, tmp_path)


def test_empty_texts_are_named() -> None:
    with pytest.raises(InputError, match="the texts are empty"):
        train_tokenizer(["", ""], 300)


def test_a_saved_tokenizer_reads_the_same(tmp_path: Path) -> None:
    save_tokenizer(TOKENIZER, tmp_path)
    text = "bade ID_[river_oak] 12345.\n\nÉ"
    loaded = load_tokenizer(tmp_path)
    assert loaded(text)["input_ids"] == TOKENIZER(text)["input_ids"]
    with pytest.raises(InputError, match="no `tokenizer"):
        load_tokenizer(tmp_path / "absent")
