"""A tiny question-answering model, made here, is loaded, calibrated and reads texts."""

from __future__ import annotations

import json
import shutil
from math import log
from pathlib import Path

import pytest

from sage_rag.agents.reading.backends.question_answering import CALIBRATION, QuestionAnsweringReader
from sage_rag.agents.reading.reader import ReaderSettings
from sage_rag.common.exceptions import InputError
from sage_rag.rag_server.settings import ServeSettings
from sage_rag.rag_server.wiring import build_server
from tests.tiny_models import question_answering_model

pytestmark = pytest.mark.slow  # imports transformers
PLAIN = ReaderSettings(1.0, 0.0)
TEXT = "the knee helps against gout the gout helps"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return question_answering_model(tmp_path_factory.mktemp("reader"))


def log_odds(reader: QuestionAnsweringReader, question: str, text: str) -> float:
    (reading,) = reader.read(question, [text])
    return log(reading.probability / (1 - reading.probability))


def test_the_probability_is_that_of_the_models_best_stretch(folder: Path) -> None:
    """Against the definition: the best start and end, less those of the mark at the beginning."""
    import torch
    from transformers import AutoModelForQuestionAnswering, AutoTokenizer

    model = AutoModelForQuestionAnswering.from_pretrained(folder).eval()
    row = AutoTokenizer.from_pretrained(folder)("what helps", TEXT, return_tensors="pt")
    with torch.inference_mode():
        outputs = model(**row)
    start, end = outputs.start_logits[0], outputs.end_logits[0]
    words = TEXT.split()
    first = row["input_ids"].shape[1] - 1 - len(words)
    best, i, j = max(
        (float(start[first + i] + end[first + j]), i, j)
        for i in range(len(words))
        for j in range(i, len(words))
    )
    reader = QuestionAnsweringReader(folder, PLAIN)
    (reading,) = reader.read("what helps", [TEXT])
    assert log_odds(reader, "what helps", TEXT) == pytest.approx(
        best - float(start[0] + end[0]), abs=1e-3
    )
    assert TEXT[reading.start : reading.end] == " ".join(words[i : j + 1])


def test_a_long_text_is_read_in_windows(folder: Path) -> None:
    text = "knee " * 300 + TEXT
    (reading,) = QuestionAnsweringReader(folder, PLAIN).read("what helps against gout", [text])
    assert 0 < reading.probability < 1
    assert 0 <= reading.start < reading.end <= len(text)


@pytest.mark.parametrize("text", ["", " ", "\N{ZERO WIDTH SPACE}"])
def test_a_text_without_words_has_no_answer(folder: Path, text: str) -> None:
    (reading,) = QuestionAnsweringReader(folder, PLAIN).read("what helps", [text])
    assert reading.probability < 1e-6


def test_of_a_long_question_the_end_is_read(folder: Path) -> None:
    reader = QuestionAnsweringReader(folder, PLAIN)
    asked = "what helps against gout " * 4
    assert log_odds(reader, f"{'the ' * 400}{asked}", TEXT) == pytest.approx(
        log_odds(reader, f"{'knee ' * 400}{asked}", TEXT)
    )


def test_the_calibration_in_the_folder_is_used(folder: Path, tmp_path: Path) -> None:
    own = tmp_path / "model"
    shutil.copytree(folder, own)
    (own / CALIBRATION).write_text(json.dumps({"slope": 2.0, "shift": -1.0}), "utf-8")
    raw = log_odds(QuestionAnsweringReader(folder, PLAIN), "what helps", TEXT)
    assert log_odds(QuestionAnsweringReader(own), "what helps", TEXT) == pytest.approx(2 * raw - 1)


@pytest.mark.parametrize(
    "content", [None, "{", "[]", '{"slope": "x", "shift": 0}', '{"slope": NaN, "shift": 0}']
)
def test_a_model_without_calibration_is_refused(tmp_path: Path, content: str | None) -> None:
    if content is not None:
        (tmp_path / CALIBRATION).write_text(content, "utf-8")
    with pytest.raises(InputError, match=r"calibrated|damaged") as caught:
        QuestionAnsweringReader(tmp_path)
    assert "sage-rag eval reader" in str(caught.value.hint)


def test_a_model_without_its_head_is_refused(folder: Path, tmp_path: Path) -> None:
    """transformers would draw the head at random."""
    from transformers import AutoModelForQuestionAnswering, AutoTokenizer

    AutoModelForQuestionAnswering.from_pretrained(folder).base_model.save_pretrained(tmp_path)
    AutoTokenizer.from_pretrained(folder).save_pretrained(tmp_path)
    with pytest.raises(InputError, match="no complete question-answering model"):
        QuestionAnsweringReader(tmp_path, PLAIN).read("what", ["the knee"])


def test_a_folder_without_a_model_is_one_clear_line(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no complete question-answering model"):
        QuestionAnsweringReader(tmp_path, PLAIN).read("what", ["the knee"])


def test_a_server_reads_with_the_model_of_a_folder(folder: Path, tmp_path: Path) -> None:
    own, home = tmp_path / "model", tmp_path / "home"
    home.mkdir()
    shutil.copytree(folder, own)
    settings = ServeSettings.load({"home": home, "reader": str(own), "insecure_no_auth": True})
    with pytest.raises(InputError, match="is not calibrated"):
        build_server(settings, {})
    (own / CALIBRATION).write_text(json.dumps({"slope": 1.0, "shift": 0.0}), "utf-8")
    assert build_server(settings, {}).answerer.name == "extractive"


def test_many_texts_are_read_as_one_by_one(folder: Path) -> None:
    reader = QuestionAnsweringReader(folder, PLAIN)
    texts = ["", "knee " * 300 + TEXT, *(TEXT[:length] for length in range(5, len(TEXT)))]
    for text, found in zip(texts, reader.read("what helps", texts), strict=True):
        (alone,) = reader.read("what helps", [text])
        assert (found.start, found.end) == (alone.start, alone.end)
        assert found.probability == pytest.approx(alone.probability, abs=1e-4)


def test_no_texts_are_no_readings(folder: Path) -> None:
    assert QuestionAnsweringReader(folder, PLAIN).read("what helps", []) == []
