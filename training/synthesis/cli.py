"""`sage-rag synthesize`: from a corpus to shards of encrypted training text."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from sage_rag.common.counting import counted
from sage_rag.common.exceptions import InputError
from sage_rag.privacy.cli.options import (
    KeysetFile,
    KeysetSecret,
    Languages,
    PassphraseFile,
    Recognizers,
    split_names,
)
from sage_rag.training.synthesis.encryption import CipherName, When
from sage_rag.training.synthesis.options import (
    BaseUrl,
    BudgetTokens,
    Cipher,
    ContextName,
    Contexts,
    Corpus,
    CorpusName,
    Encrypt,
    Members,
    ModelName,
    Out,
    PolicyName,
    RecipeName,
    Seed,
    TextFields,
    TokenizerFile,
    Tokens,
)
from sage_rag.training.synthesis.recipes import Recipe

if TYPE_CHECKING:
    from sage_rag.agents.chat.calls import ModelCalls
    from sage_rag.privacy.keyset.keyset import Keyset
    from sage_rag.training.synthesis.asking import Asking
    from sage_rag.training.synthesis.run import SynthesisJob
    from sage_rag.training.synthesis.samples import CountTokens
    from sage_rag.training.synthesis.synthesis import Choices
    from sage_rag.training.synthesis.wiring import Parts


def synthesize(
    corpus: Corpus,
    out: Out,
    name: CorpusName = None,
    keyset: KeysetFile = None,
    passphrase_file: PassphraseFile = None,
    keyset_secret: KeysetSecret = None,
    policy: PolicyName = "soe-all",
    recognizer: Recognizers = None,
    languages: Languages = None,
    text_fields: TextFields = None,
    recipe: RecipeName = Recipe.SOE,
    k: Members = 5,
    tokens: Tokens = 5_000,
    tokenizer: TokenizerFile = None,
    cipher: Cipher = CipherName.SIV,
    encrypt: Encrypt = When.BEFORE,
    contexts: Contexts = ContextName.WORDS,
    seed: Seed = 0,
    llm_base_url: BaseUrl = None,
    llm_model: ModelName = None,
    budget_tokens: BudgetTokens = None,
) -> None:
    """Synthesise training text about a corpus's entities, with their values encrypted.

    Each document gives a weighted graph of its entities; each entity and its strongest neighbours
    give descriptions, relation analyses and questions with answers. OUT/shard-*.jsonl and
    OUT/manifest.json can be given away; OUT/owner stays with the owner. It holds the ledger, the
    codebook and graphs.html, which draws the graphs.

    A model reads placeholders such as [PERSON_1] instead of entities. Only with --recognizer llm it
    reads the documents in clear, to find them: its endpoint must be the owner's own.

    Example: sage-rag synthesize notes.jsonl --keyset clinic.keyset --out notes-shards
    """
    from sage_rag.training.synthesis.asking import Asking
    from sage_rag.training.synthesis.run import check_folder
    from sage_rag.training.synthesis.synthesis import Choices
    from sage_rag.training.synthesis.wiring import Parts

    keys = _keys(cipher, keyset, passphrase_file, keyset_secret)
    parts = Parts(
        policy=policy,
        recognizers=tuple(recognizer or ()),
        languages=tuple(split_names(languages, "--languages")) if languages is not None else (),
        corpus=name or _name_of(corpus),
        cipher=cipher,
        when=encrypt,
        contexts=contexts,
    )
    fields = split_names(text_fields, "--text-fields") if text_fields is not None else []
    choices = Choices(recipe, k, tokens, seed=seed)
    check_folder(out, parts.corpus)  # before the model's replies are stored there
    model = _model(llm_base_url, llm_model, budget_tokens, out)
    asking = Asking(model) if model else None
    try:
        _run(_job(corpus, fields, out, parts, choices, keys, asking, tokenizer), model)
    finally:
        if asking is not None:
            asking.close()


def _name_of(corpus: Path) -> str:
    return corpus.name.partition(".")[0] or "corpus"


def _keys(
    cipher: CipherName, path: Path | None, passphrase_file: Path | None, secret: Path | None
) -> Keyset | None:
    from sage_rag.privacy.keyset.sources import open_whole_keyset

    if cipher is not CipherName.PLAIN:
        return open_whole_keyset(path, passphrase_file, secret_file=secret)
    if path is not None or secret is not None:
        raise InputError("`--cipher plain` uses no keyset", hint="leave out one of them")
    return None


def _model(
    base_url: str | None, name: str | None, budget_tokens: int | None, out: Path
) -> ModelCalls | None:
    if base_url is None and name is None and budget_tokens is None:
        return None
    from sage_rag.agents.chat.options import ModelOptions, chat_model
    from sage_rag.training.owner_folder import made_owner_folder

    options = ModelOptions(base_url=base_url, name=name, budget_tokens=budget_tokens)
    return chat_model(options, cache=made_owner_folder(out) / "replies.sqlite")


def _job(
    corpus: Path,
    fields: list[str],
    out: Path,
    parts: Parts,
    choices: Choices,
    keys: Keyset | None,
    asking: Asking | None,
    tokenizer: Path | None,
) -> SynthesisJob:
    from sage_rag.training.synthesis.corpus import read_documents
    from sage_rag.training.synthesis.wiring import synthesis_job

    documents = read_documents(corpus, fields)
    if tokenizer is None:
        return synthesis_job(documents, out, parts, choices, keys, asking=asking)
    count, name = _counter(tokenizer)
    return synthesis_job(
        documents, out, parts, choices, keys, asking=asking, count=count, count_name=name
    )


def _counter(path: Path) -> tuple[CountTokens, str]:
    """Return what counts tokens by a tokenizer's file, and a name that changes with the file."""
    from tokenizers import Tokenizer

    try:
        content = path.read_bytes()
        loaded = Tokenizer.from_buffer(content)
    except Exception:  # noqa: BLE001 - the library raises a bare Exception
        raise InputError(f"`{path}` is not a tokenizer", hint="give a tokenizer.json") from None
    name = hashlib.sha256(content).hexdigest()[:12]
    return lambda text: len(loaded.encode(text, add_special_tokens=False).ids), name


def _run(job: SynthesisJob, model: ModelCalls | None) -> None:
    from sage_rag.common.progress import progress_bars
    from sage_rag.training.synthesis.run import Summary, raise_for_failures, run_synthesis

    summary = Summary()
    with progress_bars(summary.line) as progress:
        run_synthesis(job, progress, summary)
    resumed = f" ({summary.resumed} of an earlier run)" if summary.resumed else ""
    typer.echo(
        f"{counted(summary.documents - len(summary.failures), 'document')}{resumed}, "
        f"{counted(summary.samples, 'sample')}, {summary.line()}, "
        f"{counted(len(summary.shards), 'shard')} in {job.folder}",
        err=True,
    )
    if model is not None:
        typer.echo(f"the model: {model.costs.line()}", err=True)
    raise_for_failures(summary)
