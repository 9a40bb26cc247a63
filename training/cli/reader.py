"""`sage-rag train reader`: train the network that reads whether a record answers a question."""

from __future__ import annotations

import shlex
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

import typer

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
    epochs: Annotated[int, typer.Option(min=1, help="How often each question is read.")] = 3,
    seed: Annotated[int, typer.Option(help="Same seed, questions and machine: same weights.")] = 0,
) -> None:
    """Train the reader, as the shipped one was; about 15 minutes an epoch on two cores.

    Your own files of questions make it better on your kind of records: copy the shipped ones into a
    folder and add some. Invent the records: the weights go to the server, and a network can repeat
    what it was trained on. Docs: docs/packages/training.md, "The reader".

    Example: sage-rag train reader --questions ours --out reader
    """
    from sage_rag.training.reading.card import reader_card
    from sage_rag.training.reading.examples import throwaway_protector
    from sage_rag.training.reading.fit import ReaderSchedule
    from sage_rag.training.reading.questions import read_questions, shipped_questions
    from sage_rag.training.reading.reader import train_reader

    folder = questions or shipped_questions()
    read_questions(folder)  # a wrong folder fails before the training
    writable_folder(out)
    weights = out / "english.safetensors"
    with training_bar("reader") as progress:
        outcome = train_reader(
            folder,
            weights,
            throwaway_protector(),
            seed=seed,
            progress=progress,
            schedule=ReaderSchedule(epochs=epochs),
            start=start,
        )
    command = shlex.join(["sage-rag", *sys.argv[1:]])
    date = datetime.now(UTC).date().isoformat()
    card = reader_card(outcome, weights, command=command, hardware=this_machine(), date=date)
    (out / "english.md").write_text(card, "utf-8")
    typer.echo(f"weights and model card are in {out}", err=True)
    typer.echo(f"use it with: --reader {weights}", err=True)
