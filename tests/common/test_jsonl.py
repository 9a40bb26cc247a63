"""JSON Lines: plain and packed files, and errors that quote nothing."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from sage_rag.common.exceptions import InputError
from sage_rag.common.jsonl import read_jsonl, rows, write_jsonl


def test_lines_are_numbered_and_empty_ones_left_out(tmp_path: Path):
    file = tmp_path / "a.jsonl"
    file.write_text('{"a": 1}\n\n{"a": 2}\n', "utf-8")
    assert list(read_jsonl(file, lambda row: row["a"])) == [(1, 1), (3, 2)]


def test_what_is_written_is_read_again_and_a_failure_leaves_the_old_file(tmp_path: Path):
    file = tmp_path / "a.jsonl"
    written = [{"a": "é\n\u2028"}, {"a": "\ud800"}]
    write_jsonl(file, written)
    assert list(rows(file)) == written
    with pytest.raises(TypeError):
        write_jsonl(file, [{"a": 1}, {"a": object()}])
    assert list(rows(file)) == written
    assert list(tmp_path.iterdir()) == [file]


def test_a_key_twice_with_one_value_loses_nothing(tmp_path: Path):
    file = tmp_path / "a.jsonl"
    file.write_text('{"a": 1, "a": 1}\n')
    assert list(rows(file)) == [{"a": 1}]


def test_packed_files_are_unpacked(tmp_path: Path):
    file = tmp_path / "a.jsonl.gz"
    with gzip.open(file, "wt", encoding="utf-8") as lines:
        lines.write('{"a": "é"}\n')
    assert list(rows(file)) == [{"a": "é"}]


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("{secret", "is not JSON at column 2"),
        ("[" * 100_000, "is not JSON that"),
        ("[1]", "is not a JSON object"),
        ("{}", "has no `a`"),
        ('{"a": 1, "a": 2}', "has a key twice, with different values"),
        ('{"a": 1, "b": [{"c": 1, "c": 2}]}', "has a key twice"),
    ],
)
def test_a_bad_line_is_named_and_not_quoted(tmp_path: Path, line: str, reason: str):
    file = tmp_path / "a.jsonl"
    file.write_text(f'{{"a": 1}}\n{line}\n')
    with pytest.raises(InputError, match=rf"a\.jsonl` line 2 {reason}") as caught:
        list(read_jsonl(file, lambda row: row["a"], hint="see the guide"))
    assert "secret" not in caught.value.message
    assert caught.value.hint == "see the guide"


def test_an_unreadable_file_is_an_error(tmp_path: Path):
    (tmp_path / "binary").write_bytes(b"\xff\xfe\x00")
    for path in (tmp_path / "absent", tmp_path / "binary", tmp_path):
        with pytest.raises(InputError, match=r"cannot read|is not UTF-8"):
            list(rows(path))
