"""`sage-rag index`: from a corpus to a published, protected index version."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from privacy.cli.options import KeysetFile, KeysetSecret, PassphraseFile, Recognizers
from privacy.exceptions import InputError

if TYPE_CHECKING:
    from agents.protocols import Roles
    from indexer.pipeline import IndexJob, Summary
    from indexer.protocols import Embedder
    from indexer.recipes import Recipe
    from privacy.keyset.keyset import Keyset
    from privacy.protocols import Recognizer


def index(
    corpus: Annotated[Path, typer.Argument(help="A jsonl, txt or md file, or a folder of them.")],
    name: Annotated[str, typer.Option(help="The corpus's name; clients see it as the model.")],
    home: Annotated[Path, typer.Option(help="Where versions and the ledger live.")] = Path("home"),
    keyset: KeysetFile = None,
    passphrase_file: PassphraseFile = None,
    keyset_secret: KeysetSecret = None,
    text_fields: Annotated[
        str | None, typer.Option(help="Fields of a jsonl record, e.g. question,answer.")
    ] = None,
    recipe: Annotated[
        str, typer.Option(help="sage, surrogates, or a baseline: encrypted, redacted, origin.")
    ] = "sage",
    policy: Annotated[
        str | None, typer.Option(help="Instead of the recipe's: a preset, or ./mine.toml.")
    ] = None,
    recognizer: Recognizers = None,
    llm_base_url: Annotated[
        str | None, typer.Option(help="OpenAI-compatible endpoint for the agents, ending in /v1.")
    ] = None,
    llm_model: Annotated[
        str | None, typer.Option(help="Model at that endpoint. Without one, rules do the roles.")
    ] = None,
    concurrency: Annotated[int, typer.Option(min=1, help="Documents at a time with a model.")] = 8,
    allow_plaintext: Annotated[
        bool,
        typer.Option(
            "--allow-plaintext", help="Needed for recipe origin: its index holds plain identifiers."
        ),
    ] = False,
) -> None:
    """Protect a corpus, rewrite it into synthetic records, and publish it as an index version.

    Can be stopped at any time: started again, it goes on where it was. Documents that do not
    pass the gate are listed in HOME/owner/NAME/quarantine.jsonl and never indexed.

    Example: sage-rag index notes.jsonl --name clinic --keyset clinic.keyset
    """
    from indexer.pipeline import IndexJob, index_corpus
    from indexer.progress import progress_bars
    from indexer.recipes import recipe_called

    chosen = recipe_called(recipe, policy)
    _check(corpus, chosen, allow_plaintext)
    job = IndexJob(
        corpus=corpus,
        text_fields=_fields(text_fields),
        name=name,
        home=home,
        recipe=chosen,
        keyset=_keyset(keyset, passphrase_file, keyset_secret) if chosen.policy else None,
        recognizer=_recognizer(recognizer or [], chosen.policy, llm_base_url, llm_model),
        embedder=_embedder(),
        roles=_roles(llm_base_url, llm_model) if chosen.synthesize else None,
        concurrency=concurrency,
    )
    with progress_bars() as progress:
        summary = asyncio.run(index_corpus(job, progress))
    _print(job, summary)


def _check(corpus: Path, recipe: Recipe, allow_plaintext: bool) -> None:
    if recipe.policy is None and not allow_plaintext:
        raise InputError(
            f"recipe `{recipe.name}` publishes the corpus in clear",
            hint="if that is meant, add --allow-plaintext",
        )
    if not corpus.exists():
        raise InputError(f"there is no corpus at `{corpus}`")


def _fields(text_fields: str | None) -> tuple[str, ...] | None:
    if text_fields is None:
        return None
    fields = tuple(name.strip() for name in text_fields.split(",") if name.strip())
    if not fields or len(set(fields)) < len(fields):
        raise InputError("--text-fields needs different names separated by commas")
    return fields


def _keyset(path: Path | None, passphrase_file: Path | None, secret_file: Path | None) -> Keyset:
    from privacy.keyset.sources import open_whole_keyset

    return open_whole_keyset(path, passphrase_file, secret_file=secret_file)


def _recognizer(
    names: Sequence[str], policy: str | None, base_url: str | None, model: str | None
) -> Recognizer:
    from privacy.policy import load_policy
    from privacy.recognizers.catalog import recognizer_of

    def llm(_: str) -> Recognizer:
        if base_url is None or model is None:
            raise InputError("recognizer `llm` needs --llm-base-url and --llm-model")
        from agents.backends.openai_chat import OpenAIChatModel
        from agents.recognizer import LlmRecognizer

        return LlmRecognizer(OpenAIChatModel(base_url, model))

    thresholds = load_policy(policy).thresholds if policy else None
    return recognizer_of(names, {"llm": llm}, thresholds=thresholds)


def _embedder() -> Embedder:
    from indexer.embedding import SentenceTransformerEmbedder

    return SentenceTransformerEmbedder()


def _roles(base_url: str | None, model: str | None) -> Roles:
    if (base_url is None) != (model is None):
        raise InputError("--llm-base-url and --llm-model belong together")
    if base_url is None or model is None:
        from agents.rules.roles import rules_roles

        return rules_roles()
    from agents.backends.openai_chat import OpenAIChatModel
    from agents.model_roles import model_roles

    return model_roles(OpenAIChatModel(base_url, model))


def _print(job: IndexJob, summary: Summary) -> None:
    rate = summary.documents / summary.seconds if summary.seconds else 0.0
    message = (
        f"published {summary.published} of {summary.documents} documents in "
        f"{summary.seconds:.1f} s ({rate:.0f} a second, {summary.resumed} taken up from before)"
    )
    typer.echo(message, err=True)
    if summary.quarantined:
        reasons = ", ".join(f"{reason} {count}" for reason, count in summary.reasons.items())
        where = job.home / "owner" / job.name / "quarantine.jsonl"
        typer.echo(f"quarantined {summary.quarantined}: {reasons}; see {where}", err=True)
    typer.echo(
        json.dumps(
            {
                "version": str(summary.path),
                "documents": summary.documents,
                "published": summary.published,
                "quarantined": summary.quarantined,
            }
        )
    )
