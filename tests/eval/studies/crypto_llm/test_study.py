"""The study from texts to its page, at the smallest size."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from sage_rag.common.exceptions import InputError
from sage_rag.common.jsonl import rows
from sage_rag.eval.model_attacks.canaries import read_canaries
from sage_rag.eval.studies import runner
from sage_rag.eval.studies.crypto_llm import study
from sage_rag.eval.studies.crypto_llm.corpus import StudyTexts, Work, held_out_authors, read_works
from sage_rag.eval.studies.crypto_llm.results import stored_result
from sage_rag.eval.studies.crypto_llm.settings import StudySettings
from tests.training.pretraining.runs import invented_texts

TINY = StudySettings(
    characters_per_text=2500,
    held_out_authors=2,
    held_out_characters=1500,
    canaries={0: 2, 2: 2},
    vocabulary=300,
    width=32,
    layers=1,
    row_tokens=64,
    rows_per_step=8,
    steps_per_evaluation=5,
)


def works(count: int = 10) -> list[Work]:
    return [Work(f"author {i}", "\n\n".join(invented_texts(40, seed=i))) for i in range(count)]


def write_works(path: Path) -> Path:
    lines = (json.dumps({"author": w.author, "text": w.text}) for w in works())
    path.write_text("\n".join(lines) + "\n")
    return path


def texts(path: Path) -> list[str]:
    return [row["text"] for row in rows(path)]


def test_held_out_authors_are_read_by_no_model(tmp_path: Path) -> None:
    found = StudyTexts(tmp_path)
    found.write(works(), TINY, seed=0)
    unread = held_out_authors(works(), 2, seed=0)
    of_unread = [w.text[:1500] for w in works() if w.author in unread]
    assert texts(found.held_out) == of_unread
    assert len(texts(found.public)) == 2
    read = "".join(texts(found.sensitive) + texts(found.public))
    assert not any(text[:200] in read for text in of_unread)


def test_canaries_are_in_the_sensitive_texts_as_often_as_they_say(tmp_path: Path) -> None:
    found = StudyTexts(tmp_path)
    found.write(works(), TINY, seed=0)
    sensitive, public = "".join(texts(found.sensitive)), "".join(texts(found.public))
    canaries = read_canaries(found.canaries)
    assert [sensitive.count(canary.text) for canary in canaries] == [0, 0, 2, 2]
    assert not any(canary.name in public for canary in canaries)


def test_too_few_authors_are_refused() -> None:
    with pytest.raises(InputError, match="4 authors; 2 are held out"):
        held_out_authors(works(4), 2, seed=0)


def test_a_line_without_an_author_is_named(tmp_path: Path) -> None:
    path = tmp_path / "texts.jsonl"
    path.write_text('{"text": "a"}\n')
    with pytest.raises(InputError, match="line 1 has no `author`"):
        read_works([path])


def test_the_study_runs_in_pieces_and_its_page_shows_what_the_home_holds(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(study, "FULL", TINY)
    source = write_works(tmp_path / "works.jsonl")
    home, out = tmp_path / "home", tmp_path / "page.md"
    command = ["crypto_llm", "--home", str(home), "--out", str(out)]
    assert runner.main([*command, "--texts", str(source), "--arms", "cpt", "key-10"]) == 0
    assert runner.main([*command, "--arms", "dyck", "key-10-shuffled", "key-10-whole"]) == 0
    arms = {p.name: stored_result(p) for p in sorted((home / "seed-0").iterdir())}
    key_10, dyck = arms["key-10"], arms["dyck"]
    assert key_10
    assert key_10.first
    assert dyck
    assert dyck.first
    assert dyck.first.corpus_tokens == key_10.first.corpus_tokens
    assert [f.step for f in key_10.held_out][-1] == key_10.second.steps
    assert key_10.last.bits_per_character < key_10.held_out[0].bits_per_character
    whole = arms["key-10-whole"]
    assert whole
    assert whole.first == key_10.first
    assert whole.last != key_10.last
    page = out.read_text()
    for name in ("cpt", "key-10", "dyck", "key-10-shuffled", "key-10-whole"):
        assert f"| {name} (" in page
    assert out.with_name("page_held_out.svg").exists()


def test_an_arm_that_needs_another_says_which(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(study, "FULL", TINY)
    source = write_works(tmp_path / "works.jsonl")
    command = ["crypto_llm", "--home", str(tmp_path / "home"), "--out", str(tmp_path / "p.md")]
    assert runner.main([*command, "--arms", "cpt"]) != 0
    assert "holds no texts" in capsys.readouterr().err
    assert runner.main([*command, "--texts", str(source), "--arms", "dyck"]) != 0
    assert "the arm `dyck` needs the arm `key-10`" in capsys.readouterr().err
