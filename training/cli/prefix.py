"""`sage-rag train prefix`: tune a prefix on a private corpus, for `sage-rag generate`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from sage_rag.training.controlled.codes import Identifiers
from sage_rag.training.controlled.names import Contrast, Entities


def prefix(
    corpus: Annotated[Path, typer.Argument(help="A jsonl, txt or md file, or a folder of texts.")],
    model: Annotated[Path, typer.Option(help="Folder of the model, which stays unchanged.")],
    out: Annotated[Path, typer.Option(help="Folder for the prefix; it stays with the owner.")],
    contrast: Annotated[
        Contrast,
        typer.Option(help="Loss on private tokens: none, equation 3 as printed, or its reverse."),
    ] = Contrast.PRINTED,
    tokens: Annotated[int, typer.Option(min=1, help="Virtual tokens.")] = 20,
    learning_rate: Annotated[float, typer.Option(min=0)] = 5e-5,
    epochs: Annotated[int, typer.Option(min=1)] = 3,
    rows: Annotated[int, typer.Option(min=1, help="Documents of a step.")] = 4,
    identifiers: Annotated[
        Identifiers, typer.Option(help="Which values are private.")
    ] = Identifiers.BOTH,
    entities: Annotated[
        Entities, typer.Option(help="auto: annotated spans if there are any, else recognized.")
    ] = Entities.AUTO,
    paragraphs: Annotated[
        int, typer.Option(min=1, help="Paragraphs of a piece; a document gives at most two.")
    ] = 6,
    text_fields: Annotated[
        str | None, typer.Option(help="Fields of a jsonl record, e.g. question,answer.")
    ] = None,
    seed: Annotated[int, typer.Option(help="The same seed gives the same prefix.")] = 0,
) -> None:
    """Tune a prefix that writes documents like those of CORPUS after a control code.

    The paper describes a loss that lowers the probability of private values, and prints one
    (equation 3) that raises it: `lowering` and `printed`.

    Example: sage-rag train prefix cases.jsonl --model model --out prefix --contrast lowering
    """
    from sage_rag.common.progress import progress_bars
    from sage_rag.training.controlled.prefix_training import PrefixSettings, train_prefix
    from sage_rag.training.controlled.sampling import CausalWriter
    from sage_rag.training.controlled.wiring import Source, documents_of, named

    writer = CausalWriter.open(model)
    source = Source(corpus, entities, tuple(named(text_fields)), paragraphs=paragraphs)
    settings = PrefixSettings(
        tokens=tokens,
        learning_rate=learning_rate,
        epochs=epochs,
        rows=rows,
        contrast=contrast,
        identifiers=identifiers,
        seed=seed,
    )
    recent = 0.0

    def show(done: int, steps: int, loss: float) -> None:
        nonlocal recent
        recent = loss
        bar("train", done, steps)

    with progress_bars(lambda: f"loss {recent:.4f}") as bar:
        found = train_prefix(writer.model, writer.tokenizer, documents_of(source), settings, show)
    found.save(out, writer.digest, settings.as_json())
    typer.echo(f"the prefix is in {out}", err=True)
