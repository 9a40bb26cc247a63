"""Files of questions: what is read, and which line is wrong."""

from __future__ import annotations

from pathlib import Path

import pytest

from sage_rag.common.exceptions import InputError
from sage_rag.training.reading.questions import (
    check_measurable,
    read_questions,
    shipped_questions,
    training_and_held_out,
)

FILE = """@
The grey kettle boils at 95 degrees.
Leave its lid open.
+ How hot does it get? | 95 degrees
- How hot does the lid get?
@
The red one is broken.
- Who broke it?
"""


def test_records_and_questions_are_read_in_order(tmp_path: Path) -> None:
    (tmp_path / "kettles.txt").write_text(FILE, "utf-8")
    first, second = read_questions(tmp_path)
    assert first.source == "kettles"
    assert first.text == "The grey kettle boils at 95 degrees.\nLeave its lid open."
    answered, other = first.questions
    assert answered.text == "How hot does it get?"
    assert answered.answer is not None
    assert first.text[slice(*answered.answer)] == "95 degrees"
    assert other.answer is None
    assert [q.text for q in second.questions] == ["Who broke it?"]


@pytest.mark.parametrize(
    ("content", "line"),
    [
        ("hello\n", "line 1"),
        ("@\nA kettle.\n+ How hot? | cold\n", "line 3"),
        ("@\nA kettle.\n+ How hot?\n", "line 3"),
        ("@\nA kettle.\n- How hot?\nmore text\n", "line 4"),
        ("@\nA kettle.\n@\nAnother.\n- Why?\n", "line 3"),
    ],
)
def test_a_wrong_line_is_named(tmp_path: Path, content: str, line: str) -> None:
    (tmp_path / "wrong.txt").write_text(content, "utf-8")
    with pytest.raises(InputError, match=f"wrong.txt, {line}:"):
        read_questions(tmp_path)


def test_a_folder_without_questions_is_refused(tmp_path: Path) -> None:
    for folder in (tmp_path, tmp_path / "missing"):
        with pytest.raises(InputError, match="no files of questions"):
            read_questions(folder)


def test_the_shipped_questions_have_as_many_with_and_without_an_answer() -> None:
    asked = [q for record in read_questions(shipped_questions()) for q in record.questions]
    answered = sum(q.answer is not None for q in asked)
    assert len(asked) > 5_000
    assert 0.45 < answered / len(asked) < 0.55


@pytest.mark.parametrize(
    ("question", "lacking"),
    [("+ Is it grey? | grey", "without an answer"), ("- Is it old?", "with an answer")],
)
def test_questions_of_one_kind_measure_no_reader(
    tmp_path: Path, question: str, lacking: str
) -> None:
    for number in range(16):
        content = f"@\nThe kettle is grey.\n{question}\n"
        (tmp_path / f"file{number}.txt").write_text(content, "utf-8")
    records = read_questions(tmp_path)
    for refuse in (check_measurable, training_and_held_out):
        with pytest.raises(InputError, match=f"no question {lacking}"):
            refuse(records)
