"""`sage-rag train reader`: train the network that reads whether a record answers a question."""

from __future__ import annotations

import shlex
import sys
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from sage_rag.common.exceptions import InputError
from sage_rag.training.cli.output import this_machine, training_bar, writable_folder

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from sage_rag.training.reading.questions import QuestionedRecord
    from sage_rag.training.reading.reader import ReaderOutcome, ReaderViews

_HELP = "see: sage-rag train reader --help"


def reader(
    out: Annotated[Path, typer.Option(help="Folder for weights and model card.")],
    questions: Annotated[
        Path | None,
        typer.Option(help="Folder of .txt files of records and questions.", show_default="shipped"),
    ] = None,
    start: Annotated[
        Path | None,
        typer.Option(help="Weights to train further. Without: MiniLM's.", show_default=False),
    ] = None,
    average_with: Annotated[
        Path | None,
        typer.Option(
            help="Weights to average with: --start's, or of a training with the same seed.",
            show_default=False,
        ),
    ] = None,
    base: Annotated[
        Path | None,
        typer.Option(
            help="Folder of a larger encoder of transformers: train all of it, on a GPU.",
            show_default=False,
        ),
    ] = None,
    epochs: Annotated[int, typer.Option(min=1, help="How often each question is read.")] = 3,
    seed: Annotated[int, typer.Option(help="Same seed, questions and machine: same weights.")] = 0,
) -> None:
    """Train the reader, as the shipped one was, on a GPU where there is one.

    Your own files of questions make it better on your kind of records: copy the shipped ones into a
    folder and add some. Invent the records: the weights go to the server, and a network can repeat
    what it was trained on. Docs: docs/packages/training.md, "The reader".

    Example: sage-rag train reader --questions ours --out reader
    """
    from sage_rag.training.reading.card import low_rank_changes, reader_card
    from sage_rag.training.reading.questions import read_questions, shipped_questions

    _check_models(base, start, average_with)
    records = read_questions(questions or shipped_questions())
    writable_folder(out)
    outcome, weights = (
        _trained(records, out, epochs, seed, start=start, earlier=average_with)
        if base is None
        else _trained_large(records, base, out, epochs, seed)
    )
    about = (
        low_rank_changes(weights) if base is None else f"all weights of {base.name} are trained."
    )
    command = shlex.join(["sage-rag", *sys.argv[1:]])
    date = datetime.now(UTC).date().isoformat()
    card = reader_card(outcome, about, command=command, hardware=this_machine(), date=date)
    (out / ("english.md" if base is None else "README.md")).write_text(card, "utf-8")
    typer.echo(f"weights and model card are in {out}", err=True)
    typer.echo(f"use it with: --reader {weights}", err=True)


def _check_models(base: Path | None, start: Path | None, average_with: Path | None) -> None:
    """Raise InputError, before the training, for files and folders that cannot be used."""
    from sage_rag.agents.reading.backends.question_answering import load_model
    from sage_rag.agents.reading.reader import read_reader_weights

    if base is not None and (start is not None or average_with is not None):
        raise InputError("--base excludes --start and --average-with", hint=_HELP)
    if base is not None:
        load_model(base)
    for file in (start, average_with):
        if file is not None:
            read_reader_weights(file)


def _trained(
    records: Sequence[QuestionedRecord],
    out: Path,
    epochs: int,
    seed: int,
    *,
    start: Path | None,
    earlier: Path | None,
) -> tuple[ReaderOutcome, Path]:
    """Return the outcome, and the file for `--reader`."""
    from sage_rag.training.reading.reader import train_reader

    views, weights = _viewed(records), out / "english.safetensors"
    with training_bar("reader") as steps:
        outcome = train_reader(
            views,
            weights,
            epochs,
            seed=seed,
            progress=steps,
            measuring=_measuring(),
            start=start,
            earlier=earlier,
        )
    return outcome, weights


def _trained_large(
    records: Sequence[QuestionedRecord], base: Path, out: Path, epochs: int, seed: int
) -> tuple[ReaderOutcome, Path]:
    """Return the outcome, and the folder for `--reader`."""
    from sage_rag.training.reading.reader import train_large_reader

    views = _viewed(records)
    with training_bar("reader") as steps:
        outcome = train_large_reader(
            views, base, out, epochs, seed=seed, progress=steps, measuring=_measuring()
        )
    return outcome, out


def _viewed(records: Sequence[QuestionedRecord]) -> ReaderViews:
    from sage_rag.common.progress import progress_bars
    from sage_rag.training.reading.reader import ReaderViews
    from sage_rag.training.reading.views import throwaway_protector

    with progress_bars() as show:
        return ReaderViews.of(records, throwaway_protector(), partial(show, "hide values"))


def _measuring() -> Callable[[int, int], None]:
    from sage_rag.common.progress import ProgressLines

    return partial(ProgressLines(), "measure")
