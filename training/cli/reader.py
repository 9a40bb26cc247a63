"""`sage-rag train reader`: train the network that reads whether a record answers a question."""

from __future__ import annotations

import shlex
import sys
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

import typer

from sage_rag.common.exceptions import InputError
from sage_rag.training.cli.output import this_machine, training_bar, writable_folder


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
    model: Annotated[
        Path | None,
        typer.Option(
            help="Fine-tune this encoder of transformers in place of MiniLM.", show_default=False
        ),
    ] = None,
    epochs: Annotated[
        float | None,
        typer.Option(min=0.01, help="How often each question is read. [default: 3; --model: 1]"),
    ] = None,
    seed: Annotated[int, typer.Option(help="Same seed, questions and machine: same weights.")] = 0,
) -> None:
    """Train the reader, as the shipped one was; about 15 minutes an epoch on two cores.

    Your own files of questions make it better on your kind of records: copy the shipped ones into a
    folder and add some. Invent the records: the weights go to the server, and a network can repeat
    what it was trained on. Docs: docs/packages/training.md, "The reader".

    With --model, a larger encoder learns the same: slower, and it reads better. OUT then is a model
    of transformers.

    Example: sage-rag train reader --questions ours --out reader
    """
    from sage_rag.training.reading.questions import read_questions, shipped_questions

    folder = questions or shipped_questions()
    read_questions(folder)  # a wrong folder fails before the training
    if model is not None and start is not None:
        raise InputError("give either --model or --start, which trains weights of MiniLM")
    writable_folder(out)
    if model is not None:
        _fine_tune(folder, model, out, epochs, seed)
    else:
        _train(folder, start, out, epochs, seed)


def _train(questions: Path, start: Path | None, out: Path, epochs: float | None, seed: int) -> None:
    from sage_rag.training.reading.card import reader_card
    from sage_rag.training.reading.examples import throwaway_protector
    from sage_rag.training.reading.fit import ReaderSchedule
    from sage_rag.training.reading.reader import train_reader

    weights = out / "english.safetensors"
    with training_bar("reader") as progress:
        outcome = train_reader(
            questions,
            weights,
            throwaway_protector(),
            seed=seed,
            progress=progress,
            schedule=ReaderSchedule(epochs=epochs) if epochs else None,
            start=start,
        )
    command = shlex.join(["sage-rag", *sys.argv[1:]])
    date = datetime.now(UTC).date().isoformat()
    card = reader_card(outcome, weights, command=command, hardware=this_machine(), date=date)
    (out / "english.md").write_text(card, "utf-8")
    typer.echo(f"weights and model card are in {out}", err=True)
    typer.echo(f"use it with: --reader {weights}", err=True)


def _fine_tune(questions: Path, model: Path, out: Path, epochs: float | None, seed: int) -> None:
    from sage_rag.training.reading.examples import throwaway_protector
    from sage_rag.training.reading.fine_tuning import FINE_TUNING, fine_tune_reader

    schedule = replace(FINE_TUNING, epochs=epochs) if epochs else FINE_TUNING
    with training_bar("reader") as progress:
        fine_tune_reader(
            questions,
            model,
            out,
            throwaway_protector(),
            seed=seed,
            progress=progress,
            schedule=schedule,
        )
    typer.echo(f"the model is in {out}", err=True)
    typer.echo(f"measure and calibrate it: sage-rag eval reader {out}", err=True)
