"""Reading corpora: good ones, and every way to be bad."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from sage_rag.common.exceptions import InputError
from sage_rag.indexer.changes import key_of
from sage_rag.indexer.corpus import (
    CHUNK_CHARS,
    WHOLE_RECORD_CHARS,
    Document,
    read_corpus,
    skipped_line,
)


def test_records_keep_their_fields_in_the_order_asked_for(tmp_path: Path) -> None:
    path = tmp_path / "c.jsonl"
    path.write_text('{"id": 7, "a": "x ", "b": "y", "z": 1}\n\n{"a": "u", "b": "v"}\n')
    documents = list(read_corpus(path, ("b", "a")))
    assert documents[0].fields == {"b": "y", "a": "x"}
    assert [d.id for d in documents] == ["7", "c:3"]


@pytest.mark.parametrize(
    ("line", "fields"),
    [('{"text": "x"}', ["text"]), ('{"question": "x", "answer": "y"}', ["question", "answer"])],
)
def test_usual_fields_are_found_unasked(tmp_path: Path, line: str, fields: list[str]) -> None:
    path = tmp_path / "c.jsonl"
    path.write_text(line)
    assert list(next(iter(read_corpus(path))).fields) == fields


def test_folders_of_text_and_markdown_are_read_by_relative_name(tmp_path: Path) -> None:
    (tmp_path / "deep").mkdir()
    (tmp_path / "a.txt").write_text("first")
    (tmp_path / "deep/b.MD").write_text("# second")
    (tmp_path / "c.pdf").write_bytes(b"%PDF")
    assert [d.id for d in read_corpus(tmp_path)] == ["a.txt", "deep/b.MD"]


def test_a_table_is_read_by_its_columns(tmp_path: Path) -> None:
    path = tmp_path / "c.csv"
    path.write_text('id;Brief / Text;who\nV1;"one; two";a\n;three;b\n')
    documents = list(read_corpus(path, ["Brief / Text"], "who"))
    assert [d.fields for d in documents] == [
        {"Brief / Text": "one; two"},
        {"Brief / Text": "three"},
    ]
    assert [(d.id, d.subject) for d in documents] == [("V1", "a"), ("c:3", "b")]


def test_a_table_without_a_known_column_names_its_columns(tmp_path: Path) -> None:
    path = tmp_path / "c.csv"
    path.write_text("Vorgang;Brief\nV1;private\n")
    with pytest.raises(InputError, match="line 2 has none") as error:
        list(read_corpus(path))
    assert "Vorgang, Brief" in str(error.value.hint)
    with pytest.raises(InputError, match="no field `Text`") as error:
        list(read_corpus(path, ["Text"]))
    assert "Vorgang, Brief" in str(error.value.hint)


def test_long_text_is_split_at_sentences_and_loses_nothing(tmp_path: Path) -> None:
    sentences = [f"Sentence number {i} is here to fill the page." for i in range(100)]
    (tmp_path / "long.txt").write_text(" ".join(sentences))
    pieces = list(read_corpus(tmp_path))
    assert [p.id for p in pieces][:2] == ["long.txt#1", "long.txt#2"]
    assert all(len(p.text) <= CHUNK_CHARS for p in pieces)
    joined = " ".join(p.text for p in pieces)
    assert joined.split() == " ".join(sentences).split()


def test_a_record_stays_whole_where_a_file_of_its_length_is_split(tmp_path: Path) -> None:
    note = "Sentence number one is here to fill the page. " * 60
    assert CHUNK_CHARS < len(note) < WHOLE_RECORD_CHARS
    (tmp_path / "notes.jsonl").write_text(json.dumps({"text": note}))
    (tmp_path / "note.txt").write_text(note)
    assert [d.id for d in read_corpus(tmp_path)] == ["note.txt#1", "note.txt#2", "notes:1"]
    long = {"text": note * 2}
    (tmp_path / "notes.jsonl").write_text(json.dumps(long))
    pieces = list(read_corpus(tmp_path / "notes.jsonl"))
    assert max(len(piece.text) for piece in pieces) <= CHUNK_CHARS
    assert len({piece.subject for piece in pieces}) == 1


def test_a_dialogue_is_never_split(tmp_path: Path) -> None:
    path = tmp_path / "c.jsonl"
    path.write_text('{"question": "' + "why? " * 900 + '", "answer": "so"}')
    assert len(list(read_corpus(path))) == 1


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "contains no text"),
        ("\n\n", "contains no text"),
        ('{"text": ""}', "contains no text"),
        ("{", "line 1 is not JSON"),
        ("[1]", "line 1 is not a JSON object"),
        ('{"text": "x"}\n{"body": "x"}', "line 2 has none of the fields"),
        ('{"text": 3}', "line 1: field `text` is not a string"),
        ('{"text": null}', "line 1: field `text` is null"),
        ('{"text": "\\ud800"}', "surrogate"),
        ('{"id": 1, "text": "x"}\n{"id": 1, "text": "y"}', "line 2 has the document id of"),
        ("[" * 100_000, "line 1 is not JSON"),
    ],
)
def test_a_bad_file_is_one_line_with_its_place(tmp_path: Path, content: str, message: str) -> None:
    path = tmp_path / "c.jsonl"
    path.write_text(content)
    with pytest.raises(InputError) as caught:
        list(read_corpus(path))
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


def test_an_id_that_occurs_twice_is_named_by_its_lines_and_not_quoted(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text('{"text": "x"}\n{"id": "Ada Novak", "text": "x"}\n')
    (tmp_path / "b.jsonl").write_text('\n\n{"id": "Ada Novak", "text": "y"}\n')
    with pytest.raises(InputError, match=r"b.jsonl` line 3 has .*a.jsonl` line 2") as caught:
        list(read_corpus(tmp_path))
    assert "Novak" not in f"{caught.value}{caught.value.hint}"


def test_a_folder_says_which_of_its_files_are_not_read(tmp_path: Path) -> None:
    for name in ("a.txt", "b.csv", "c.CSV", "d.pdf", "e.png", ".f.csv", ".git/g.csv"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("x")
    line = skipped_line(tmp_path)
    assert line is not None
    assert line.endswith("2 csv, 1 pdf: index them singly; 1 file of other formats")
    assert skipped_line(tmp_path / "b.csv") is None


def test_hidden_files_are_not_read(tmp_path: Path) -> None:
    for name in ("a.txt", ".b.txt", ".checkpoints/c.txt"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("x")
    assert [d.id for d in read_corpus(tmp_path)] == ["a.txt"]
    assert skipped_line(tmp_path) is None


def test_a_folder_of_other_files_alone_says_how_to_index_them(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("text\nx\n")
    with pytest.raises(InputError) as caught:
        list(read_corpus(tmp_path))
    assert "1 csv: index them singly" in str(caught.value.hint)


def test_a_file_whose_name_is_not_utf8_is_read(tmp_path: Path) -> None:
    texts = {b"caf\xe9.txt": "A note.", b"caf\xe9.jsonl": '{"text": "Another."}\n'}
    for name, text in texts.items():
        Path(os.fsdecode(os.fsencode(tmp_path) + b"/" + name)).write_text(text)
    documents = list(read_corpus(tmp_path))
    assert [d.id for d in documents] == ["caf\ufffd:1", "caf\ufffd.txt"]
    assert all(key_of(document).document_hash for document in documents)


def test_a_text_has_no_fields(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("A note.")
    for source in (path, tmp_path):
        with pytest.raises(InputError, match="has no fields"):
            next(read_corpus(source, ["question"]))
    (tmp_path / "b.jsonl").write_text('{"question": "Why?"}\n')
    assert [d.text for d in read_corpus(tmp_path, ["question"])] == ["A note.", "Why?"]


def test_a_text_of_a_size_that_memory_may_not_hold_is_refused_unread(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    with path.open("wb") as file:
        file.truncate(400_000_000)
    with pytest.raises(InputError, match="is one text of 400 MB; 100 are allowed") as stopped:
        next(read_corpus(path))
    assert "jsonl" in str(stopped.value.hint)


def test_an_error_about_fields_names_the_fields_but_no_text(tmp_path: Path) -> None:
    path = tmp_path / "c.jsonl"
    path.write_text('{"body": "Ada Novak"}')
    with pytest.raises(InputError) as caught:
        list(read_corpus(path))
    assert "body" in str(caught.value.hint)
    assert "Ada" not in f"{caught.value}{caught.value.hint}"


def test_other_encodings_and_kinds_are_refused(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_bytes("Müller".encode("latin-1"))
    with pytest.raises(InputError, match="not UTF-8 at byte 1"):
        list(read_corpus(tmp_path))
    (tmp_path / "b.odt").write_bytes(b"PK")
    with pytest.raises(InputError, match="cannot read"):
        list(read_corpus(tmp_path / "b.odt"))
    with pytest.raises(InputError, match="no corpus at"):
        list(read_corpus(tmp_path / "absent"))


@pytest.mark.parametrize("name", ["c.txt", "c.jsonl"])
def test_a_byte_order_mark_is_no_part_of_the_text(tmp_path: Path, name: str) -> None:
    text = "knee pain" if name == "c.txt" else '{"text": "knee pain"}'
    (tmp_path / name).write_text(text, "utf-8-sig")
    (document,) = read_corpus(tmp_path)
    assert document.text == "knee pain"


@pytest.mark.parametrize(("encoding", "named"), [("latin-1", "WINDOWS-1252"), ("utf-16", "UTF-16")])
def test_the_hint_names_the_likely_encoding(tmp_path: Path, encoding: str, named: str) -> None:
    (tmp_path / "a.txt").write_text("Müller", encoding)
    with pytest.raises(InputError) as caught:
        list(read_corpus(tmp_path))
    assert f"iconv -f {named} " in str(caught.value.hint)


@pytest.mark.parametrize("identity", ['"' + "x" * 501 + '"', r'"\ud800"', '{"a": 1}', "true"])
def test_an_id_that_fits_into_no_token_is_refused_with_its_line(
    tmp_path: Path, identity: str
) -> None:
    path = tmp_path / "c.jsonl"
    path.write_text(f'{{"text": "a"}}\n{{"id": {identity}, "text": "knee"}}\n')
    with pytest.raises(InputError, match="line 2: its `id`") as caught:
        list(read_corpus(path))
    assert "xx" not in str(caught.value)


def test_no_repr_shows_a_document() -> None:
    assert "Ada" not in repr(Document("Ada", {"text": "Ada"}, "Ada"))


def test_the_subject_of_a_record_is_the_value_of_its_field(tmp_path: Path) -> None:
    path = tmp_path / "c.jsonl"
    path.write_text('{"text": "x", "p": " A "}\n{"text": "y", "p": "A"}\n{"text": "z", "p": 7}')
    first, second, third = read_corpus(path, subject="p")
    assert first.subject_hash == second.subject_hash != third.subject_hash
    assert (first.subject, third.subject) == ("A", "7")


def test_without_a_subject_equal_texts_have_one_and_so_do_the_pieces_of_a_text(
    tmp_path: Path,
) -> None:
    path = tmp_path / "c.jsonl"
    long = " ".join(f"Sentence number {i} is here to fill the page." for i in range(100))
    path.write_text(f'{{"text": "x"}}\n{{"text": "x"}}\n{{"text": "y"}}\n{{"text": "{long}"}}')
    hashes = [document.subject_hash for document in read_corpus(path)]
    assert len(hashes) > 5
    assert hashes[0] == hashes[1] != hashes[2]
    assert len(set(hashes)) == 3


@pytest.mark.parametrize(
    ("record", "message"),
    [
        ('{"text": "Ada"}', "line 1 has no subject `p`"),
        ('{"text": "Ada", "p": null}', "line 1 has no subject `p`"),
        ('{"text": "Ada", "p": " "}', "line 1: the subject `p` is empty"),
        ('{"text": "Ada", "p": true}', "line 1 has a subject `p` that is neither"),
        ('{"text": "Ada", "p": [1]}', "line 1 has a subject `p` that is neither"),
        (r'{"text": "Ada", "p": "\ud800"}', "line 1: the subject `p` contains half of"),
    ],
)
def test_a_record_without_its_subject_is_one_line_with_its_place(
    tmp_path: Path, record: str, message: str
) -> None:
    path = tmp_path / "c.jsonl"
    path.write_text(record)
    with pytest.raises(InputError) as caught:
        list(read_corpus(path, subject="p"))
    assert message in str(caught.value)
    assert "Ada" not in f"{caught.value}{caught.value.hint}"


def test_a_text_file_has_no_subject(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("first")
    with pytest.raises(InputError, match="only records have a subject"):
        list(read_corpus(tmp_path, subject="p"))
