import hashlib
import json
from pathlib import Path

import pytest

from sage_rag.common.exceptions import InputError
from sage_rag.training.controlled.generation import Generation, GenerationSettings
from sage_rag.training.controlled.names import Block
from sage_rag.training.controlled.run import run_generation
from sage_rag.training.controlled.samplers import CHECKING, DECODING
from tests.training.controlled.corpus import cases, choice
from tests.training.controlled.test_generation import Copying


def silent(stage: str, done: int, total: int) -> None:
    """Show no progress."""


class Interrupted(Copying):
    """Stops as a killed process would, after some batches."""

    def __init__(self, batches: int) -> None:
        super().__init__()
        self.left = batches

    def write(self, requests):
        if not self.left:
            raise KeyboardInterrupt
        self.left -= 1
        self.requests += requests
        return [f"Invented case {request.seed}." for request in requests]


def run(sampler, folder: Path, **settings):
    made = Generation(cases(8), GenerationSettings(**settings), sampler, choice())
    return run_generation(made, folder, sampler.blocking, silent)


def test_a_killed_run_continues_and_gives_the_same_corpus(tmp_path: Path) -> None:
    run(Interrupted(99), tmp_path / "whole", count=9)
    with pytest.raises(KeyboardInterrupt):
        run(Interrupted(1), tmp_path / "killed", count=9)
    assert not (tmp_path / "killed" / "corpus.jsonl").exists()
    again = Interrupted(99)
    summary = run(again, tmp_path / "killed", count=9)
    assert summary.resumed == 3
    assert len(again.requests) == 6
    written = [(tmp_path / name / "corpus.jsonl").read_bytes() for name in ("whole", "killed")]
    assert written[0] == written[1]


def test_the_report_says_what_was_blocked_and_how(tmp_path: Path) -> None:
    sampler = Copying(["Fine.", "Harnmouth.", "Pell!", "Good.", "Gdansk"])
    sampler.blocking = CHECKING
    summary = run(sampler, tmp_path, count=3, attempts=2)
    report = json.loads((tmp_path / "report.json").read_text())
    content = (tmp_path / "corpus.jsonl").read_bytes()
    assert report["blocking"] == CHECKING
    assert report["blocked"] == "corpus"
    assert report["values"] > 20
    assert (report["written"], report["dropped"]) == (2, {"blocked value": 1})
    assert report["sha256"] == hashlib.sha256(content).hexdigest()
    assert [json.loads(line)["text"] for line in content.splitlines()] == ["Fine.", "Good."]
    assert summary.line() == "2 texts, 2 written again, dropped 1 (blocked value 1)"
    run(Copying(["A."] * 3), tmp_path, count=3, block=Block.NONE)
    assert json.loads((tmp_path / "report.json").read_text())["blocking"] == "nothing is blocked"


@pytest.mark.parametrize("name", ["corpus.jsonl", "report.json"])
def test_a_file_of_the_owner_is_not_replaced(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_text("the only copy")
    with pytest.raises(InputError, match=f"`.*{name}` exists, and no run") as stopped:
        run(Copying(["Fine."]), tmp_path, count=1)
    assert "--out" in str(stopped.value.hint)
    assert (tmp_path / name).read_text() == "the only copy"
    assert [path.name for path in tmp_path.iterdir()] == [name]


def test_the_texts_of_another_corpus_are_not_replaced(tmp_path: Path) -> None:
    run(Copying(["Fine."]), tmp_path, count=1)
    made = Generation(cases(8), GenerationSettings(count=1), Copying(["Other."]), choice())
    with pytest.raises(InputError, match="holds the output of `generate corpus`"):
        run_generation(made, tmp_path, DECODING, silent, corpus="mails.jsonl")
    assert "Fine." in (tmp_path / "corpus.jsonl").read_text()


def test_nothing_is_written_where_every_text_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="none of 2 texts can be used"):
        run(Copying(), tmp_path, count=2)
    assert not (tmp_path / "report.json").exists()
    assert Copying.blocking == DECODING
