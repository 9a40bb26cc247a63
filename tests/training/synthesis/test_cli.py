"""`sage-rag synthesize` as its users run it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

from sage_rag.agents.testing.server import model_server
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
    assert "1 document, " in printed
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


def answer(system: str, user: str) -> str:
    """Return a competent answer of a model to each of the questions."""
    asked = json.loads(user)
    if "pairs" in asked:
        scores = [{"first": a, "second": b, "score": "1.0"} for a, b in asked["pairs"]]
        return json.dumps({"scores": scores})
    named = ", ".join(asked["entities"])
    text = f"On {asked['aspect']}: {named}."
    return json.dumps({"text": text, "question": f"Who is {named}?", "answer": text})


def test_a_model_scores_and_writes_and_its_replies_are_kept(
    tmp_path: Path, corpus: str, secret: str
) -> None:
    with model_server(answer=answer) as (url, server):
        model = ("--llm-base-url", url, "--llm-model", "scripted", "--tokens", "200")
        for out in ("out", "again"):
            printed = run(corpus, "--out", str(tmp_path / out), "--keyset-secret", secret, *model)
            (tmp_path / out / "owner" / "ledger.sqlite").unlink()
        assert "the model: " in printed
        assert not any("Sullivan" in asked for asked in server.asked)
        calls = len(server.asked)
        run(corpus, "--out", str(tmp_path / "out"), "--keyset-secret", secret, *model)
        assert len(server.asked) == calls
    first, second = (tmp_path / out / "shard-00000.jsonl" for out in ("out", "again"))
    assert first.read_bytes() == second.read_bytes()
    assert '"writer": "model:scripted"' in first.read_text("utf-8")


def test_a_folder_that_cannot_be_made_is_named_before_a_model_is_asked(
    tmp_path: Path, corpus: str
) -> None:
    with model_server(answer=answer) as (url, server):
        model = ("--llm-base-url", url, "--llm-model", "scripted")
        with pytest.raises(InputError, match=r"cannot write to .*: Not a directory"):
            run(corpus, "--out", corpus, "--cipher", "plain", *model)
        assert not server.asked


def test_the_recognizer_that_asks_a_model_needs_one(tmp_path: Path, corpus: str) -> None:
    with pytest.raises(InputError, match="recognizer `llm` needs"):
        run(corpus, "--out", str(tmp_path), "--cipher", "plain", "--recognizer", "llm")


def test_a_model_can_find_entities(tmp_path: Path, corpus: str) -> None:
    def found(system: str, user: str) -> str:
        if user.startswith("{"):
            return answer(system, user)
        values = [{"type": "MISC", "text": "called"}] if "called" in user else []
        return json.dumps({"values": values})

    with model_server(answer=found) as (url, _):
        run(
            *(corpus, "--out", str(tmp_path), "--cipher", "plain", "--recognizer", "llm"),
            *("--llm-base-url", url, "--llm-model", "scripted", "--tokens", "300"),
        )
    written = (tmp_path / "shard-00000.jsonl").read_text("utf-8").splitlines()
    rows = [json.loads(line) for line in written]
    assert any("called" in row["tuple"] for row in rows)


@pytest.mark.slow
def test_contexts_can_be_compared_by_minilm(tmp_path: Path, corpus: str) -> None:
    shards = []
    for contexts in ("words", "minilm"):
        run(corpus, "--out", str(tmp_path), "--cipher", "plain", "--contexts", contexts)
        manifest = json.loads((tmp_path / "manifest.json").read_text())
        assert manifest["contexts"] == contexts
        shards.append(manifest["samples"])
    assert all(shards)


def test_a_file_that_is_no_tokenizer_is_refused(tmp_path: Path, corpus: str) -> None:
    with pytest.raises(InputError, match="is not a tokenizer"):
        run(corpus, "--out", str(tmp_path), "--cipher", "plain", "--tokenizer", corpus)
