"""`sage-rag eval reader` as its users run it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from sage_rag.agents.reading.backends.question_answering import CALIBRATION, QuestionAnsweringReader
from sage_rag.common.exceptions import InputError
from sage_rag.eval.knowledge.cli import evaluation
from tests.tiny_models import question_answering_model
from tests.training.reading.kettles import write_questions

pytestmark = pytest.mark.slow  # reads with networks


def run(*arguments: str | Path) -> str:
    called = ["reader", *map(str, arguments)]
    result = CliRunner().invoke(evaluation, called, catch_exceptions=False)
    assert result.exit_code == 0
    return result.output


def test_a_model_is_measured_and_calibrated(tmp_path: Path) -> None:
    folder, questions = tmp_path / "model", write_questions(tmp_path / "questions")
    folder.mkdir()
    question_answering_model(folder)
    output = run(folder, "--questions", questions)
    assert "| values hidden | 128 | 128 |" in output
    assert "*Refused*: of the questions without an answer" in output
    assert "held-out" not in output, "the questions are the user's own"
    assert f"serve --reader {folder}" in output
    written = json.loads((folder / CALIBRATION).read_text("utf-8"))
    assert set(written) == {"slope", "shift"}
    (reading,) = QuestionAnsweringReader(folder).read("what helps", ["the knee helps"])
    assert 0 < reading.probability < 1


def test_the_shipped_reader_is_measured_on_own_questions(tmp_path: Path) -> None:
    output = run("shipped", "--questions", write_questions(tmp_path))
    row = next(line for line in output.splitlines() if line.startswith("| plain text |"))
    assert float(row.split("|")[4]) > 0.8, "a price that is there, a weight that is not"


def test_a_folder_without_a_model_is_refused_before_the_questions_are_read(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no complete question-answering model"):
        run(tmp_path)
    assert not (tmp_path / CALIBRATION).exists()
