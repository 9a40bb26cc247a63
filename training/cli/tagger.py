"""`sage-rag train tagger`: train the shipped recognizer, or adapt it to your annotations."""

from __future__ import annotations

import shlex
import sys
from datetime import UTC, datetime
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from sage_rag.common.exceptions import InputError
from sage_rag.training.cli.output import this_machine, training_bar, writable_folder


class Language(StrEnum):
    """The tagger to train."""

    ALL = "all"
    ENGLISH = "english"
    CHINESE = "chinese"


def tagger(
    out: Annotated[Path, typer.Option(help="Folder for weights and model card or report.")],
    data: Annotated[
        Path | None,
        typer.Option(help="Folder of the public annotated sets, one folder per set."),
    ] = None,
    extra: Annotated[
        str | None,
        typer.Option(
            help="Your annotations, FILE or FILE#SCHEME: train the shipped tagger further."
        ),
    ] = None,
    language: Annotated[Language, typer.Option(help="With --data: which tagger.")] = Language.ALL,
    generated: Annotated[
        int, typer.Option(min=0, help="With --data: number of English texts to generate.")
    ] = 18_000,
    average_with: Annotated[
        Path | None,
        typer.Option(help="With --data: English weights of an earlier training, to average with."),
    ] = None,
    seed: Annotated[int, typer.Option(help="Same seed, data and machine: same weights.")] = 0,
) -> None:
    """Train the tagger of names, places, organisations, dates and demographics.

    With --data, train it from the public sets and generated texts, like the shipped one. With
    --extra, train the shipped one further on your annotations, and report figures before and after.

    Example: sage-rag train tagger --extra ours.jsonl --out ours
    """
    if (data is None) == (extra is None):
        raise InputError("set either --data or --extra", hint="see: sage-rag train tagger --help")
    writable_folder(out)
    if data is not None:
        _train(data, out, language, generated, seed, average_with)
    elif extra is not None:
        _adapt(extra, out, seed)


def _train(
    data: Path, out: Path, language: Language, generated: int, seed: int, earlier: Path | None
) -> None:
    from sage_rag.training.recognition.card import Circumstances
    from sage_rag.training.recognition.datasets import load
    from sage_rag.training.recognition.runs import make_chinese, make_english

    load("tab", data)  # a wrong folder fails before the training
    circumstances = Circumstances(
        command=shlex.join(["sage-rag", *sys.argv[1:]]),
        seed=seed,
        hardware=this_machine(),
        date=datetime.now(UTC).date().isoformat(),
    )
    if language is not Language.CHINESE:
        with training_bar("english") as progress:
            make_english(
                data,
                out,
                generated=generated,
                circumstances=circumstances,
                progress=progress,
                earlier=earlier,
            )
    if language is not Language.ENGLISH:
        with training_bar("chinese") as progress:
            make_chinese(data, out, circumstances, progress=progress)
    typer.echo(f"weights and model cards are in {out}", err=True)


def _adapt(extra: str, out: Path, seed: int) -> None:
    from sage_rag.training.recognition.annotations import annotations_argument, read_annotations
    from sage_rag.training.recognition.report import comparison
    from sage_rag.training.recognition.tagger import adapt_tagger

    annotations = read_annotations(*annotations_argument(extra))
    weights = out / "tagger.safetensors"
    with training_bar("train") as progress:
        before, after = adapt_tagger(annotations, weights, seed=seed, progress=progress)
    report = comparison({"held out": before}, {"held out": after})
    (out / "report.md").write_text(report + "\n", "utf-8")
    typer.echo(report)
    index, edge = f"--set recognizers=tagger:{weights}", f"--recognizer tagger:{weights}"
    typer.echo(
        f"use it with: sage-rag index {index}, and sage-rag edge or protect {edge}", err=True
    )
