"""`sage-rag synthesize` as its users run it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

from sage_rag.common.exceptions import InputError
from sage_rag.training.synthesis.cli import synthesize

NOTE = (
    "Margaret O'Sullivan lives at 14 Tanyard Lane in Kinsale. She called Dr. Cormac Lynch on "
    "15 May 2024. Cormac Lynch works at Harbour Street Surgery in Kinsale."
)


def run(*arguments: str) -> str:
    app = typer.Typer()
    app.command()(synthesize)
    result = CliRunner().invoke(app, list(arguments), catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result.output


@pytest.fixture
def corpus(tmp_path: Path) -> str:
    path = tmp_path / "notes.jsonl"
    path.write_text(json.dumps({"id": "1", "text": NOTE}) + "\n", "utf-8")
    return str(path)


@pytest.fixture
def secret(tmp_path: Path) -> str:
    path = tmp_path / "keys"
    path.write_text(bytes(range(32)).hex())
    path.chmod(0o600)
    return str(path)


@pytest.mark.parametrize("cipher", ["siv", "ecb", "codebook"])
def test_shards_of_a_corpus(tmp_path: Path, corpus: str, secret: str, cipher: str) -> None:
    out = tmp_path / cipher
    printed = run(corpus, "--out", str(out), "--keyset-secret", secret, "--cipher", cipher)
    assert "1 documents" in printed
    assert "tokens/s" in printed
    shard = (out / "shard-00000.jsonl").read_text("utf-8")
    assert "O'Sullivan" not in shard
    assert "PERSON_[" in shard
    assert json.loads((out / "manifest.json").read_text())["cipher"] == cipher


def test_plain_samples_need_no_keyset_and_take_none(
    tmp_path: Path, corpus: str, secret: str
) -> None:
    run(corpus, "--out", str(tmp_path / "out"), "--cipher", "plain", "--tokens", "300")
    assert "O'Sullivan" in (tmp_path / "out" / "shard-00000.jsonl").read_text("utf-8")
    with pytest.raises(InputError, match="uses no keyset"):
        run(corpus, "--out", str(tmp_path), "--cipher", "plain", "--keyset-secret", secret)
    with pytest.raises(InputError, match="encrypts nothing"):
        run(corpus, "--out", str(tmp_path), "--cipher", "plain", "--encrypt", "after")


def test_a_file_that_is_no_tokenizer_is_refused(tmp_path: Path, corpus: str) -> None:
    with pytest.raises(InputError, match="is not a tokenizer"):
        run(corpus, "--out", str(tmp_path), "--cipher", "plain", "--tokenizer", corpus)
