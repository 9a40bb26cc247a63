"""A model of transformers learns to read."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from sage_rag.agents.reading.backends.question_answering import QuestionAnsweringReader
from sage_rag.privacy.ciphers.default import default_cipher
from sage_rag.privacy.entities import EntityType
from sage_rag.privacy.keyset.keyset import Keyset
from sage_rag.privacy.policy import preset
from sage_rag.privacy.protect import Protector
from sage_rag.privacy.testing import TableRecognizer
from sage_rag.training.reading.questions import read_questions
from sage_rag.training.reading.reader import ReaderViews, train_large_reader
from sage_rag.training.reading.schedule import WHOLE_MODEL
from tests.tiny_models import question_answering_model
from tests.training.reading.kettles import THINGS, heard, write_questions

pytestmark = pytest.mark.slow  # imports transformers
WORDS = [*THINGS, *"ada of stands in room . its price weight is euros ?".split()]
WORDS += [str(number) for number in range(3, 46)]
TEXT = "The garden of Ada stands in room 4. Its price is 34 euros."


@pytest.fixture(scope="module")
def views(tmp_path_factory: pytest.TempPathFactory) -> ReaderViews:
    folder = write_questions(tmp_path_factory.mktemp("questions"))
    cipher = default_cipher(Keyset.generate(), "test")
    protector = Protector(TableRecognizer({"Ada": EntityType.PERSON}), preset("soe-all"), cipher)
    return ReaderViews.of(read_questions(folder), protector)


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return question_answering_model(tmp_path_factory.mktemp("base"), WORDS)


@pytest.fixture(scope="module")
def reader(
    views: ReaderViews, base: Path, tmp_path_factory: pytest.TempPathFactory
) -> QuestionAnsweringReader:
    """Return a trained reader, and check its figures."""
    folder = tmp_path_factory.mktemp("reader")
    schedule = replace(WHOLE_MODEL, batch_pieces=512, rate=1e-2)
    outcome = train_large_reader(views, base, folder, 20, seed=1, progress=heard, schedule=schedule)
    assert outcome.figures.plain.cases.area > 0.9
    return QuestionAnsweringReader(folder)


def test_its_folder_reads_with_its_calibration(reader: QuestionAnsweringReader) -> None:
    (priced,) = reader.read("What is the price of the garden?", [TEXT])
    (weighed,) = reader.read("What is the weight of the garden?", [TEXT])
    assert weighed.probability < 0.5 < priced.probability
