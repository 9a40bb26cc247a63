import json

import pytest

from sage_rag.common.exceptions import InputError
from sage_rag.privacy.entities import EntityType as T
from sage_rag.privacy.labels import Scheme
from sage_rag.training.recognition.annotations import annotations_argument, read_annotations

TEXT = "Gudrun Falk of Ulm, mail g@b.example"
NAME = {"start": 0, "end": 11, "label": "PERSON"}
PLACE = {"start": 15, "end": 18, "label": "LOCATION"}
MAIL = {"start": 25, "end": 36, "label": "EMAIL_ADDRESS"}


def write(tmp_path, *rows):
    path = tmp_path / "notes.jsonl"
    lines = (row if isinstance(row, str) else json.dumps(row) for row in rows)
    path.write_text("\n".join(lines) + "\n", "utf-8")
    return path


def line(*spans, **more):
    return {"text": TEXT, "spans": list(spans), **more}


def test_an_owner_s_line_becomes_an_example(tmp_path):
    row = line(PLACE, NAME, MAIL, document="visit 7", annotated=["PERSON", "LOCATION"])
    (example,) = read_annotations(write(tmp_path, row))
    assert [(s.start, s.end, s.entity_type) for s in example.spans] == [
        (0, 11, T.PERSON),
        (15, 18, T.LOCATION),
    ]
    assert example.annotated == {T.PERSON, T.LOCATION}
    assert example.unsure == ((25, 36),)
    assert (example.source, example.document) == ("notes.jsonl", "visit 7")


def test_types_that_occur_in_the_file_count_as_marked_throughout(tmp_path):
    first, second, third = read_annotations(
        write(tmp_path, line(NAME), line(PLACE), line(annotated=["AGE"]))
    )
    assert first.annotated == second.annotated == {T.PERSON, T.LOCATION}
    assert third.annotated == {T.AGE}


def test_each_line_is_a_document_unless_it_says_otherwise(tmp_path):
    found = read_annotations(write(tmp_path, line(NAME), "", line(NAME)))
    assert [example.document for example in found] == ["notes.jsonl:1", "notes.jsonl:3"]


def test_numbers_of_every_kind_are_learnt_as_one_type(tmp_path):
    row = line({**NAME, "label": "PASSPORT"}, {**PLACE, "label": "CASE_NUMBER"})
    (example,) = read_annotations(write(tmp_path, row))
    assert {s.entity_type for s in example.spans} == {T.ID}


def test_labels_of_another_scheme_are_translated(tmp_path):
    row = line(
        {**NAME, "label": "NOMBRE_SUJETO_ASISTENCIA"}, annotated=["NOMBRE_SUJETO_ASISTENCIA"]
    )
    (example,) = read_annotations(write(tmp_path, row), Scheme.MEDDOCAN)
    assert example.spans[0].entity_type is T.PERSON
    assert example.annotated == {T.PERSON}


@pytest.mark.parametrize(
    ("argument", "path", "scheme"),
    [
        ("a/notes.jsonl", "a/notes.jsonl", None),
        ("notes.jsonl#tab", "notes.jsonl", Scheme.TAB),
        ("my#notes.jsonl#uner", "my#notes.jsonl", Scheme.UNER),
    ],
)
def test_a_scheme_stands_behind_the_file(argument, path, scheme):
    found, named = annotations_argument(argument)
    assert (str(found), named) == (path, scheme)


def test_an_unknown_scheme_is_an_error():
    with pytest.raises(InputError, match="no label scheme `mine`"):
        annotations_argument("notes.jsonl#mine")


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ("{", "is not JSON at column"),
        ({"text": "   ", "spans": []}, "has no `text`"),
        ({"text": TEXT}, "has no list `spans`"),
        (line({**NAME, "start": -1}), "span 1 is not a range"),
        (line({**NAME, "end": 0}), "span 1 is not a range"),
        (line({**NAME, "end": 99}), "span 1 is not a range"),
        (line({**NAME, "start": True}), "span 1 is not a range"),
        (line(NAME, {"start": 15, "end": 18}), "span 2 has no `label`"),
        (line(NAME, {**PLACE, "start": 10}), "overlapping spans at 10"),
        (line({**NAME, "label": "Gudrun"}), "label that is not an entity type"),
        (line(NAME, annotated=["LOCATION"]), "span of a type that is not in its `annotated`"),
        (line(NAME, annotated="PERSON"), "`annotated` that is not a list"),
        (line(NAME, document=7), "`document` that is not a name"),
    ],
)
def test_a_damaged_line_is_refused_without_quoting_it(tmp_path, row, message):
    with pytest.raises(InputError, match=message) as raised:
        read_annotations(write(tmp_path, line(NAME), row))
    assert "line 2" in raised.value.message
    assert raised.value.hint
    assert "Gudrun" not in raised.value.message + raised.value.hint


def test_a_file_without_texts_or_none_at_all_is_an_error(tmp_path):
    with pytest.raises(InputError, match="contains no annotated text"):
        read_annotations(write(tmp_path))
    with pytest.raises(InputError, match="cannot read"):
        read_annotations(tmp_path / "gone.jsonl")


def test_a_file_that_is_no_text_is_an_error(tmp_path):
    path = tmp_path / "notes.jsonl"
    path.write_bytes(b"\xff\xfe")
    with pytest.raises(InputError, match="not UTF-8"):
        read_annotations(path)
