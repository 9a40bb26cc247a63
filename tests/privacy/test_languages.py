"""Detecting the languages of a record."""

from __future__ import annotations

import errno
import json
import os
from collections.abc import Mapping
from importlib import resources
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sage_rag.common.exceptions import InputError
from sage_rag.privacy import languages
from sage_rag.privacy.languages import LANGUAGES, WINDOW, language_of, uncovered_language

GOLD = [
    json.loads(line)
    for line in (resources.files("sage_rag.eval.gold") / "languages.jsonl")
    .read_text("utf-8")
    .splitlines()
]
FOREIGN = [row for row in GOLD if row["language"] != "en"]
ENGLISH = (
    "The knee has been swollen for a week and it is not better, so what should she do about it?"
)
SPANISH = (
    "La rodilla lleva una semana hinchada y no mejora, así que no sabemos qué hacer con ella, "
    "porque las pastillas no le quitan el dolor."
)


@pytest.mark.parametrize("row", GOLD, ids=lambda row: f"{row['id']}-{row['kind']}")
def test_a_record_in_a_language_that_is_not_covered_is_found_and_no_other(
    row: Mapping[str, Any],
) -> None:
    found = uncovered_language(row["fields"], {"en"})
    assert (found is not None) == (row["language"] != "en")


def test_the_language_is_named() -> None:
    named = sum(uncovered_language(row["fields"], {"en"}) == row["language"] for row in FOREIGN)
    assert named >= 0.95 * len(FOREIGN)


@pytest.mark.parametrize("row", FOREIGN, ids=lambda row: f"{row['id']}-{row['kind']}")
def test_a_record_in_covered_languages_alone_passes(row: Mapping[str, Any]) -> None:
    found = uncovered_language(row["fields"], {"en"})
    assert uncovered_language(row["fields"], {"en", row["language"], found}) is None


@pytest.mark.parametrize("place", [0, 40, 200])
def test_a_foreign_paragraph_is_found_anywhere_in_a_long_field(place: int) -> None:
    words = (ENGLISH + " ").split() * 30
    words[place:place] = SPANISH.split()
    assert uncovered_language([" ".join(words)], {"en"}) == "es"


@pytest.mark.parametrize("tail", ["", ENGLISH, " ".join([ENGLISH] * 5)])
def test_a_field_in_another_language_is_found_next_to_any_other(tail: str) -> None:
    assert uncovered_language([SPANISH, tail], {"en"}) == "es"
    assert uncovered_language([tail, SPANISH], {"en"}) == "es"


def test_fields_too_short_to_judge_are_judged_together() -> None:
    fields = ["tiene fiebre", "desde el lunes", "no quiere comer", "dolor de barriga"]
    assert all(uncovered_language([field], {"en"}) is None for field in fields)
    assert uncovered_language(fields, {"en"}) is not None


@given(st.lists(st.sampled_from(["Metformin", "ramipril", "aspirin", "Heparin", "codeine"])))
def test_lists_of_drugs_have_no_language(drugs: list[str]) -> None:
    assert uncovered_language([", ".join(f"{drug} 20 mg od" for drug in drugs)], {"en"}) is None
    assert uncovered_language(["\n".join(drugs)], {"en"}) is None


def test_no_language_is_uncovered_where_all_are_covered() -> None:
    assert uncovered_language([SPANISH], LANGUAGES) is None


@given(st.text(max_size=200))
def test_any_text_has_a_known_language_or_none(text: str) -> None:
    assert language_of(text) in {*LANGUAGES, None}
    assert uncovered_language([text], {"en"}) in {*LANGUAGES, None}


@given(st.permutations([ENGLISH, "Ice and rest help most people.", "She can walk on it again."]))
def test_the_order_of_sentences_does_not_matter(sentences: list[str]) -> None:
    assert language_of(" ".join(sentences)) == "en"
    assert uncovered_language(sentences, {"en"}) is None


@pytest.mark.parametrize(
    ("text", "language"),
    [
        (ENGLISH, "en"),
        (SPANISH, "es"),
        (f"{ENGLISH} {ENGLISH} {ENGLISH} Er sagte: Das ist nicht gut.", "en"),
        ("the knee", None),
        ("4471 902 11 23 45 67 89 10 11 12 13 14", None),
    ],
)
def test_the_language_of_most_of_a_text(text: str, language: str | None) -> None:
    assert language_of(text) == language


def test_the_windows_are_as_long_as_the_shortest_foreign_paragraph() -> None:
    assert len(SPANISH.split()) >= WINDOW


def test_a_full_disk_for_temporary_files_is_one_clear_line(monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object, **__: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    languages._identifier.cache_clear()
    with monkeypatch.context() as patch:
        patch.setattr("shutil.copyfileobj", full)
        with pytest.raises(InputError, match="unpacked: No space left on device"):
            language_of(ENGLISH)
    assert language_of(ENGLISH) == "en"


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("Der Patient klagt seit drei Tagen über Husten.", "de"),
        ("Die Patientin hat Fieber und Husten.", "de"),
        ("Le patient a mal au dos.", "fr"),
        ("El paciente tiene fiebre alta.", "es"),
        ("Dolor torácico agudo. Sin fiebre.", "es"),
        ("Chest pain since Monday morning.", None),
        ("Take two tablets every day.", None),
        ("No fever, no cough today.", None),
        ("Maria Garcia Lopez, Madrid, Klinik Berlin", None),
    ],
)
def test_a_short_note_shows_its_language(text: str, language: str | None) -> None:
    assert uncovered_language([text], {"en", "zh"}) == language
