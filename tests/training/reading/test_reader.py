"""The reader learns what it is taught, and its file answers as it does."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from sage_rag.agents.reading.reader import Reader
from sage_rag.common.exceptions import InputError
from sage_rag.privacy.ciphers.default import default_cipher
from sage_rag.privacy.entities import EntityType
from sage_rag.privacy.keyset.keyset import Keyset
from sage_rag.privacy.policy import preset
from sage_rag.privacy.protect import Protector
from sage_rag.privacy.testing import TableRecognizer
from sage_rag.training.platt import LabelledLogits
from sage_rag.training.reading.card import low_rank_changes, reader_card
from sage_rag.training.reading.questions import read_questions
from sage_rag.training.reading.reader import ReaderViews, train_reader
from sage_rag.training.reading.schedule import LOW_RANK
from tests.training.reading.kettles import heard, write_questions


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_questions(tmp_path_factory.mktemp("questions"))


@pytest.fixture(scope="module")
def protector() -> Protector:
    cipher = default_cipher(Keyset.generate(), "test")
    return Protector(TableRecognizer({"Ada": EntityType.PERSON}), preset("soe-all"), cipher)


@pytest.mark.slow
def test_it_learns_and_its_file_reads(folder: Path, protector: Protector, tmp_path: Path) -> None:
    weights = tmp_path / "reader.safetensors"
    views = ReaderViews.of(read_questions(folder), protector)
    outcome = train_reader(
        views,
        weights,
        2,
        seed=1,
        progress=heard,
        schedule=replace(LOW_RANK, batch_pieces=512),
    )
    assert outcome.figures.hidden.cases.area > 0.9
    assert outcome.figures.plain.cases.area > 0.9
    text = "The lamp stands in room 4. Its price is 99 euros."
    reader = Reader(weights)
    (priced,) = reader.read("What is the price of the lamp?", [text])
    (weighed,) = reader.read("What is the weight of the lamp?", [text])
    assert weighed.probability < 0.5 < priced.probability
    assert "99" in text[priced.start : priced.end]
    card = reader_card(
        outcome, low_rank_changes(weights), command="train", hardware="one core", date="2026-01-01"
    )
    assert f"{outcome.questions:,} questions" in card


def test_too_few_files_are_refused(protector: Protector, tmp_path: Path) -> None:
    (tmp_path / "one.txt").write_text("@\nA kettle.\n- How hot is it?\n", "utf-8")
    with pytest.raises(InputError, match="too few files"):
        ReaderViews.of(read_questions(tmp_path), protector)


def test_the_figures_of_cases_are_those_of_their_definition() -> None:
    logits = np.array([3.0, 2.0, 1.0, 0.0])
    cases = LabelledLogits(logits, np.array([True, False, True, False]))
    assert cases.area == 0.75, "three of four pairs are in order"
    assert cases.refused(0.0) == 0.5, "below the lowest answered one"
