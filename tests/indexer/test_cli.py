"""`sage-rag index` as a command line, over fakes."""

from __future__ import annotations

import json
import sys
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import typer
from typer.testing import CliRunner

from sage_rag.agents.chat.calls import ModelCalls
from sage_rag.agents.chat.costs import CallCosts, Price
from sage_rag.agents.chat.reply_cache import ReplyCache
from sage_rag.agents.testing import ScriptedChatModel
from sage_rag.common.exceptions import InputError, MissingExtraError, ProtectionError
from sage_rag.indexer import cli, review_cli, wiring
from sage_rag.indexer.corpus_file import CorpusFile
from sage_rag.indexer.engines.local import in_process
from sage_rag.indexer.testing import HashEmbedder
from sage_rag.privacy.testing import TableRecognizer
from tests.indexer.conftest import KEYSET, NAMES, record
from tests.indexer.consensus.conftest import dialogue, write

Command = Callable[..., Any]


@pytest.fixture
def model() -> ScriptedChatModel:
    """Answer with the record that it was shown."""
    return ScriptedChatModel(lambda messages: messages[1].content)


@pytest.fixture
def command(
    monkeypatch: pytest.MonkeyPatch, corpus: Path, tmp_path: Path, model: ScriptedChatModel
) -> Command:
    def calls(corpus: CorpusFile, folder: Path, *, keep: bool) -> ModelCalls | None:
        if not corpus.model.given:
            return None
        folder.mkdir(parents=True, exist_ok=True)
        cache = ReplyCache(folder / "replies.sqlite") if keep else None
        return ModelCalls(model, costs=CallCosts(Price(1.0, 2.0)), cache=cache)

    monkeypatch.setattr(cli, "keyset_of", lambda *_: KEYSET)
    monkeypatch.setattr(review_cli, "keyset_of", lambda *_: KEYSET)
    monkeypatch.setattr(wiring, "_recognizer", lambda *_: TableRecognizer(NAMES))
    monkeypatch.setattr(wiring, "embedder_called", HashEmbedder)
    monkeypatch.setattr(wiring, "model_of", calls)
    app = typer.Typer()
    app.command(cls=cli.IndexCommand)(cli.index)

    def invoke(*arguments: str, source: tuple[str, ...] | None = None) -> Any:
        named = (str(corpus), "--name", "clinic") if source is None else source
        line = [*named, "--home", str(tmp_path / "home"), *arguments]
        return CliRunner().invoke(app, line, catch_exceptions=True)

    return invoke


def settings(tmp_path: Path) -> dict[str, Any]:
    return tomllib.loads((tmp_path / "home/owner/clinic/corpus.toml").read_text())


WITH_MODEL = ("--llm-base-url", "http://localhost/v1", "--llm-model", "m")


def test_it_says_what_changed(command: Command, corpus: Path) -> None:
    first = command("--recipe", "encrypted")
    assert first.exit_code == 0, first.output
    assert "since the last version: 20 added, 0 changed, 0 removed" in first.stderr
    assert "the one before" not in first.stderr
    corpus.write_text("".join(json.dumps(record(i)) + "\n" for i in range(12)))
    second = command("--recipe", "encrypted")
    assert "since the last version: 0 added, 0 changed, 8 removed" in second.stderr
    said = json.loads(second.stdout)
    assert (said["removed"], said["unchanged"], said["published"]) == (8, 12, 12)
    assert "this version has 12 passages, the one before had 20" in second.stderr


def test_a_dry_run_prints_figures_and_leaves_nothing(command: Command, tmp_path: Path) -> None:
    done = command("--dry-run")
    assert done.exit_code == 0, done.output
    assert json.loads(done.stdout)["to_treat"] == 20
    assert "to treat                    20" in done.stderr
    assert not (tmp_path / "home").exists()


def test_records_without_text_are_counted(command: Command, corpus: Path) -> None:
    with corpus.open("a") as file:
        file.write('{"question": "", "answer": " "}\n\n' * 2)
    estimated, done = command("--dry-run"), command("--recipe", "encrypted")
    for said in (estimated, done):
        assert "left out: 2 records without text" in said.stderr
        figures = json.loads(said.stdout)
        assert (figures["documents"], figures["blank"]) == (20, 2)


def test_a_source_that_cannot_be_read_is_not_stored(
    command: Command, corpus: Path, tmp_path: Path
) -> None:
    broken = tmp_path / "broken.jsonl"
    broken.write_text(f"{corpus.read_text()}{{\n")
    failed = command(source=(str(broken), "--name", "clinic"))
    assert "line 21 is not JSON" in str(failed.exception)
    assert not (tmp_path / "home/owner/clinic/corpus.toml").exists()
    assert command("--recipe", "encrypted").exit_code == 0
    assert command(source=(str(broken), "--name", "clinic")).exit_code == 1
    assert settings(tmp_path)["source"] == str(corpus)


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
        ("--set", "two_calls=true"),
        ("--set", "adversary=true", "--recipe", "checklist", *WITH_MODEL),
        ("--set", "attributes=medical-dialogue", "--recipe", "paraphrase"),
        ("--set", "domain=nonsense", *WITH_MODEL),
        ("--llm-model", "m"),
    ],
)
def test_what_does_not_go_together_is_one_line(
    command: Command, tmp_path: Path, arguments: tuple[str, ...]
) -> None:
    done = command(*arguments)
    assert isinstance(done.exception, InputError), done.exception
    assert "\n" not in done.exception.message
    assert not (tmp_path / "home/owner/clinic/corpus.toml").exists()


def test_without_ray_its_engine_is_one_line_that_names_the_extra(
    command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    done = command("--set", "engine=ray", "--workers", "2")
    assert isinstance(done.exception, MissingExtraError)
    assert done.exception.message == "engine ray needs `ray`, which is not installed"
    assert done.exception.hint == "pip install 'sage-rag[ray]'"


def test_an_engine_or_number_of_workers_that_does_not_exist_is_refused(command: Command) -> None:
    assert isinstance(command("--set", "engine=fog").exception, InputError)
    assert command("--workers", "0").exit_code == 2


def test_a_recognizer_that_asks_a_model_stays_with_the_run(
    command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever the engine: a worker has neither the model nor its budget."""
    started: list[Any] = []

    def on_processes(tools: Any, workers: int, *, threads: int, endpoint: Any) -> Any:
        started.append((tools.recognizer().fingerprint, workers, endpoint.fingerprint))
        return in_process(TableRecognizer(NAMES), HashEmbedder(), threads=threads)

    monkeypatch.setattr("sage_rag.indexer.wiring.on_processes", on_processes)
    reads = ("--set", "recognizers=no-default,llm")
    done = command("--workers", "3", *reads, "--recipe", "encrypted", *WITH_MODEL)
    assert done.exit_code == 0, done.output
    ((own, workers, beside),) = started
    assert (own, workers) == ("", 3)
    assert beside.startswith("llm-scripted-")


KNEE = {
    "question": "Hello doctor, my name is Ada Novaka. The bakery where I stand all day is cold from "
    "five in the morning until two in the afternoon on most days. I have had knee pain for 2 weeks. "
    "In the evening after the long way home by bus and on foot everything is far worse than at the "
    "beginning of a shift. You can write to me by post. Two of the older colleagues who work next to "
    "me at the oven had the very same thing during the whole of last winter. What can I do about "
    "knee pain?",
    "answer": "Dear Ada Novaka, thank you for writing. Many people who stand for such a long time in "
    "a cold room develop knee pain sooner or later in their working life. You should rest the joint "
    "and cool it. A walk around the block before supper on every second day has helped most of the "
    "bakers whom we have seen here so far. Come to the clinic at once with a fever. On that occasion "
    "we would also measure the pressure and draw a little blood for the usual tests of the "
    "laboratory. I will see Ada Novaka in spring.",
}


def test_pinned_attributes_take_the_place_of_the_proposed(
    command: Command, corpus: Path, tmp_path: Path
) -> None:
    corpus.write_text(json.dumps(KNEE))
    owner = tmp_path / "home/owner/clinic"
    versions = tmp_path / "home/corpora/clinic/versions"
    assert command("--recipe", "sage").exit_code == 0
    proposed = (owner / "attributes.toml").read_text()
    mine = tmp_path / "mine.toml"
    mine.write_text(proposed.replace('name = "', 'name = "my ', 1))
    assert command("--set", f"attributes={mine}").exit_code == 0
    reports = [json.loads((versions / f"00000{i}/report.json").read_text()) for i in (1, 2)]
    first, *others = reports[0]["attributes"]
    assert reports[1]["attributes"] == [f"my {first}", *others]
    assert isinstance(command("--set", "attributes=./missing.toml").exception, InputError)


def test_a_run_writes_the_corpus_file_and_the_name_alone_runs_it_again(
    command: Command, corpus: Path, tmp_path: Path
) -> None:
    first = command("--recipe", "encrypted", "--set", "policy=soe-all")
    assert first.exit_code == 0, first.output
    assert 'recipe = "encrypted", policy = "soe-all"' in first.stderr
    assert settings(tmp_path)["source"] == str(corpus)
    again = command(source=("clinic",))
    assert again.exit_code == 0, again.output
    assert "20 resumed" in again.stderr
    assert "corpus.toml" not in again.stderr
    other = command("--set", "policy=", source=("--name", "clinic"))
    assert "corpus.toml: policy unset" in other.stderr
    assert "policy" not in settings(tmp_path)
    assert settings(tmp_path)["recipe"] == "encrypted"


def test_plain_text_is_allowed_for_one_run_only(command: Command, tmp_path: Path) -> None:
    assert command("--recipe", "origin", "--allow-plaintext").exit_code == 0
    assert "plaintext" not in str(settings(tmp_path))
    assert "--allow-plaintext" in command(source=("clinic",)).exception.hint


@pytest.mark.parametrize(
    ("option", "key"),
    [
        ("--policy", "policy"), ("--recognizer", "recognizers"), ("--two-calls", "two_calls"),
        ("--llm-price", "model.price"), ("--llm-timeout", "model.timeout_s"),
        ("--no-llm-cache", "model.cache"), ("--engine=ray", "engine"), ("--domain", "domain"),
    ],
)  # fmt: skip
def test_an_option_that_is_a_key_now_names_the_key(command: Command, option: str, key: str) -> None:
    error = command(option, "x").exception
    assert error.message == f"there is no option `{option.partition('=')[0]}`"
    assert error.hint.endswith(f"--set {key}=VALUE")


@pytest.mark.parametrize("source", [("nothing",), (), ("clinic", "--name", "other")])
def test_a_corpus_that_does_not_exist_is_one_line(
    command: Command, tmp_path: Path, source: tuple[str, ...]
) -> None:
    assert isinstance(command(source=source).exception, InputError)
    assert not (tmp_path / "home").exists()


def test_a_name_that_is_also_a_file_must_be_made_clear(
    command: Command, corpus: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert command("--recipe", "encrypted").exit_code == 0
    monkeypatch.chdir(tmp_path)
    (tmp_path / "clinic").mkdir()
    assert "a corpus and also a file" in command(source=("clinic",)).exception.message
    assert "--name is missing" in command(source=(str(corpus),)).exception.message
    assert command(source=("--name", "clinic")).exit_code == 0


@pytest.mark.parametrize(
    ("arguments", "recipe"),
    [
        ((), "consensus"),
        (WITH_MODEL, "sage"),
        (("--recipe", "encrypted"), "encrypted"),
        (("--set", "recipe=encrypted"), "encrypted"),
        (("--set", "recipe="), "consensus"),
    ],
)
def test_a_new_corpus_gets_the_recipe_that_fits_its_writer(
    command: Command, corpus: Path, tmp_path: Path, arguments: tuple[str, ...], recipe: str
) -> None:
    write(corpus, map(dialogue, range(24)))
    assert f'recipe = "{recipe}"' in command(*arguments).stderr
    assert settings(tmp_path)["recipe"] == recipe


def test_a_corpus_keeps_its_recipe_and_one_without_says_how_to_name_it(
    command: Command, corpus: Path, tmp_path: Path
) -> None:
    write(corpus, map(dialogue, range(24)))
    command("--recipe", "encrypted")
    command(*WITH_MODEL)
    assert settings(tmp_path)["recipe"] == "encrypted"
    done = command("--set", "recipe=")
    assert "`recipe` is missing" in done.exception.message
    assert "--recipe sage" in done.exception.hint
    done = command("--layers", "consensus,records", "--recipe", "consensus")
    assert "--recipe encrypted" in done.exception.hint


def test_a_consensus_says_its_figures_and_whom_it_fits(
    command: Command, corpus: Path, tmp_path: Path
) -> None:
    write(corpus, map(dialogue, range(24)))
    done = command("--recipe", "consensus", "--k", "4", "--subject", "patient")
    assert done.exit_code == 0, done.output
    assert settings(tmp_path)["consensus"] == {"k": 4}
    assert settings(tmp_path)["subject"] == "patient"
    assert "represent 24 of 24 records of 24 subjects, and 4 or more subjects say" in done.stderr
    assert "it fits anyone who asks about the subject (1 passage of" in done.stderr
    both = command("--layers", "records", "--set", "consensus.k=", "--recipe", "encrypted")
    assert "it fits holders of a key who ask about a person (24 passages of one" in both.stderr


@pytest.mark.parametrize(
    ("recipe", "fits"),
    [
        ("encrypted", "it fits holders of a key who ask about a person"),
        ("redacted", "it fits no question about a person by name"),
        ("surrogates", "it fits no question about a person by name"),
    ],
)
def test_records_fit_questions_about_a_person_where_a_key_restores_names(
    command: Command, recipe: str, fits: str
) -> None:
    assert fits in command("--recipe", recipe).stderr


def test_a_newly_named_recipe_ends_settings_that_it_does_not_use(
    command: Command, corpus: Path, tmp_path: Path
) -> None:
    write(corpus, map(dialogue, range(24)))
    command("--layers", "consensus,records", "--recipe", "encrypted", "--k", "4")
    done = command("--recipe", "consensus")
    assert "layers unset" in done.stderr
    assert settings(tmp_path)["consensus"] == {"k": 4}
    done = command("--recipe", "encrypted")
    assert "consensus.k unset" in done.stderr
    assert done.exit_code == 0, done.output


def test_a_layer_of_records_without_a_record_is_not_published(
    command: Command, corpus: Path, tmp_path: Path
) -> None:
    write(corpus, map(dialogue, range(24)))
    strict = ("--recipe", "sage", "--set", "gate.min_tokens=500")
    done = command("--layers", "consensus,records", *strict)
    assert isinstance(done.exception, ProtectionError)
    assert "layer `records` would be empty" in done.exception.message
    assert "--recipe encrypted" in (done.exception.hint or "")
    assert not (tmp_path / "home/corpora/clinic/current").exists()


def test_a_dry_run_of_a_consensus_says_what_would_survive(
    command: Command, corpus: Path, tmp_path: Path
) -> None:
    write(corpus, map(dialogue, range(24)))
    first = command("--recipe", "consensus", "--dry-run")
    assert first.exit_code == 0, first.output
    assert not (tmp_path / "home").exists()
    said = json.loads(first.stdout)
    assert said["to_treat"] == 24
    runs = {k: shares["runs"] for k, shares in said["survives"].items()}
    assert 0 < runs["2"] < said["survives"]["2"]["words"] < 1
    assert runs["5"] <= runs["2"]
    assert "enough subjects say, of the content words and of the runs" in first.stderr
    both = command("--layers", "consensus,records", "--recipe", "encrypted", "--dry-run")
    assert json.loads(both.stdout)["survives"] == said["survives"]
    assert not (tmp_path / "home").exists()
    command("--recipe", "consensus")
    assert json.loads(command("--dry-run").stdout)["finished"] == 24


def test_a_run_that_would_remove_most_documents_stops_and_changes_nothing(
    command: Command, corpus: Path, tmp_path: Path
) -> None:
    assert command("--recipe", "encrypted").exit_code == 0
    other = tmp_path / "other.jsonl"
    other.write_text('{"id": "x", "text": "A complaint of another corpus."}\n')
    named = (str(other), "--name", "clinic")
    for arguments in ((), ("--dry-run",)):
        stopped = command(*arguments, source=named)
        assert isinstance(stopped.exception, InputError)
        assert "lacks 20 of the 20 documents of `clinic`" in stopped.exception.message
        assert "--allow-removal" in str(stopped.exception.hint)
    assert settings(tmp_path)["source"] == str(corpus)
    assert (tmp_path / "home/corpora/clinic/current").read_text() == "000001\n"
    assert "20 removed" in command("--allow-removal", source=named).stderr


def drop(home: Path, document: str, verb: str = "--drop") -> Any:
    app = typer.Typer()
    app.command()(review_cli.review)
    return CliRunner().invoke(app, ["clinic", verb, document, "--home", str(home)])


def test_a_ledger_that_was_lost_does_not_publish_what_was_dropped(
    command: Command, tmp_path: Path
) -> None:
    assert command("--recipe", "encrypted").exit_code == 0
    home = tmp_path / "home"
    ledger = home / "owner/clinic/ledger.sqlite"
    assert drop(home, "doc-4").exit_code == 0
    assert command().exit_code == 0
    ledger.unlink()
    for arguments in ((), ("--dry-run",), ("--allow-removal",)):
        stopped = command(*arguments)
        assert isinstance(stopped.exception, ProtectionError)
        assert "left out 1 record dropped in review" in stopped.exception.message
        assert "--drop ID" in str(stopped.exception.hint)
    assert not ledger.exists()
    assert drop(home, "doc-4").exit_code == 0
    assert json.loads(command().stdout)["published"] == 19


@pytest.mark.parametrize("report", [None, "", "[]", "{}", '{"reasons": 3}'])
def test_a_lost_ledger_and_a_report_that_cannot_be_read_stop_a_run(
    command: Command, tmp_path: Path, report: str | None
) -> None:
    home = tmp_path / "home"
    assert command("--recipe", "encrypted").exit_code == 0
    assert drop(home, "doc-4").exit_code == 0
    assert command().exit_code == 0
    (home / "owner/clinic/ledger.sqlite").unlink()
    file = home / "corpora/clinic/versions/000002/report.json"
    file.unlink() if report is None else file.write_text(report)
    for lost in (False, True):
        if lost:
            (home / "corpora/clinic/current").unlink()
        stopped = command()
        assert isinstance(stopped.exception, ProtectionError)
        assert "the report of version 2 of `clinic` cannot be read" in stopped.exception.message
        assert "--drop ID" in str(stopped.exception.hint)
    assert not (home / "corpora/clinic/versions/000003").exists()


def test_after_a_lost_ledger_all_drops_are_made_again(command: Command, tmp_path: Path) -> None:
    home = tmp_path / "home"
    assert command("--recipe", "encrypted").exit_code == 0
    for document in ("doc-4", "doc-7"):
        assert drop(home, document).exit_code == 0
    assert command().exit_code == 0
    (home / "owner/clinic/ledger.sqlite").unlink()
    assert drop(home, "doc-4").exit_code == 0
    stopped = command()
    assert isinstance(stopped.exception, ProtectionError)
    assert "left out 2 records dropped in review" in stopped.exception.message
    assert drop(home, "doc-7").exit_code == 0
    assert json.loads(command().stdout)["published"] == 18


def test_a_drop_that_was_undone_stops_no_run(command: Command, tmp_path: Path) -> None:
    assert command("--recipe", "encrypted").exit_code == 0
    assert drop(tmp_path / "home", "doc-4").exit_code == 0
    assert command().exit_code == 0
    assert drop(tmp_path / "home", "doc-4", "--undo").exit_code == 0
    assert json.loads(command().stdout)["published"] == 20


@pytest.mark.parametrize(
    ("arguments", "unused", "why"),
    [
        (("origin", "--keyset", "k"), "--keyset", "protects nothing"),
        (("origin", "--passphrase-file", "p"), "--passphrase-file", "protects nothing"),
        (("origin", "--keyset-secret", "p"), "--keyset-secret", "protects nothing"),
        (("origin", "--set", "recognizers=tagger:x"), "recognizers", "protects nothing"),
        (("origin", *WITH_MODEL), "--llm-model", "asks no model"),
        (("encrypted", *WITH_MODEL), "--llm-model", "asks no model"),
        (("encrypted", "--set", "model.budget=5"), "model.budget", "asks no model"),
    ],
)
def test_an_option_that_the_recipe_does_not_use_is_refused(
    command: Command, tmp_path: Path, arguments: tuple[str, ...], unused: str, why: str
) -> None:
    done = command("--allow-plaintext", "--recipe", *arguments)
    assert isinstance(done.exception, InputError)
    assert done.exception.message == f"`{unused}` has no effect: recipe `{arguments[0]}` {why}"
    assert not (tmp_path / "home").exists()


def test_settings_of_an_earlier_recipe_stop_no_run(command: Command) -> None:
    assert command("--recipe", "checklist", "--keyset", "k", *WITH_MODEL).exit_code == 0
    done = command("--recipe", "origin", "--allow-plaintext")
    assert done.exit_code == 0, done.output


def test_a_model_is_used_by_a_recognizer_and_by_a_layer_of_consensus(
    command: Command, corpus: Path
) -> None:
    asking = ("--recipe", "encrypted", *WITH_MODEL, "--set", "recognizers=llm:")
    assert command(*asking, "--dry-run").exit_code == 0
    write(corpus, map(dialogue, range(24)))
    layers = ("--recipe", "encrypted", *WITH_MODEL, "--layers", "consensus,records")
    assert command(*layers, "--dry-run").exit_code == 0


def test_a_run_that_removes_some_documents_asks_for_nothing(command: Command, corpus: Path) -> None:
    command("--recipe", "encrypted")
    corpus.write_text("".join(json.dumps(record(i)) + "\n" for i in range(11)))
    assert command().exit_code == 0
    corpus.write_text("".join(json.dumps(record(i)) + "\n" for i in range(2)))
    assert command().exit_code == 0


def test_a_folder_says_what_it_skips(command: Command, corpus: Path) -> None:
    (corpus.parent / "table.csv").write_text("text\nx\n")
    source = (str(corpus.parent), "--name", "clinic")
    for arguments in (("--dry-run",), ()):
        done = command(*arguments, "--recipe", "encrypted", source=source)
        assert "1 csv: index them singly" in done.stderr


def test_the_rate_is_that_of_the_treated_documents(command: Command) -> None:
    command("--recipe", "encrypted")
    assert "(0 treated, 0.0 a second; 20 resumed)" in command().stderr


def test_counts_of_one_are_singular(command: Command, corpus: Path) -> None:
    corpus.write_text(json.dumps(record(0)) + "\n")
    done = command("--recipe", "encrypted")
    assert "of 1 document in" in done.stderr
    assert "(1 passage of a record)" in done.stderr


def test_a_k_without_a_consensus_is_refused(command: Command) -> None:
    done = command("--recipe", "encrypted", "--k", "3")
    assert "only for recipe or layer `consensus`" in done.exception.message


def test_lists_may_have_spaces_after_their_commas(command: Command, tmp_path: Path) -> None:
    result = command("--recipe", "encrypted", "--text-fields", "question, answer")
    assert result.exit_code == 0
    assert settings(tmp_path)["fields"] == ["question", "answer"]
