"""`sage-rag generate`: from a private corpus to a synthetic one, by control codes."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from sage_rag.privacy.cli.options import (
    KeysetFile,
    KeysetSecret,
    Languages,
    PassphraseFile,
    Recognizers,
)
from sage_rag.training.controlled.codes import Identifiers
from sage_rag.training.controlled.names import Block, Entities, Method

if TYPE_CHECKING:
    from sage_rag.training.controlled.generation import Generation
    from sage_rag.training.controlled.samplers import CausalSampler, ChatSampler


def generate(
    corpus: Annotated[Path, typer.Argument(help="A jsonl, txt or md file, or a folder of texts.")],
    out: Annotated[Path, typer.Option(help="Folder to write; a killed run continues there.")],
    method: Annotated[
        Method, typer.Option(help="baseline: three examples without codes; leaks by design.")
    ] = Method.IN_CONTEXT,
    llm_model: Annotated[
        str | None, typer.Option(help="transformers:FOLDER, or a model of --llm-base-url.")
    ] = None,
    llm_base_url: Annotated[
        str | None, typer.Option(help="OpenAI-compatible endpoint, ending in /v1.")
    ] = None,
    prefix: Annotated[
        Path | None, typer.Option(help="With --method prefix: what `train prefix` wrote.")
    ] = None,
    count: Annotated[int, typer.Option(min=1, help="Texts to write.")] = 100,
    block: Annotated[
        Block, typer.Option(help="Whose private values no text may contain.")
    ] = Block.CORPUS,
    identifiers: Annotated[
        Identifiers, typer.Option(help="Which values are private.")
    ] = Identifiers.BOTH,
    entities: Annotated[
        Entities, typer.Option(help="auto: annotated spans if there are any, else recognized.")
    ] = Entities.AUTO,
    paragraphs: Annotated[
        int, typer.Option(min=1, help="Paragraphs of a piece; a document gives at most two.")
    ] = 6,
    most_tokens: Annotated[int, typer.Option(min=1, help="Longest text, in tokens.")] = 400,
    attempts: Annotated[
        int, typer.Option(min=1, help="Tries before a text is dropped and counted.")
    ] = 5,
    text_fields: Annotated[
        str | None, typer.Option(help="Fields of a jsonl record, e.g. question,answer.")
    ] = None,
    recognizer: Recognizers = None,
    languages: Languages = None,
    keyset: KeysetFile = None,
    passphrase_file: PassphraseFile = None,
    keyset_secret: KeysetSecret = None,
    allow_plaintext: Annotated[
        bool, typer.Option(help="Send examples in clear to --llm-base-url, if it is your own.")
    ] = False,
    budget_tokens: Annotated[
        int | None, typer.Option(min=1, help="Stop before the endpoint uses more tokens.")
    ] = None,
) -> None:
    """Write a synthetic corpus like CORPUS about invented persons, places and dates.

    Each text follows an invented list of values, drawn by the keyset. Private values of CORPUS are
    blocked: while a model in this process decodes, else by checking each text. OUT/corpus.jsonl is
    a corpus for `sage-rag index --recipe controlled`; OUT/report.json says what was blocked, and
    how. OUT/owner stays with the owner.

    Example: sage-rag generate cases.jsonl --keyset k --llm-model transformers:model --out synthetic
    """
    from sage_rag.agents.chat.options import ModelOptions
    from sage_rag.privacy.keyset.sources import open_whole_keyset
    from sage_rag.training.controlled.fiction import fiction_key
    from sage_rag.training.controlled.generation import Generation, GenerationSettings
    from sage_rag.training.controlled.sampling import SamplingSettings
    from sage_rag.training.controlled.wiring import Source, documents_of, named, sampler_of

    keys = open_whole_keyset(keyset, passphrase_file, secret_file=keyset_secret)
    options = ModelOptions(base_url=llm_base_url, name=llm_model, budget_tokens=budget_tokens)
    settings = GenerationSettings(method, block, identifiers, count, attempts)
    source = Source(
        corpus,
        entities,
        tuple(named(text_fields)),
        tuple(recognizer or ()),
        tuple(named(languages)),
        paragraphs,
    )
    sampler = sampler_of(
        method,
        options,
        prefix,
        SamplingSettings(most_tokens=most_tokens),
        allow_plaintext=allow_plaintext,
    )
    try:
        documents = documents_of(source)
        key = fiction_key(keys, corpus.name)
        _run(Generation(documents, settings, sampler, key), out, sampler)
    finally:
        sampler.close()


def _run(generation: Generation, out: Path, sampler: CausalSampler | ChatSampler) -> None:
    from sage_rag.common.progress import progress_bars
    from sage_rag.training.controlled.generation import GenerationSummary
    from sage_rag.training.controlled.run import CORPUS, run_generation

    summary = GenerationSummary()
    with progress_bars() as progress:
        run_generation(generation, out, sampler.blocking, progress, summary)
    scope = generation.settings.block
    how = "nothing is blocked" if scope is Block.NONE else f"blocked {sampler.blocking}"
    resumed = f", {summary.resumed} of an earlier run" if summary.resumed else ""
    typer.echo(f"{summary.line()}{resumed}; {how}; in {out / CORPUS}", err=True)
    typer.echo(f"index it: sage-rag index {out / CORPUS} --recipe controlled --name NAME", err=True)
