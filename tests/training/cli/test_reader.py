"""`sage-rag train reader` as its users run it."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file
from typer.testing import CliRunner

from sage_rag.agents.reading.backends.question_answering import QuestionAnsweringReader
from sage_rag.agents.reading.reader import Reader, shipped_weights
from sage_rag.common.exceptions import InputError
from sage_rag.training.cli.group import train
from tests.tiny_models import question_answering_model
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


@pytest.mark.slow
def test_the_result_is_the_mean_with_the_start(tmp_path: Path) -> None:
    questions = write_questions(tmp_path / "questions")
    start = shipped_weights()
    common = ("--questions", questions, "--epochs", "1", "--start", start)
    run(*common, "--out", tmp_path / "alone")
    run(*common, "--out", tmp_path / "mean", "--average-with", start)
    earlier, alone, mean = (
        load_file(file)
        for file in (start, *(tmp_path / n / "english.safetensors" for n in ("alone", "mean")))
    )
    for name, tensor in mean.items():
        middle = (earlier[name].float() + alone[name].float()) / 2
        assert torch.allclose(tensor.float(), middle, atol=2e-3), name
    assert any(not torch.equal(mean[name], tensor) for name, tensor in earlier.items())


def test_a_folder_without_questions_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no files of questions"):
        run("--questions", tmp_path, "--out", tmp_path / "reader")
    assert not (tmp_path / "reader").exists()


def test_weights_of_something_else_are_refused_before_the_training(tmp_path: Path) -> None:
    questions, wrong = write_questions(tmp_path / "questions"), tmp_path / "wrong.safetensors"
    wrong.write_bytes(b"no weights")
    for option in ("--start", "--average-with"):
        with pytest.raises(InputError, match="not a reader's weights file"):
            run("--questions", questions, "--out", tmp_path / "reader", option, wrong)


@pytest.mark.slow
def test_a_larger_model_is_trained(tmp_path: Path) -> None:
    questions, base, large = (tmp_path / n for n in ("questions", "base", "large"))
    write_questions(questions)
    base.mkdir()
    question_answering_model(base)
    run("--questions", questions, "--out", large, "--base", base, "--epochs", "1")
    assert "all weights of base" in (large / "README.md").read_text("utf-8")
    (reading,) = QuestionAnsweringReader(large).read("what helps", ["the knee helps"])
    assert 0 <= reading.probability <= 1


def test_a_base_has_no_start(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="excludes --start and --average-with"):
        run("--out", tmp_path / "reader", "--base", tmp_path, "--start", shipped_weights())


def test_a_folder_without_a_model_is_refused_before_the_training(tmp_path: Path) -> None:
    questions = write_questions(tmp_path / "questions")
    with pytest.raises(InputError, match="no complete question-answering model"):
        run("--questions", questions, "--out", tmp_path / "reader", "--base", tmp_path)
    assert not (tmp_path / "reader").exists()


def test_a_mistyped_base_is_a_missing_folder_and_no_name_on_a_hub(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import transformers

    monkeypatch.setattr(transformers.AutoModelForQuestionAnswering, "from_pretrained", pytest.fail)
    questions = write_questions(tmp_path / "questions")
    with pytest.raises(InputError, match="there is no folder"):
        run("--questions", questions, "--out", tmp_path / "o", "--base", tmp_path / "nope")
