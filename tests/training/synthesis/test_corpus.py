"""Reading a corpus."""

from __future__ import annotations

from pathlib import Path

import pytest

from sage_rag.common.exceptions import InputError
from sage_rag.training.synthesis.corpus import read_documents


def written(tmp_path: Path, text: str, name: str = "c.jsonl") -> Path:
    path = tmp_path / name
    path.write_text(text, "utf-8")
    return path


def test_lines_of_jsonl(tmp_path: Path) -> None:
    path = written(tmp_path, '{"id": "a", "q": "one", "n": 3, "r": "two"}\n{"q": "three"}\n')
    assert [(d.id, d.text) for d in read_documents(path)] == [
        ("a", "one\ntwo"),
        ("line 2", "three"),
    ]
    assert read_documents(written(tmp_path, '{"q": "one", "r": "two"}'), ["r"])[0].text == "two"


def test_a_folder_of_texts(tmp_path: Path) -> None:
    written(tmp_path, "second", "b.md")
    written(tmp_path, "first", "a.txt")
    written(tmp_path, "unread", "c.csv")
    assert [(d.id, d.text) for d in read_documents(tmp_path)] == [
        ("a.txt", "first"),
        ("b.md", "second"),
    ]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"q": "x", "id": "1"}\n{"q": "y", "id": "1"}', "line 2 has the `id`"),
        ('{"q": " "}', "line 1 has no text"),
        ('{"r": "x"}', "line 1 has no `q`"),
        ('{"q": 3}', "line 1 has a field that is not a text"),
        ("", "has no document"),
    ],
)
def test_bad_corpora_are_refused(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        read_documents(written(tmp_path, text), ["q"])


def test_other_formats_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="format"):
        read_documents(written(tmp_path, "a,b", "c.csv"))
    with pytest.raises(InputError, match="No such file"):
        read_documents(tmp_path / "absent", ())
    with pytest.raises(InputError, match="only jsonl has fields"):
        read_documents(written(tmp_path, "text", "c.txt"), ["q"])
