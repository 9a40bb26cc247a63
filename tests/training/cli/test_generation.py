"""`sage-rag train prefix` and `sage-rag generate` as their users run them."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

from sage_rag.common.exceptions import InputError
from sage_rag.privacy.keyset.keyset import Keyset
from sage_rag.privacy.keyset.raw import export_raw
from sage_rag.training.cli.generation import generate
from sage_rag.training.cli.group import train
from sage_rag.training.controlled.samplers import CausalSampler
from sage_rag.training.owner_folder import owner_folder
from tests.agents.endpoint import endpoint, said
from tests.training.controlled.corpus import cases, write_cases, write_model


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    write_cases(tmp_path / "cases.jsonl", cases(8))
    write_model(tmp_path / "model")
    damaged = shutil.copytree(tmp_path / "model", tmp_path / "damaged")
    (damaged / "model.safetensors").write_bytes(b"\x10")
    monkeypatch.setenv("SAGE_RAG_KEYSET_RAW", export_raw(Keyset.generate()))
    return tmp_path


def invoke(*arguments: str) -> str:
    app = typer.Typer()
    app.command()(generate)
    result = CliRunner().invoke(app, list(arguments), catch_exceptions=False)
    assert result.exit_code == 0
    return result.output


def test_a_prefix_is_trained_and_a_corpus_is_written(folder: Path) -> None:
    tuned = CliRunner().invoke(
        train,
        ["prefix", "cases.jsonl", "--model", "model", "--out", "prefix", "--epochs", "1"],
        catch_exceptions=False,
    )
    assert "the prefix is in prefix" in tuned.output
    output = invoke(
        *("cases.jsonl", "--out", "synthetic", "--method", "prefix", "--prefix", "prefix"),
        *("--llm-model", "transformers:model", "--count", "3", "--most-tokens", "12"),
    )
    assert "3 texts, 0 written again; blocked while decoding, and checked" in output
    rows = [json.loads(line) for line in Path("synthetic/corpus.jsonl").read_text().splitlines()]
    assert [row["id"] for row in rows] == ["synthetic-0", "synthetic-1", "synthetic-2"]
    assert Path("synthetic/corpus.jsonl").stat().st_mode & 0o077 == 0


def test_an_endpoint_gets_three_examples_and_the_limit_and_its_texts_are_checked(
    folder: Path,
) -> None:
    first = json.loads(Path("cases.jsonl").read_text().splitlines()[0])["text"]
    with endpoint(lambda body, number: said(first if number < 2 else "An invented case.")) as open_:
        output = invoke(
            *("cases.jsonl", "--out", "synthetic", "--count", "2", "--most-tokens", "33"),
            *("--top-p", "0.5"),
            *("--llm-model", "m", "--llm-base-url", open_.url, "--allow-plaintext"),
        )
    assert "2 texts, 2 written again; checked after the text is written" in output
    sampling = {(body["max_tokens"], body["temperature"], body["top_p"]) for body in open_.asked}
    assert sampling == {(33, 0.7, 0.5)}
    prompts = [body["messages"][-1]["content"] for body in open_.asked]
    assert {prompt.count("\n###\n") for prompt in prompts} == {3}
    assert first not in Path("synthetic/corpus.jsonl").read_text()


def test_the_baseline_asks_an_endpoint_without_words_about_codes(folder: Path) -> None:
    with endpoint(lambda body, number: said("An invented case.")) as open_:
        for method in ("baseline", "in-context"):
            invoke(
                *("cases.jsonl", "--out", method, "--count", "1", "--method", method),
                *("--llm-model", "m", "--llm-base-url", open_.url, "--allow-plaintext"),
            )
    systems = [body["messages"][0]["content"] for body in open_.asked]
    assert ["list of values" in system for system in systems] == [False, True]


def test_prompts_that_lose_their_beginning_are_counted(folder: Path) -> None:
    model = ("--llm-model", "transformers:model", "--count", "2")
    assert "lost" not in invoke("cases.jsonl", "--out", "short", *model, "--most-tokens", "9")
    output = invoke("cases.jsonl", "--out", "long", *model, "--most-tokens", "450")
    assert "2 prompts were longer than the model reads" in output
    output = invoke("cases.jsonl", "--out", "one", *model, "--count", "1", "--most-tokens", "450")
    assert "1 prompt was longer than the model reads" in output
    assert "--name NAME --keyset FILE" in output


def test_prompts_that_lost_their_beginning_are_counted_where_no_text_is_left(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write = CausalSampler.write
    monkeypatch.setattr(
        CausalSampler, "write", lambda self, asked: ["" for _ in write(self, asked)]
    )
    app = typer.Typer()
    app.command()(generate)
    model = ["--llm-model", "transformers:model", "--count", "2", "--attempts", "1"]
    result = CliRunner().invoke(
        app, ["cases.jsonl", "--out", "none", *model, "--most-tokens", "450"]
    )
    assert "none of 2 texts can be used" in str(result.exception)
    assert "2 prompts were longer than the model reads" in result.output


def test_a_prefix_takes_recognizers_as_a_generation_does(folder: Path) -> None:
    arguments = ["prefix", "cases.jsonl", "--model", "model", "--out", "prefix"]
    with pytest.raises(InputError, match="no recognizer `nothing`"):
        CliRunner().invoke(train, [*arguments, "--recognizer", "nothing:x"], catch_exceptions=False)
    with pytest.raises(InputError, match="needs a recognizer that covers them"):
        CliRunner().invoke(train, [*arguments, "--languages", "es"], catch_exceptions=False)


def test_two_trainings_of_one_prefix_are_refused(folder: Path) -> None:
    arguments = ["prefix", "cases.jsonl", "--model", "model", "--out", "prefix"]
    with (
        owner_folder(Path("prefix")),
        pytest.raises(InputError, match="another run writes to `prefix`"),
    ):
        CliRunner().invoke(train, arguments, catch_exceptions=False)


def test_a_prefix_folder_that_cannot_be_made_ends_the_command_before_training(
    folder: Path,
) -> None:
    arguments = ["prefix", "cases.jsonl", "--model", "nothing", "--out", "cases.jsonl"]
    with pytest.raises(InputError, match=r"cannot write to `cases.jsonl`"):
        CliRunner().invoke(train, arguments, catch_exceptions=False)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--method", "prefix"], "--prefix"),
        ([], "no model is named"),
        (
            ["--llm-model", "m", "--llm-base-url", "http://localhost:1/v1"],
            "real documents in clear",
        ),
        (["--llm-model", "transformers:cases.jsonl"], "has no model"),
        (["--llm-model", "transformers:damaged"], "the weights in `damaged` are damaged"),
        (["--llm-model", "transformers:model", "--prefix", "model"], "uses no prefix"),
    ],
)
def test_what_does_not_fit_is_one_line(folder: Path, arguments: list[str], message: str) -> None:
    with pytest.raises(InputError, match=message):
        invoke("cases.jsonl", "--out", "synthetic", *arguments)
