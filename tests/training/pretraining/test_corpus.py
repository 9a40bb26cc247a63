"""Texts are read as tokenizers need them, and a wrong path is named."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from sage_rag.common.exceptions import InputError
from sage_rag.training.pretraining.corpus import read_texts
from sage_rag.training.pretraining.tokenizing import train_tokenizer
from tests.training.pretraining.runs import invented_texts


def test_a_lone_surrogate_does_not_stop_a_tokenizer(tmp_path: Path) -> None:
    file = tmp_path / "texts.jsonl"
    lines = ["half \ud83d of a character", *invented_texts(60)]
    file.write_text("".join(json.dumps({"text": line}) + "\n" for line in lines))
    texts = list(read_texts([file]))
    assert texts[0] == "half \ufffd of a character"
    tokenizer = train_tokenizer(texts, 300)
    assert tokenizer.decode(tokenizer(texts[0])["input_ids"]) == texts[0]


@pytest.mark.parametrize(
    ("name", "message"),
    [("missing", "there is no"), ("notes.csv", "is not a file"), ("empty", "has no file")],
)
def test_a_wrong_path_is_named(tmp_path: Path, name: str, message: str) -> None:
    (tmp_path / "notes.csv").write_text("a,b")
    (tmp_path / "empty").mkdir()
    with pytest.raises(InputError, match=message):
        list(read_texts([tmp_path / name]))
