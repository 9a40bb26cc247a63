"""Tables of records: delimiters, quotes, and errors with a line and no text."""

from pathlib import Path

import pytest

from sage_rag.common.exceptions import InputError
from sage_rag.common.tables import table_rows


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ("a,b\n1,2\n", [(2, {"a": "1", "b": "2"})]),
        ("a;b\n1,5;2\n\n3;4\n", [(2, {"a": "1,5", "b": "2"}), (4, {"a": "3", "b": "4"})]),
        ("a b\tc\n1\t2\n", [(2, {"a b": "1", "c": "2"})]),
        ("text\nalone\n", [(2, {"text": "alone"})]),
        ('a,b\n"two\nlines","say ""yes"""\n', [(3, {"a": "two\nlines", "b": 'say "yes"'})]),
        ("\ufeffa,b\r\n1,2\r\n", [(2, {"a": "1", "b": "2"})]),
        ("sep=;\r\na,b;c\r\n1;2\r\n", [(3, {"a,b": "1", "c": "2"})]),
        ('\ufeff"sep=\t"\na\tb\n1\t2\n', [(3, {"a": "1", "b": "2"})]),
        ("sep=;\n", []),
        ("", []),
    ],
)
def test_rows_are_records(tmp_path: Path, content: str, expected: list[object]) -> None:
    path = tmp_path / "c.csv"
    path.write_bytes(content.encode())
    assert list(table_rows(path)) == expected


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("a,b\n1,2\nprivate\n", "line 3 has 1 cells, the header 2"),
        ("sep=,\na,b\n1,2\nprivate\n", "line 4 has 1 cells, the header 2"),
        ("a,a\n1,2\n", "two columns of one name"),
        ("a,\n1,2\n", "one without a name"),
        ('a,b\n1,"private\n', "line 2 is not a row"),
        ('a,b\n1,"private"x\n', "line 2 is not a row"),
    ],
)
def test_a_faulty_table_is_named_without_its_text(
    tmp_path: Path, content: str, message: str
) -> None:
    path = tmp_path / "c.csv"
    path.write_text(content)
    with pytest.raises(InputError, match=message) as error:
        list(table_rows(path))
    assert "private" not in str(error.value)


def test_another_encoding_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "c.csv"
    path.write_bytes("a,b\nK\xf6ln,2\n".encode("latin-1"))
    with pytest.raises(InputError, match="not UTF-8"):
        list(table_rows(path))
