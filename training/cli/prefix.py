"""`sage-rag train prefix`: tune a prefix on a private corpus, for `sage-rag generate`."""

from __future__ import annotations

import typer

from sage_rag.privacy.cli.options import Languages, Recognizers
from sage_rag.training.cli.controlled_options import (
    ContrastName,
    Corpus,
    EntitiesName,
    Epochs,
    IdentifierNames,
    LearningRate,
    ModelFolder,
    Paragraphs,
    PrefixOut,
    Rows,
    Seed,
    TextFields,
    VirtualTokens,
)
from sage_rag.training.controlled.codes import Identifiers
from sage_rag.training.controlled.names import Contrast, Entities


def prefix(
    corpus: Corpus,
    model: ModelFolder,
    out: PrefixOut,
    contrast: ContrastName = Contrast.PRINTED,
    tokens: VirtualTokens = 20,
    learning_rate: LearningRate = 5e-5,
    epochs: Epochs = 3,
    rows: Rows = 4,
    identifiers: IdentifierNames = Identifiers.BOTH,
    entities: EntitiesName = Entities.AUTO,
    paragraphs: Paragraphs = 6,
    text_fields: TextFields = None,
    recognizer: Recognizers = None,
    languages: Languages = None,
    seed: Seed = 0,
) -> None:
    """Tune a prefix that writes documents like those of CORPUS after a control code.

    The paper describes a loss that lowers the probability of private values, and prints one
    (equation 3) that raises it: `lowering` and `printed`.

    Example: sage-rag train prefix cases.jsonl --model model --out prefix --contrast lowering
    """
    from sage_rag.common.progress import progress_bars
    from sage_rag.training.controlled.prefix import make_folder
    from sage_rag.training.controlled.prefix_training import PrefixSettings, train_prefix
    from sage_rag.training.controlled.sampling import CausalWriter
    from sage_rag.training.controlled.wiring import Source, named, pieces_of_all, whole_documents
    from sage_rag.training.owner_folder import owner_folder

    fields, spoken = tuple(named(text_fields)), tuple(named(languages))
    source = Source(corpus, entities, fields, tuple(recognizer or ()), spoken, paragraphs)
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

    make_folder(out)
    with owner_folder(out), progress_bars(lambda: f"loss {recent:.4f}") as bar:
        writer = CausalWriter.open(model)
        documents = pieces_of_all(whole_documents(source), source)
        found = train_prefix(writer.model, writer.tokenizer, documents, settings, show)
        found.save(out, writer.digest, settings.as_json())
    typer.echo(f"the prefix is in {out}", err=True)
