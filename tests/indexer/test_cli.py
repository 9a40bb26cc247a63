"""`sage-rag index` as a command line, over fakes."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import typer
from typer.testing import CliRunner

from sage_rag.agents.chat.accounting import Accounts, Price
from sage_rag.agents.chat.calls import ModelCalls
from sage_rag.agents.chat.reply_cache import ReplyCache
from sage_rag.agents.testing import ScriptedChatModel
from sage_rag.common.exceptions import InputError, MissingExtraError
from sage_rag.indexer import cli
from sage_rag.indexer.engines.local import in_process
from sage_rag.indexer.testing import HashEmbedder
from sage_rag.privacy.testing import TableRecognizer
from tests.indexer.conftest import KEYSET, NAMES, record

Command = Callable[..., Any]


@pytest.fixture
def model() -> ScriptedChatModel:
    """Answer with the record that it was shown."""
    return ScriptedChatModel(lambda messages: messages[1].content)


@pytest.fixture
def command(
    monkeypatch: pytest.MonkeyPatch, corpus: Path, tmp_path: Path, model: ScriptedChatModel
) -> Command:
    def calls(options: Any, folder: Path, concurrency: int, *, keep: bool) -> ModelCalls | None:
        if not options.given:
            return None
        folder.mkdir(parents=True, exist_ok=True)
        cache = ReplyCache(folder / "replies.sqlite") if keep else None
        return ModelCalls(model, accounts=Accounts(Price(1.0, 2.0)), cache=cache)

    for name, put in (
        ("recognizer_named", lambda *_: TableRecognizer(NAMES)),
        ("default_embedder", HashEmbedder),
        ("keyset_of", lambda *_: KEYSET),
        ("_model", calls),
    ):
        monkeypatch.setattr(cli, name, put)
    app = typer.Typer()
    app.command()(cli.index)

    def invoke(*arguments: str) -> Any:
        place = [str(corpus), "--name", "clinic", "--home", str(tmp_path / "home")]
        return CliRunner().invoke(app, [*place, *arguments])

    return invoke


WITH_MODEL = ("--llm-base-url", "http://localhost/v1", "--llm-model", "m")


def test_it_says_what_changed(command: Command, corpus: Path) -> None:
    first = command("--recipe", "encrypted")
    assert first.exit_code == 0, first.output
    assert "since the last version: 20 added, 0 changed, 0 removed" in first.stderr
    corpus.write_text("".join(json.dumps(record(i)) + "\n" for i in range(12)))
    second = command("--recipe", "encrypted")
    assert "since the last version: 0 added, 0 changed, 8 removed" in second.stderr
    said = json.loads(second.stdout)
    assert (said["removed"], said["unchanged"], said["published"]) == (8, 12, 12)


def test_a_dry_run_prints_figures_and_leaves_nothing(command: Command, tmp_path: Path) -> None:
    done = command("--dry-run")
    assert done.exit_code == 0, done.output
    assert json.loads(done.stdout)["to_treat"] == 20
    assert "to treat                    20" in done.stderr
    assert not (tmp_path / "home").exists()


def test_what_a_model_cost_is_told_and_reported(
    command: Command, model: ScriptedChatModel, tmp_path: Path
) -> None:
    done = command("--recipe", "checklist", *WITH_MODEL)
    assert done.exit_code == 0, done.output
    assert "the model: 20 calls" in done.stderr
    report = json.loads((tmp_path / "home/corpora/clinic/versions/000001/report.json").read_text())
    assert report["model"]["stages"]["paraphrase"]["calls"] == 20
    assert report["model"]["per_record"]["calls"] == 1
    assert report["model"]["records"] == 20
    assert report["model"]["money"] > 0


def test_a_models_answers_about_removed_documents_are_forgotten(
    command: Command, corpus: Path, tmp_path: Path
) -> None:
    command("--recipe", "checklist", *WITH_MODEL)
    replies = tmp_path / "home/owner/clinic/replies.sqlite"
    assert replies.exists()
    corpus.write_text("".join(json.dumps(record(i)) + "\n" for i in range(12)))
    assert command("--recipe", "checklist", *WITH_MODEL).exit_code == 0
    assert not replies.exists()


@pytest.mark.parametrize(
    "arguments",
    [
        ("--recipe", "zerogen"),
        ("--recipe", "origin"),
        ("--two-calls",),
        ("--adversary", "--recipe", "checklist", *WITH_MODEL),
        ("--attributes", "medical-dialogue", "--recipe", "paraphrase"),
        ("--domain", "nonsense", *WITH_MODEL),
        ("--llm-model", "m"),
    ],
)
def test_what_does_not_go_together_is_one_line(
    command: Command, arguments: tuple[str, ...]
) -> None:
    done = command(*arguments)
    assert isinstance(done.exception, InputError), done.exception
    assert "\n" not in done.exception.message


def test_without_ray_its_engine_is_one_line_that_names_the_extra(
    command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    done = command("--engine", "ray", "--workers", "2")
    assert isinstance(done.exception, MissingExtraError)
    assert done.exception.message == "--engine ray needs `ray`, which is not installed"
    assert done.exception.hint == "pip install 'sage-rag[ray]'"


@pytest.mark.parametrize("arguments", [("--engine", "fog"), ("--workers", "0")])
def test_an_engine_that_is_none_is_refused(command: Command, arguments: tuple[str, ...]) -> None:
    assert command(*arguments).exit_code == 2


def test_a_recognizer_that_asks_a_model_stays_with_the_run(
    command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever the engine: a worker has neither the model nor its budget."""
    started: list[Any] = []

    def on_processes(tools: Any, workers: int, *, threads: int, endpoint: Any) -> Any:
        started.append((tools.recognizer().fingerprint, workers, endpoint.fingerprint))
        return in_process(TableRecognizer(NAMES), HashEmbedder(), threads=threads)

    monkeypatch.setattr("sage_rag.indexer.engines.local.on_processes", on_processes)
    reads = ("--recognizer", "no-default", "--recognizer", "llm")
    done = command("--workers", "3", *reads, "--recipe", "encrypted", *WITH_MODEL)
    assert done.exit_code == 0, done.output
    ((own, workers, beside),) = started
    assert (own, workers) == ("", 3)
    assert beside.startswith("llm-scripted-")


KNEE = {
    "question": "My name is Ada Novaka and I have had a swollen knee for two weeks since a fall on "
    "the stairs. It hurts at night and I cannot sleep well. What should I do?",
    "answer": "Hello Ada Novaka, rest the knee, cool it with ice three times a day and take "
    "ibuprofen 400 mg if needed. See an orthopaedist if the swelling stays longer than a week.",
}


def test_pinned_attributes_take_the_place_of_the_proposed(
    command: Command, corpus: Path, tmp_path: Path
) -> None:
    corpus.write_text(json.dumps(KNEE))
    owner = tmp_path / "home/owner/clinic"
    versions = tmp_path / "home/corpora/clinic/versions"
    assert command().exit_code == 0
    proposed = (owner / "attributes.toml").read_text()
    mine = tmp_path / "mine.toml"
    mine.write_text(proposed.replace('name = "', 'name = "my ', 1))
    assert command("--attributes", str(mine)).exit_code == 0
    reports = [json.loads((versions / f"00000{i}/report.json").read_text()) for i in (1, 2)]
    first, *others = reports[0]["attributes"]
    assert reports[1]["attributes"] == [f"my {first}", *others]
    assert isinstance(command("--attributes", "./missing.toml").exception, InputError)
