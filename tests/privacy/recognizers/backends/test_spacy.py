"""Real, tiny spaCy pipelines: one trained, one of rules."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path

import pytest

from sage_rag.common.exceptions import InputError
from sage_rag.privacy.entities import EntityType
from tests.privacy.recognizers.backends import tiny

pytestmark = pytest.mark.slow

spacy = pytest.importorskip("spacy")
backend = import_module("sage_rag.privacy.recognizers.backends.spacy")

FILLER = "Please take the medicine twice a day . "


@pytest.fixture(scope="module")
def rules(tmp_path_factory: pytest.TempPathFactory) -> str:
    return str(tiny.spacy_ruler(tmp_path_factory.mktemp("spacy") / "rules"))


def found(recognizer: object, text: str) -> list[tuple[str, str]]:
    spans = recognizer.recognize(text)  # type: ignore[attr-defined]
    return [(text[s.start : s.end], s.entity_type.value) for s in spans]


def test_a_trained_pipeline_finds_names_and_places(spacy_folder: Path) -> None:
    recognizer = backend.SpacyRecognizer(str(spacy_folder))
    assert found(recognizer, "Yesterday the doctor saw Maria Keller again .") == [
        ("Maria Keller", "PERSON")
    ]
    assert found(recognizer, "Ingrid Okoro lives in Turin .") == [
        ("Ingrid Okoro", "PERSON"), ("Turin", "LOCATION"),
    ]  # fmt: skip
    assert found(recognizer, "") == []


def test_rules_find_what_they_say_and_labels_left_out_stay(rules: str) -> None:
    text = "🙂 seven times Maria Keller"
    assert found(backend.SpacyRecognizer(rules), text) == [("Maria Keller", "PERSON")]
    both = backend.SpacyRecognizer(
        rules, labels={"PERSON": EntityType.PERSON, "CARDINAL": EntityType.QUANTITY}
    )
    assert found(both, text) == [("seven", "QUANTITY"), ("Maria Keller", "PERSON")]


def test_a_text_beyond_a_window_is_read_whole_and_once(
    rules: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(backend, "_WINDOW_CHARS", 200)
    monkeypatch.setattr(backend, "_MARGIN_CHARS", 30)
    recognizer = backend.SpacyRecognizer(rules)
    text = "".join(f"{'.' * n} Maria Keller {FILLER}" for n in range(60))
    spans = recognizer.recognize(text)
    assert [text[s.start : s.end] for s in spans] == ["Maria Keller"] * 60
    assert len(set(spans)) == 60


@pytest.mark.slow
def test_a_million_characters_are_not_too_many(rules: str) -> None:
    text = FILLER * 30_000 + "Maria Keller"
    assert len(text) > spacy.blank("en").max_length
    assert found(backend.SpacyRecognizer(rules), text) == [("Maria Keller", "PERSON")]


def test_the_vocabulary_does_not_grow_with_what_was_read(rules: str) -> None:
    recognizer = backend.SpacyRecognizer(rules)
    recognizer.recognize("warm up")
    before = len(recognizer._nlp.vocab.strings)
    recognizer.recognize(" ".join(f"word{n}" for n in range(500)))
    assert len(recognizer._nlp.vocab.strings) == before


def test_a_pipeline_that_finds_nothing_or_is_nowhere_is_refused(tmp_path: Path) -> None:
    spacy.blank("en").to_disk(tmp_path / "blank")
    with pytest.raises(InputError, match="no component for entities"):
        backend.SpacyRecognizer(str(tmp_path / "blank"))
    for name in ("no_such_pipeline", str(tmp_path)):
        with pytest.raises(InputError, match="cannot load"):
            backend.SpacyRecognizer(name)


def test_a_label_that_nobody_mapped_is_refused(rules: str) -> None:
    with pytest.raises(InputError, match="CARDINAL"):
        backend.SpacyRecognizer(rules, labels={"PERSON": EntityType.PERSON})
