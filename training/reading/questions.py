"""Read files of records and questions.

A file is text. `@` begins a record; the lines after it are its text; then follow its questions:

    @
    The grey kettle boils at 95 degrees. Leave its lid open for a minute.
    + How hot does the grey kettle get? | 95 degrees
    - How hot does the lid get?

`+`: the record answers, with the words after the bar. `-`: it does not.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib import resources
from pathlib import Path

from sage_rag.common.exceptions import InputError
from sage_rag.common.files import reading

_BAR = " | "
_HELD_OUT = 8
"""One file of that many is held out, by the digest of its name."""


@dataclass(frozen=True, slots=True)
class RecordQuestion:
    """A question on a record. `answer`: where the record's text answers it; `None`: nowhere."""

    text: str
    answer: tuple[int, int] | None


@dataclass(frozen=True, slots=True)
class QuestionedRecord:
    """A record with questions. `source`: the name of its file, without the ending."""

    source: str
    text: str
    questions: tuple[RecordQuestion, ...]


def shipped_questions() -> Path:
    """Return the folder of the questions that trained the shipped reader."""
    return Path(str(resources.files("sage_rag.training.reading"))) / "questions"


def read_questions(folder: Path) -> list[QuestionedRecord]:
    """Return the records of all `.txt` files of a folder, in the order of names.

    Raises:
        InputError: for a folder without such files, or a file that is not of this form, or not
            UTF-8.
    """
    paths = sorted(folder.glob("*.txt")) if folder.is_dir() else []
    if not paths:
        raise InputError(
            f"there are no files of questions in `{folder}`", hint="name a folder of .txt files"
        )
    found: list[QuestionedRecord] = []
    for path in paths:
        with reading(path):
            found += _records(path)
    return found


def check_measurable(records: Sequence[QuestionedRecord]) -> None:
    """Refuse records by which no reader can be measured.

    Raises:
        InputError: unless some questions have an answer and some have none.
    """
    answered = {question.answer is not None for r in records for question in r.questions}
    for kind, mark in ((True, "with an answer (`+`)"), (False, "without an answer (`-`)")):
        if kind not in answered:
            raise InputError(
                f"no question {mark} measures the reader", hint="write questions of both kinds"
            )


def training_and_held_out(
    records: Sequence[QuestionedRecord],
) -> tuple[list[QuestionedRecord], list[QuestionedRecord]]:
    """Return the records that train, and those of held-out files.

    Raises:
        InputError: when there are too few files to hold one out, or the held-out ones lack
            questions with or without an answer.
    """
    held_out = {record.source for record in records if _digest(record.source) % _HELD_OUT == 0}
    parts = [[r for r in records if (r.source in held_out) is kept] for kept in (False, True)]
    if not all(parts):
        raise InputError(
            "there are too few files of questions to hold one out",
            hint="write at least a dozen, one for each kind of record",
        )
    check_measurable(parts[1])
    return parts[0], parts[1]


def _digest(name: str) -> int:
    return int(hashlib.sha256(name.encode()).hexdigest(), 16)


def _records(path: Path) -> Iterator[QuestionedRecord]:
    text: list[str] = []
    questions: list[RecordQuestion] = []
    begun = False
    for number, line in enumerate(path.read_text("utf-8").splitlines(), 1):
        if line.startswith("@"):
            if begun:
                yield _record(path, number, text, questions)
            text, questions, begun = [], [], True
        elif begun and line.startswith(("+ ", "- ")):
            questions.append(_question(path, number, line, "\n".join(text).strip()))
        elif begun and not questions:
            text.append(line)
        elif line.strip():
            raise _error(path, number, "neither a record nor a question")
    if begun:
        yield _record(path, number, text, questions)


def _record(
    path: Path, number: int, text: list[str], questions: list[RecordQuestion]
) -> QuestionedRecord:
    if not questions:
        raise _error(path, number, "the record before has no question")
    return QuestionedRecord(path.stem, "\n".join(text).strip(), tuple(questions))


def _question(path: Path, number: int, line: str, record: str) -> RecordQuestion:
    if line.startswith("- "):
        return RecordQuestion(line[2:].strip(), None)
    asked, bar, answer = line[2:].rpartition(_BAR)
    start = record.find(answer.strip()) if bar and answer.strip() else -1
    if start < 0:
        raise _error(path, number, "the answer after ` | ` is not in the record's text")
    return RecordQuestion(asked.strip(), (start, start + len(answer.strip())))


def _error(path: Path, number: int, what: str) -> InputError:
    return InputError(
        f"{path.name}, line {number}: {what}",
        hint="`@` begins a record; `+ question | answer` and `- question` follow its text",
    )
