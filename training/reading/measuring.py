"""Measure a reader on questions whose answers are known."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import count
from math import log

import numpy as np
from numpy.typing import NDArray

from sage_rag.agents.reading.protocols import PassageReader
from sage_rag.agents.reading.reader import ReaderSettings
from sage_rag.common.proportions import Proportion
from sage_rag.training.platt import LabelledLogits, platt
from sage_rag.training.reading.examples import numbered
from sage_rag.training.reading.questions import QuestionedRecord
from sage_rag.training.reading.views import ViewedRecord

_LOST = (0.05, 0.1)
_SMALLEST = 1e-15
"""Bounds a probability, so that its log-odds are finite."""


@dataclass(frozen=True, slots=True)
class ReadingCases:
    """Questions on whole records: the log-odds of each, and whether the record answers it.

    `found`: of the answered ones, whether the stretch that the reader names overlaps the answer.
    """

    cases: LabelledLogits
    found: NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class ReaderFigures:
    """The cases with hidden values, and those in plain text."""

    hidden: ReadingCases
    plain: ReadingCases

    @property
    def calibration(self) -> ReaderSettings:
        """The slope and shift of the log-odds that fit all cases best."""
        both = LabelledLogits(
            np.concatenate([self.hidden.cases.logits, self.plain.cases.logits]),
            np.concatenate([self.hidden.cases.positive, self.plain.cases.positive]),
        )
        return ReaderSettings(*platt(both, method="L-BFGS-B", bounds=[(0.05, 5), (-9, 9)]))

    @property
    def table(self) -> str:
        """The figures as a table in Markdown, after a legend."""
        rows = (_row("values hidden", self.hidden), _row("plain text", self.plain))
        return "\n".join([*_LEGEND, "", *_HEAD, *rows])


_LEGEND = (
    "*Refused*: of the questions without an answer, where 5 % and 10 % of the others are lost.",
    "*Found*: the stretch that is named overlaps the answer.",
)
_HEAD = (
    "| questions | with an answer | without | area under the curve | refused | found |",
    "| --- | --- | --- | --- | --- | --- |",
)


def reader_figures(
    reader: PassageReader,
    records: Sequence[ViewedRecord],
    progress: Callable[[int, int], None] = lambda done, of: None,
) -> ReaderFigures:
    """Ask each question of its record, with hidden values and in plain text.

    `progress` receives the records done and all records, each of which is read in both forms.
    """
    views = ([r.hidden for r in records], [r.plain for r in records])
    steps = count(1)
    hidden, plain = (
        _cases(reader, some, lambda: progress(next(steps), 2 * len(records))) for some in views
    )
    return ReaderFigures(hidden, plain)


def _cases(
    reader: PassageReader, records: Sequence[QuestionedRecord], advance: Callable[[], None]
) -> ReadingCases:
    log_odds, positive, found = [], [], []
    for record in records:
        for question in record.questions:
            asked = numbered(question, record.text)
            (reading,) = reader.read(asked.question, [asked.text])
            likely = min(max(reading.probability, _SMALLEST), 1 - _SMALLEST)
            log_odds.append(log(likely / (1 - likely)))
            positive.append(asked.answer is not None)
            if asked.answer is not None:
                start, end = asked.answer
                found.append(reading.start < end and reading.end > start)
        advance()
    cases = LabelledLogits(np.array(log_odds), np.array(positive, dtype=np.bool_))
    return ReadingCases(cases, np.array(found, dtype=np.bool_))


def _row(name: str, measured: ReadingCases) -> str:
    answered = int(measured.cases.positive.sum())
    others = len(measured.cases.positive) - answered
    refused = " and ".join(f"{measured.cases.refused(lost):.2f}" for lost in _LOST)
    found = Proportion.of(int(measured.found.sum()), len(measured.found))
    return f"| {name} | {answered} | {others} | {measured.cases.area:.3f} | {refused} | {found} |"
