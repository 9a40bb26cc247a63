from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from sage_rag.eval.knowledge.exact_recognizer import ExactRecognizer
from sage_rag.eval.studies.soe.corpora import Population
from sage_rag.eval.studies.soe.leakage_part import (
    measure_leakage,
    run_leakage,
    stored_leakage,
)
from sage_rag.eval.studies.soe.settings import StudySettings
from sage_rag.eval.studies.soe.training_runs import SeedFolder
from sage_rag.privacy.entities import EntityType
from sage_rag.privacy.spans import Span
from sage_rag.training.synthesis.encryption import When

SETTINGS = StudySettings(schooled=1, trained=2, tested=4, few_texts=4)
PEOPLE = Population(SETTINGS, 0)


class Forgetful:
    """Finds every value but places."""

    fingerprint = "forgetful"

    def recognize(self, text: str) -> Sequence[Span]:
        found = ExactRecognizer(PEOPLE.corpus).recognize(text)
        return [span for span in found if span.entity_type is not EntityType.LOCATION]


@pytest.mark.parametrize("when", list(When))
def test_a_perfect_recognizer_leaks_nothing(when: When) -> None:
    found = measure_leakage(PEOPLE, when, ExactRecognizer(PEOPLE.corpus))
    assert sum(found.plain.values()) == 0
    assert found.samples == 3 * 2 * SETTINGS.few_texts
    assert len(found.by_document) == 3


@pytest.mark.parametrize("when", list(When))
def test_values_that_are_overlooked_are_counted(when: When) -> None:
    found = measure_leakage(PEOPLE, when, Forgetful())
    assert set(found.plain) == {EntityType.LOCATION}
    assert found.plain[EntityType.LOCATION] == sum(plain for plain, _ in found.by_document) > 0
    assert EntityType.LOCATION not in found.encrypted


def test_figures_are_stored_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    exact = ExactRecognizer(PEOPLE.corpus)
    name = "sage_rag.eval.studies.soe.leakage_part.measure_leakage"
    monkeypatch.setattr(name, lambda people, when: measure_leakage(people, when, exact))
    folder = SeedFolder(tmp_path / "seed-0", PEOPLE)
    run_leakage(folder)
    found = stored_leakage(tmp_path)
    monkeypatch.setattr(name, None)
    run_leakage(folder)
    assert [figures.when for figures in found] == list(When)
    assert stored_leakage(tmp_path) == found
