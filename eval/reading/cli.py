"""`sage-rag eval reader`: measure a reader, and calibrate a question-answering model."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from sage_rag.training.reading.questions import QuestionedRecord


def reader(
    name: Annotated[
        str,
        typer.Argument(help="shipped, a weights file, or a question-answering model's folder."),
    ],
    questions: Annotated[
        Path | None,
        typer.Option(
            help="Folder of .txt files of records and questions.", show_default="shipped, held out"
        ),
    ] = None,
) -> None:
    """Measure how well a reader finds out whether a record answers a question.

    For the folder of a question-answering model of transformers, trained on SQuAD 2.0, it also
    writes the calibration that `serve --reader FOLDER` needs into the folder. The form of the
    files: docs/packages/training.md, "The reader".

    Example: sage-rag eval reader models/deberta-v3-base-squad2
    """
    from sage_rag.agents.reading.backends.question_answering import (
        QuestionAnsweringReader,
        write_calibration,
    )
    from sage_rag.agents.reading.reader import Reader, ReaderSettings
    from sage_rag.common.progress import progress_bars
    from sage_rag.training.reading.measuring import reader_figures
    from sage_rag.training.reading.views import throwaway_protector, viewed

    asked = _records(questions)
    folder = Path(name)
    calibrates = folder.is_dir()
    if calibrates:
        measured: Reader | QuestionAnsweringReader
        measured = QuestionAnsweringReader(folder, ReaderSettings(1.0, 0.0))
    else:
        measured = Reader() if name == "shipped" else Reader(folder)
    measured.read("Is it warm?", ["It is warm."])  # a wrong model fails at once
    protector = throwaway_protector()
    views = [viewed(record, protector) for record in asked]
    with progress_bars() as show:
        figures = reader_figures(measured, views, lambda done, of: show("reader", done, of))
    typer.echo(figures.table)
    if calibrates:
        write_calibration(folder, figures.calibration)
        typer.echo(f"calibrated; use it with: sage-rag serve --reader {folder}", err=True)


def _records(questions: Path | None) -> list[QuestionedRecord]:
    """Return the records of a folder, or the shipped ones that no training sees."""
    from sage_rag.training.reading.questions import (
        check_measurable,
        read_questions,
        shipped_questions,
        training_and_held_out,
    )

    if questions is not None:
        records = read_questions(questions)
        check_measurable(records)
        return records
    return training_and_held_out(read_questions(shipped_questions()))[1]
