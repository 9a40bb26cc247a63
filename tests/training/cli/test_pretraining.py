"""`sage-rag train tokenizer` and `sage-rag train cpt` as their users run them."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path

import pytest
from typer.testing import CliRunner

from sage_rag.common.exceptions import InputError
from sage_rag.training.cli.group import train
from sage_rag.training.pretraining.corpus import read_texts, write_texts
from sage_rag.training.pretraining.tokenizing import codebook_words_of, load_tokenizer
from tests.training.pretraining.runs import invented_texts


def run(*arguments: str) -> str:
    result = CliRunner().invoke(train, list(arguments), catch_exceptions=False)
    assert result.exit_code == 0
    return result.output


def test_the_example_trains_from_texts_to_a_model(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    folder = tmp_path / "texts"
    folder.mkdir()
    write_texts(folder / "a.jsonl", invented_texts(40))
    (folder / "b.txt").write_text(invented_texts(1, seed=7)[0])
    run("tokenizer", "texts", "--size", "300", "--out", "tokenizer")
    config = run("cpt", "--example", "tiny")
    for before, after in (
        ("width = 256, layers = 6", "width = 32, layers = 1"),
        ("texts.jsonl", "texts"),
        ("row_tokens = 256", "row_tokens = 64"),
    ):
        assert before in config
        config = config.replace(f'"{before}"', f'"{after}"').replace(before, after)
    Path("tiny.toml").write_text(config)
    printed = run("cpt", "--config", "tiny.toml")
    assert "the model is in runs/tiny/model" in printed
    assert json.loads(Path("runs/tiny/model/config.json").read_text())["num_hidden_layers"] == 1


def test_codebook_words_extend_the_tokenizer_of_a_model(tmp_path: Path) -> None:
    plain, shards = tmp_path / "plain.jsonl", tmp_path / "shards.jsonl"
    write_texts(plain, invented_texts(200))
    write_texts(shards, ["PERSON_[ability_able] met ID_[able_zone]."])
    model, extended = tmp_path / "model", tmp_path / "extended"
    run("tokenizer", str(plain), "--size", "300", "--out", str(model))
    more = ("--extend", str(model), "--codebook", "--out", str(extended))
    words = codebook_words_of(read_texts([shards]))
    assert f"{300 + len(words)} tokens, {len(words)} of" in run("tokenizer", str(shards), *more)
    before, after = load_tokenizer(model), load_tokenizer(extended)
    assert after.get_vocab().items() >= before.get_vocab().items()
    assert set(words) <= set(after.tokenize("PERSON_[ability_able] met ID_[able_zone]."))
    assert after.tokenize("ability met zone") == before.tokenize("ability met zone")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--extend", "model", "--size", "300"), "either --size or --extend"),
        ((), "either --size or --extend"),
        (("--extend", "model"), "adds the words of a codebook"),
    ],
)
def test_a_tokenizer_is_trained_or_extended(options: tuple[str, ...], message: str) -> None:
    with pytest.raises(InputError, match=message):
        run("tokenizer", "texts.jsonl", "--out", "out", *options)


def test_examples_are_listed_where_one_is_missing() -> None:
    assert tomllib.loads(run("cpt", "--example", "soe_llama3_8b"))["optimization"]["epochs"] == 2
    with pytest.raises(InputError, match="the examples are soe_llama3_8b, soe_qwen25_7b, tiny"):
        run("cpt", "--example", "?")


def test_one_source_of_settings_has_to_be_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="either --config or --example"):
        run("cpt", "--example", "tiny", "--config", str(tmp_path))


@pytest.mark.parametrize(
    ("row", "message"),
    [('{"body": "a"}', "line 1 has no `text`"), ('{"text": 3}', "line 1 has a `text` that is not")],
)
def test_a_line_without_text_is_named(tmp_path: Path, row: str, message: str) -> None:
    (tmp_path / "a.jsonl").write_text(row + "\n")
    with pytest.raises(InputError, match=message):
        run("tokenizer", str(tmp_path), "--size", "300", "--out", str(tmp_path / "out"))


def test_a_folder_without_texts_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"has no file \.jsonl"):
        run("tokenizer", str(tmp_path), "--size", "300", "--out", str(tmp_path / "out"))
