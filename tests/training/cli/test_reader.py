"""`sage-rag train reader` as its users run it."""

from __future__ import annotations

from pathlib import Path

import pytest
from safetensors.torch import load_file
from typer.testing import CliRunner

from sage_rag.agents.reading.reader import Reader, ReaderSettings, shipped_weights
from sage_rag.common.exceptions import InputError
from sage_rag.rag_server.backends.question_answering import QuestionAnsweringReader
from sage_rag.training.cli.group import train
from tests.rag_server.backends.tiny_models import question_answering_model
from tests.training.reading.kettles import write_questions


def run(*arguments: str | Path) -> None:
    called = ["reader", *map(str, arguments)]
    result = CliRunner().invoke(train, called, catch_exceptions=False)
    assert result.exit_code == 0


@pytest.mark.slow
def test_it_trains_the_shipped_weights_further_and_writes_a_card(tmp_path: Path) -> None:
    questions, out = write_questions(tmp_path / "questions"), tmp_path / "reader"
    run("--questions", questions, "--out", out, "--epochs", "1", "--start", shipped_weights())
    (reading,) = Reader(out / "english.safetensors").read("How hot is it?", ["It is cold."])
    assert 0 <= reading.probability <= 1
    card = (out / "english.md").read_text("utf-8")
    assert "| values hidden |" in card


def test_a_folder_without_questions_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no files of questions"):
        run("--questions", tmp_path, "--out", tmp_path / "reader")
    assert not (tmp_path / "reader").exists()


def test_weights_of_something_else_are_refused_before_the_training(tmp_path: Path) -> None:
    questions, wrong = write_questions(tmp_path / "questions"), tmp_path / "wrong.safetensors"
    wrong.write_bytes(b"no weights")
    with pytest.raises(InputError, match="not a reader's weights file"):
        run("--questions", questions, "--out", tmp_path / "reader", "--start", wrong)


@pytest.mark.slow
def test_an_encoder_of_transformers_is_fine_tuned_and_can_be_measured(tmp_path: Path) -> None:
    questions, out = write_questions(tmp_path / "questions"), tmp_path / "reader"
    (tmp_path / "model").mkdir()
    model = question_answering_model(tmp_path / "model")
    run("--questions", questions, "--out", out, "--model", model, "--epochs", "0.5")
    before, after = load_file(model / "model.safetensors"), load_file(out / "model.safetensors")
    changed = {name for name in before if not before[name].equal(after[name])}
    assert "qa_outputs.weight" in changed
    assert not any("embeddings" in name for name in changed)
    reader = QuestionAnsweringReader(out, ReaderSettings(1.0, 0.0))
    (reading,) = reader.read("what helps", ["the knee helps"])
    assert 0 < reading.probability < 1


def test_a_folder_without_an_encoder_is_refused(tmp_path: Path) -> None:
    questions = write_questions(tmp_path / "questions")
    with pytest.raises(InputError, match="holds no encoder"):
        run("--questions", questions, "--out", tmp_path / "reader", "--model", tmp_path)
    with pytest.raises(InputError, match="either --model or --start"):
        run("--out", tmp_path / "reader", "--model", tmp_path, "--start", shipped_weights())
