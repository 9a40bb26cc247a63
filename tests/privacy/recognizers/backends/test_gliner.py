"""A real, tiny GLiNER, trained here. Needs the `gliner` extra."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path

import pytest

from sage_rag.common.exceptions import InputError
from sage_rag.privacy.entities import EntityType

pytest.importorskip("gliner")
backend = import_module("sage_rag.privacy.recognizers.backends.gliner")
pytestmark = pytest.mark.slow  # the import of gliner alone takes seconds

FILLER = "Please take the medicine twice a day . "
LABELS = {"person name": EntityType.PERSON, "place": EntityType.LOCATION}


@pytest.fixture(scope="module")
def recognizer(gliner_folder: Path) -> object:
    return backend.GlinerRecognizer(str(gliner_folder), labels=LABELS)


def found(recognizer: object, text: str) -> list[tuple[str, str]]:
    spans = recognizer.recognize(text)  # type: ignore[attr-defined]
    return [(text[s.start : s.end], s.entity_type.value) for s in spans]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Yesterday the doctor saw Maria Keller again.", [("Maria Keller", "PERSON")]),
        ("Ingrid  Okoro\nlives in Turin.", [("Ingrid  Okoro", "PERSON"), ("Turin", "LOCATION")]),
        ("Please take the medicine twice a day.", []),
        ("", []),
        (" \n", []),
    ],
)
def test_what_is_asked_for_is_found_where_it_stands(
    recognizer: object, text: str, expected: list[tuple[str, str]]
) -> None:
    assert found(recognizer, text) == expected


def test_a_character_of_two_code_units_moves_nothing(recognizer: object) -> None:
    """What the model takes the character itself for is its guess: no training text has one."""
    text = "🙂 Yesterday the doctor saw Ada Novak again."
    assert ("Ada Novak", "PERSON") in found(recognizer, text)


@pytest.mark.parametrize("before", range(0, 24, 2))
def test_a_name_anywhere_in_a_long_text_is_found(recognizer: object, before: int) -> None:
    text = ". " * (before % 10) + FILLER * before + "Yesterday the doctor saw Ada Novak again . "
    assert ("Ada Novak", "PERSON") in found(recognizer, text + FILLER * (30 - before))


def test_a_word_longer_than_any_name_hides_nothing_behind_it(recognizer: object) -> None:
    text = "x" * 5_000 + " . Yesterday the doctor saw Maria Keller again."
    assert ("Maria Keller", "PERSON") in found(recognizer, text)


@pytest.mark.parametrize("unseen", ["\ufffd", "\x07 \x07", "\u200b a \u200b"])
def test_words_that_the_model_cannot_see_move_nothing(recognizer: object, unseen: str) -> None:
    """GLiNER itself names the words beside the name here."""
    text = f"{unseen} . Yesterday the doctor saw Maria {unseen} Keller again ."
    assert (f"Maria {unseen} Keller", "PERSON") in found(recognizer, text) or (
        {"Maria", "Keller"} <= {value for value, _ in found(recognizer, text)}
    )


def test_labels_threshold_and_weights_are_in_the_fingerprint(gliner_folder: Path) -> None:
    one = backend.GlinerRecognizer(str(gliner_folder), labels=LABELS)
    two = backend.GlinerRecognizer(str(gliner_folder), labels=LABELS, threshold=0.4)
    three = backend.GlinerRecognizer(str(gliner_folder), labels={"place": EntityType.LOCATION})
    assert len({one.fingerprint, two.fingerprint, three.fingerprint}) == 3


def test_other_models_and_too_many_labels_are_refused(gliner_folder: Path, tagger: Path) -> None:
    with pytest.raises(InputError, match="is not a GLiNER model"):
        backend.GlinerRecognizer(str(tagger))
    with pytest.raises(InputError, match="no room for"):
        backend.GlinerRecognizer(
            str(gliner_folder), labels={f"kind number {n}": EntityType.MISC for n in range(40)}
        )
