"""`sage-rag eval text`: measure any synthetic text against its sources."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Annotated

import typer

from sage_rag.common.exceptions import InputError
from sage_rag.eval.printing import print_figures
from sage_rag.privacy.cli.options import Languages, Recognizers
from sage_rag.training.controlled.names import Entities


def text(
    synthetic: Annotated[
        Path, typer.Argument(help="A jsonl, txt or md file, a folder, or an index version.")
    ],
    sources: Annotated[Path, typer.Option(help="The real texts that it was made from.")],
    reference: Annotated[
        Path | None, typer.Option(help="Other real texts, for perplexity and MAUVE.")
    ] = None,
    model: Annotated[
        Path | None,
        typer.Option(help="With --reference: folder of the model to tune, for perplexity."),
    ] = None,
    with_mauve: Annotated[
        bool, typer.Option("--mauve", help="With --reference: MAUVE, by the extra `mauve`.")
    ] = False,
    entities: Annotated[
        Entities, typer.Option(help="auto: annotated spans if there are any, else recognized.")
    ] = Entities.AUTO,
    text_fields: Annotated[
        str | None, typer.Option(help="Fields of a jsonl record of the sources.")
    ] = None,
    recognizer: Recognizers = None,
    languages: Languages = None,
    json_file: Annotated[
        Path | None, typer.Option("--json", help="Write the figures as JSON; - for stdout.")
    ] = None,
) -> None:
    """Measure what synthetic texts leak and copy of their sources, and what they are worth.

    PIPP: texts with a private value. ELP: private values of the sources that occur in a text.
    ROUGE-2, ROUGE-L: likeness to the nearest source. Perplexity: of --model on the reference, tuned
    on the texts. An index version is measured by its passages, as a server holds them.

    Example: sage-rag eval text synthetic/corpus.jsonl --sources cases.jsonl
    Example: sage-rag eval text home/corpora/cases --sources cases.jsonl
    """
    from sage_rag.eval.synthetic_text.reading import synthetic_texts, texts_of
    from sage_rag.eval.synthetic_text.report import Reference, measure_texts
    from sage_rag.indexer.embedding import embedder_called
    from sage_rag.training.controlled.wiring import Source, named, whole_documents
    from sage_rag.training.pretraining.trained_model import require_model

    if reference is None and (model is not None or with_mauve):
        raise InputError("perplexity and MAUVE need real texts", hint="--reference FILE")
    if reference is not None and model is None and not with_mauve:
        raise InputError("--reference alone measures nothing", hint="--model FOLDER or --mauve")
    if model is not None:
        require_model(model)
    texts = synthetic_texts(synthetic)
    fields, spoken = tuple(named(text_fields)), tuple(named(languages))
    documents = whole_documents(Source(sources, entities, fields, tuple(recognizer or ()), spoken))
    with tempfile.TemporaryDirectory() as folder:
        compared = None
        if reference is not None:
            real = texts_of(reference, text_fields)
            embedder = embedder_called() if with_mauve else None
            compared = Reference(real, embedder, model, Path(folder))
        report = measure_texts(texts, documents, compared)
    print_figures(report, str(report), json_file)
