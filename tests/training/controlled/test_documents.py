import json
from pathlib import Path

import pytest

from sage_rag.common.exceptions import InputError
from sage_rag.privacy.entities import EntityType
from sage_rag.privacy.spans import Span
from sage_rag.training.controlled.documents import has_spans, pieces_of, read_annotated
from tests.training.controlled.corpus import cases, write_cases


class TownRecognizer:
    fingerprint = "town"

    def recognize(self, text: str) -> list[Span]:
        start = text.find("Harnmouth")
        return [Span(start, start + 9, EntityType.LOCATION)] if start >= 0 else []


def test_annotated_spans_are_read(tmp_path: Path) -> None:
    write_cases(tmp_path / "cases.jsonl", cases(3))
    assert has_spans(tmp_path / "cases.jsonl")
    assert read_annotated(tmp_path / "cases.jsonl", None) == cases(3)


def test_annotated_spans_belong_to_one_field(tmp_path: Path) -> None:
    write_cases(tmp_path / "cases.jsonl", cases(3))
    assert read_annotated(tmp_path / "cases.jsonl", None, ["text"]) == cases(3)
    with pytest.raises(InputError, match="belong to the field `text`"):
        read_annotated(tmp_path / "cases.jsonl", None, ["question", "answer"])


def test_a_recognizer_replaces_annotated_spans(tmp_path: Path) -> None:
    write_cases(tmp_path / "cases.jsonl", cases(2))
    found = read_annotated(tmp_path / "cases.jsonl", TownRecognizer(), ["text"])
    assert [[value.text for value in document.values] for document in found] == [["Harnmouth"], []]


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ('{"text": "a", "spans": [{"start": 0}]}', "line 1 has a bad span"),
        ('{"text": "a"}', "line 1 has no `spans`"),
        (
            '{"text": "a", "spans": [{"start": 0, "end": 9, "label": "LOC", '
            '"identifier_type": "QUASI"}]}',
            "line 1 has a bad span",
        ),
    ],
)
def test_a_bad_line_is_named(tmp_path: Path, row: str, message: str) -> None:
    (tmp_path / "bad.jsonl").write_text(row + "\n")
    with pytest.raises(InputError, match=message):
        read_annotated(tmp_path / "bad.jsonl", None)


@pytest.mark.parametrize(("paragraphs", "most", "pieces"), [(1, 2, 2), (1, 1, 1), (6, 2, 1)])
def test_pieces_keep_their_values_in_place(paragraphs: int, most: int, pieces: int) -> None:
    found = pieces_of(cases(1)[0], paragraphs, most)
    assert len(found) == pieces
    for piece in found:
        assert piece.spans
        for span in piece.spans:
            assert piece.text[span.start : span.end] == span.value.text


def test_lone_surrogates_are_replaced_and_spans_stay(tmp_path: Path) -> None:
    span = {"start": 2, "end": 11, "label": "LOC", "identifier_type": "QUASI"}
    path = tmp_path / "cases.jsonl"
    path.write_text(json.dumps({"text": "\ud800 Harnmouth", "spans": [span]}) + "\n")
    for recognizer in (None, TownRecognizer()):
        (document,) = read_annotated(path, recognizer, ["text"])
        assert document.text == "\ufffd Harnmouth"
        assert [value.text for value in document.values] == ["Harnmouth"]
