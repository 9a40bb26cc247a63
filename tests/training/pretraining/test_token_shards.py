"""Tokens on the disk are those of the tokenizer, and damage is noticed."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from sage_rag.common import files
from sage_rag.common.exceptions import InputError
from sage_rag.training.pretraining.token_shards import TokenShards
from sage_rag.training.pretraining.tokenizing import train_tokenizer
from tests.training.pretraining.runs import invented_texts

TEXTS = invented_texts(30)
TOKENIZER = train_tokenizer(invented_texts(200), 300)


@pytest.mark.parametrize("shard_tokens", [40, 10**6])
def test_each_document_is_its_tokens_and_the_end_token(tmp_path: Path, shard_tokens: int) -> None:
    folder = tmp_path / "tokens"
    shards = TokenShards.build(["", *TEXTS], TOKENIZER, folder, shard_tokens=shard_tokens)
    assert len(shards) == len(TEXTS)
    assert (len(shards.files) > 1) == (shard_tokens == 40)
    for text, start, end in zip(TEXTS, shards.documents, shards.documents[1:], strict=False):
        expected = [*TOKENIZER(text)["input_ids"], TOKENIZER.eos_token_id]
        assert shards.tokens(int(start), int(end)).tolist() == expected


def test_the_digest_is_that_of_the_contents(tmp_path: Path) -> None:
    build = TokenShards.build
    first = build(TEXTS, TOKENIZER, tmp_path / "a")
    assert build(TEXTS, TOKENIZER, tmp_path / "b").digest == first.digest
    assert build(TEXTS[1:], TOKENIZER, tmp_path / "c").digest != first.digest


def test_without_text_there_is_no_folder(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no text"):
        TokenShards.build(["", ""], TOKENIZER, tmp_path / "tokens")
    assert list(tmp_path.iterdir()) == []


def test_a_build_that_dies_leaves_no_folder(tmp_path: Path) -> None:
    def texts():
        yield from TEXTS
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        TokenShards.build(texts(), TOKENIZER, tmp_path / "tokens")
    assert not (tmp_path / "tokens").exists()
    assert len(TokenShards.build(TEXTS, TOKENIZER, tmp_path / "tokens")) == len(TEXTS)


def _without_its_end(content: bytes) -> bytes:
    return content[:-10]


def _with_another_byte(content: bytes) -> bytes:
    return content[:-9] + bytes([content[-9] ^ 1]) + content[-8:]


@pytest.mark.parametrize("change", [_without_its_end, _with_another_byte])
@pytest.mark.parametrize("name", ["tokens-00000.bin", "documents.npy", "shards.json"])
def test_a_changed_file_is_damage(
    tmp_path: Path, name: str, change: Callable[[bytes], bytes]
) -> None:
    TokenShards.build(TEXTS, TOKENIZER, tmp_path / "tokens")
    file = tmp_path / "tokens" / name
    content = file.read_bytes()
    file.write_bytes(change(content))
    os.utime(file, ns=(1, 1))  # two writes in one tick of the clock have one time
    with pytest.raises(InputError, match="damaged"):
        TokenShards.open(tmp_path / "tokens")
    file.write_bytes(content)
    os.utime(file, ns=(2, 2))
    assert len(TokenShards.open(tmp_path / "tokens")) == len(TEXTS)


def test_the_tokens_are_read_once_for_their_digest(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    TokenShards.build(TEXTS, TOKENIZER, tmp_path / "tokens")
    monkeypatch.setattr(files, "sha256_of", lambda _: pytest.fail("read again"))
    assert len(TokenShards.open(tmp_path / "tokens")) == len(TEXTS)


def test_a_large_vocabulary_needs_four_bytes(tmp_path: Path) -> None:
    class Large:
        eos_token_id = 70_000

        def __len__(self) -> int:
            return 70_001

        def __call__(self, texts: list[str], **_: object) -> dict[str, list[list[int]]]:
            return {"input_ids": [[69_999]] * len(texts)}

    shards = TokenShards.build(["a"], Large(), tmp_path / "tokens")  # type: ignore[arg-type]
    assert shards.tokens(0, 2).tolist() == [69_999, 70_000]
    assert shards.files[0].dtype == np.uint32
