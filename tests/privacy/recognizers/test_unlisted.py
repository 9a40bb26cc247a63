"""Names that no list holds."""

from __future__ import annotations

import pytest

from privacy.entities import EntityType
from privacy.recognizers.gazetteer import GazetteerRecognizer

RECOGNIZER = GazetteerRecognizer()


def covered(text: str) -> set[tuple[str, EntityType]]:
    return {(text[s.start : s.end], s.entity_type) for s in RECOGNIZER.recognize(text)}


@pytest.mark.parametrize(
    ("text", "name", "entity_type"),
    [
        ("What was Ottoline Vandersloot told about it?", "Ottoline Vandersloot", EntityType.PERSON),
        ("my name is Ottoline and I cough", "Ottoline", EntityType.PERSON),
        ("Dear Ottoline, thank you", "Ottoline", EntityType.PERSON),
        ("She saw Quillian Farthing twice.", "Quillian Farthing", EntityType.PERSON),
        ("She had it out at Brackenside General.", "Brackenside General", EntityType.LOCATION),
        ("We walked to Tres Cumbres and back.", "Tres Cumbres", EntityType.LOCATION),
    ],
)
def test_capitalised_words_in_a_row_are_taken_for_names(
    text: str, name: str, entity_type: EntityType
) -> None:
    assert (name, entity_type) in covered(text)


@pytest.mark.parametrize(
    "text",
    [
        "He takes Metformin Hydrochloride at night.",
        "He was put on Zorvexil 500 mg twice.",
        "It may be Zellman Syndrome or not.",
        "Hello Doctor, Good Morning and Thank You.",
        "The Blood Test was Normal.",
        "ALL IS WELL AND GOOD",
    ],
)
def test_medicines_diseases_and_loud_prose_are_not(text: str) -> None:
    assert covered(text) == set()
