"""`sage-rag generate`: from a private corpus to a synthetic one, by control codes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import typer

from sage_rag.privacy.cli.options import (
    KeysetFile,
    KeysetSecret,
    Languages,
    PassphraseFile,
    Recognizers,
)
from sage_rag.training.cli.controlled_options import (
    AllowPlaintext,
    Attempts,
    BaseUrl,
    BlockName,
    BudgetTokens,
    Corpus,
    Count,
    EntitiesName,
    IdentifierNames,
    MethodName,
    ModelName,
    MostTokens,
    Out,
    Paragraphs,
    PrefixFolder,
    Temperature,
    TextFields,
    TopP,
)
from sage_rag.training.controlled.codes import Identifiers
from sage_rag.training.controlled.names import Block, Entities, Method

if TYPE_CHECKING:
    from pathlib import Path

    from sage_rag.training.controlled.generation import Generation
    from sage_rag.training.controlled.samplers import CausalSampler, ChatSampler


def generate(
    corpus: Corpus,
    out: Out,
    method: MethodName = Method.IN_CONTEXT,
    llm_model: ModelName = None,
    llm_base_url: BaseUrl = None,
    prefix: PrefixFolder = None,
    count: Count = 100,
    block: BlockName = Block.CORPUS,
    identifiers: IdentifierNames = Identifiers.BOTH,
    entities: EntitiesName = Entities.AUTO,
    paragraphs: Paragraphs = 6,
    most_tokens: MostTokens = 400,
    temperature: Temperature = 0.7,
    top_p: TopP = 0.9,
    attempts: Attempts = 5,
    text_fields: TextFields = None,
    recognizer: Recognizers = None,
    languages: Languages = None,
    keyset: KeysetFile = None,
    passphrase_file: PassphraseFile = None,
    keyset_secret: KeysetSecret = None,
    allow_plaintext: AllowPlaintext = False,
    budget_tokens: BudgetTokens = None,
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
    from sage_rag.training.controlled import wiring
    from sage_rag.training.controlled.fiction import fiction_key
    from sage_rag.training.controlled.generation import Generation, GenerationSettings
    from sage_rag.training.controlled.sampling import SamplingSettings

    keys = open_whole_keyset(keyset, passphrase_file, secret_file=keyset_secret)
    options = ModelOptions(base_url=llm_base_url, name=llm_model, budget_tokens=budget_tokens)
    settings = GenerationSettings(method, block, identifiers, count, attempts)
    fields, spoken = tuple(wiring.named(text_fields)), tuple(wiring.named(languages))
    source = wiring.Source(corpus, entities, fields, tuple(recognizer or ()), spoken, paragraphs)
    sampling = SamplingSettings(most_tokens, temperature, top_p)
    sampler = wiring.sampler_of(method, options, prefix, sampling, allow_plaintext=allow_plaintext)
    try:
        whole = wiring.whole_documents(source)
        key = fiction_key(keys, corpus.name)
        pieces = wiring.pieces_of_all(whole, source)
        made = Generation(pieces, settings, sampler, key, whole)
        _run(made, out, sampler, corpus.name)
    finally:
        sampler.close()


def _run(
    generation: Generation, out: Path, sampler: CausalSampler | ChatSampler, corpus: str
) -> None:
    from sage_rag.common.counting import counted
    from sage_rag.common.progress import progress_bars
    from sage_rag.training.controlled.generation import GenerationSummary
    from sage_rag.training.controlled.run import CORPUS, run_generation

    summary = GenerationSummary()
    try:
        with progress_bars() as progress:
            run_generation(generation, out, sampler.blocking, progress, summary, corpus=corpus)
    finally:  # it may be why no text can be used
        if sampler.cut:
            verb = "was" if sampler.cut == 1 else "were"
            typer.echo(
                f"{counted(sampler.cut, 'prompt')} {verb} longer than the model reads, and lost "
                "the beginning of the examples: set fewer --paragraphs or --most-tokens",
                err=True,
            )
    scope = generation.settings.block
    how = "nothing is blocked" if scope is Block.NONE else sampler.blocking
    resumed = f", {summary.resumed} of an earlier run" if summary.resumed else ""
    typer.echo(f"{summary.line()}{resumed}; {how}; in {out / CORPUS}", err=True)
    index = f"sage-rag index {out / CORPUS} --recipe controlled --name NAME --keyset FILE"
    typer.echo(f"index it: {index}", err=True)
