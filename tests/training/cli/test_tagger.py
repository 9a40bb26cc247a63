"""`sage-rag train tagger` as its users run it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from sage_rag.common.exceptions import InputError
from sage_rag.privacy.recognizers.tagging.tagger import TaggerRecognizer
from sage_rag.training.cli.group import train
from sage_rag.training.recognition import tagger as training

ANIMALS = ("ferret", "hen", "goat", "otter", "mole", "newt", "toad", "wren", "crow", "pike")
NAMES = ("Zubliwick", "Quorble", "Mintavo", "Drusk", "Pelliquat")


def run(*arguments: str) -> str:
    result = CliRunner().invoke(train, ["tagger", *arguments], catch_exceptions=False)
    assert result.exit_code == 0
    return result.output


def annotations(path: Path, documents: int = 10) -> Path:
    """Write a file in which animals' names are people's."""
    rows = []
    for number in range(documents):
        for name in NAMES:
            text = f"the {ANIMALS[number % len(ANIMALS)]} {name} sleeps in barn {number}"
            start = text.index(name)
            span = {"start": start, "end": start + len(name), "label": "PERSON"}
            rows.append({"text": text, "spans": [span], "document": f"barn-{number}"})
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    return path


@pytest.mark.slow
def test_own_annotations_train_the_shipped_tagger_further(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(training, "_REPLAYED_TEXTS", 40)
    extra, out = annotations(tmp_path / "ours.jsonl"), tmp_path / "ours"
    printed = run("--extra", str(extra), "--out", str(out))
    assert "| PERSON |" in printed
    assert (out / "report.md").read_text("utf-8").strip() in printed
    assert f"index --set recognizers=tagger:{out / 'tagger.safetensors'}" in printed
    own = TaggerRecognizer(out / "tagger.safetensors")
    text = "the badger Zubliwick sleeps in barn 77"
    assert "Zubliwick" in {text[s.start : s.end] for s in own.recognize(text)}


@pytest.mark.parametrize("arguments", [(), ("--data", "d", "--extra", "e")])
def test_one_source_has_to_be_named(tmp_path: Path, arguments: tuple[str, ...]) -> None:
    with pytest.raises(InputError, match="either --data or --extra"):
        run("--out", str(tmp_path), *arguments)


def test_a_folder_without_sets_is_told_at_once(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="is missing"):
        run("--data", str(tmp_path), "--out", str(tmp_path / "out"))


def test_too_few_documents_are_refused(tmp_path: Path) -> None:
    extra = annotations(tmp_path / "few.jsonl", documents=3)
    with pytest.raises(InputError, match="annotations of 3 documents"):
        run("--extra", str(extra), "--out", str(tmp_path / "out"))


def test_an_out_that_is_a_file_is_refused(tmp_path: Path) -> None:
    taken = tmp_path / "taken"
    taken.write_text("")
    with pytest.raises(InputError, match="cannot create the folder"):
        run("--data", str(tmp_path), "--out", str(taken))
