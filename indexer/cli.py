"""`sage-rag index`: from a corpus to a published, protected index version."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Sequence
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from sage_rag.agents.chat.options import ModelOptions, with_model_options
from sage_rag.common.exceptions import InputError
from sage_rag.indexer.options import (
    Adversary,
    AgentOptions,
    AllowPlaintext,
    AttributesName,
    AttributesPerField,
    Concurrency,
    DomainName,
    DryRun,
    EngineName,
    EngineOption,
    Home,
    PolicyName,
    RecipeName,
    TextFields,
    TwoCalls,
    Workers,
    default_embedder,
    endpoint_recognizer,
    keyset_of,
    parsed_fields,
    recognizer_named,
    working_recognizer,
)
from sage_rag.privacy.cli.options import KeysetFile, KeysetSecret, PassphraseFile, Recognizers

if TYPE_CHECKING:
    from sage_rag.agents.chat.calls import ModelCalls
    from sage_rag.agents.protocols import Attributes, Roles
    from sage_rag.agents.refinement import RefinementOptions
    from sage_rag.indexer.job import IndexJob, Summary
    from sage_rag.indexer.protocols import Embedder, Engine
    from sage_rag.indexer.recipes import Recipe

_REPLIES = "replies.sqlite"


@with_model_options
def index(
    corpus: Annotated[Path, typer.Argument(help="A jsonl, txt, md, pdf, docx, html; or a folder.")],
    name: Annotated[str, typer.Option(help="The corpus's name; clients see it as the model.")],
    home: Home = Path("home"),
    keyset: KeysetFile = None,
    passphrase_file: PassphraseFile = None,
    keyset_secret: KeysetSecret = None,
    text_fields: TextFields = None,
    recipe: RecipeName = "sage",
    policy: PolicyName = None,
    recognizer: Recognizers = None,
    attributes: AttributesName = None,
    attributes_per_field: AttributesPerField = 5,
    domain: DomainName = None,
    two_calls: TwoCalls = False,
    adversary: Adversary = False,
    *,
    llm: ModelOptions,
    concurrency: Concurrency = 8,
    engine: EngineOption = EngineName.LOCAL,
    workers: Workers = 1,
    dry_run: DryRun = False,
    allow_plaintext: AllowPlaintext = False,
) -> None:
    """Protect a corpus, rewrite it into synthetic records, and publish it as an index version.

    Can be stopped at any time: started again, it goes on where it was. A later run treats only
    what is new or changed, and forgets what was removed; older versions stay until you delete
    them. Documents that do not pass the gate are never indexed: see `sage-rag review`.

    Example: sage-rag index notes.jsonl --name clinic --keyset clinic.keyset
    """
    from sage_rag.indexer.job import IndexJob
    from sage_rag.indexer.recipes import recipe_called

    agents = AgentOptions(attributes_per_field, domain, two_calls, adversary)
    chosen = recipe_called(recipe, policy or _policy(domain))
    _check(corpus, chosen, allow_plaintext)
    fields = parsed_fields(text_fields)
    model = _model(llm, home / "owner" / name, concurrency, keep=not dry_run)
    names = recognizer or []
    reads, embedder = recognizer_named(names, chosen.policy, model), default_embedder()
    job = IndexJob(
        corpus=corpus,
        text_fields=fields,
        name=name,
        home=home,
        recipe=chosen,
        keyset=keyset_of(keyset, passphrase_file, keyset_secret) if chosen.policy else None,
        recognizer=reads,
        embedder=embedder,
        roles=_roles(chosen, model, agents, embedder),
        concurrency=concurrency,
        attributes=_attributes(attributes, chosen, corpus, fields),
        refinement=_refinement(model, agents),
        accounts=model.accounts if model else None,
        engine=_engine(engine, workers, names, chosen.policy, model, concurrency, embedder),
    )
    _estimate(job) if dry_run else _index(job, model)


def _check(corpus: Path, recipe: Recipe, allow_plaintext: bool) -> None:
    if recipe.policy is None and not allow_plaintext:
        raise InputError(
            f"recipe `{recipe.name}` publishes the corpus in clear",
            hint="if that is meant, add --allow-plaintext",
        )
    if not corpus.exists():
        raise InputError(f"there is no corpus at `{corpus}`")


def _model(
    options: ModelOptions, owner_folder: Path, concurrency: int, *, keep: bool
) -> ModelCalls | None:
    """Return the one model of the run; without `keep` it leaves no answers on disk."""
    if not options.given:
        return None
    from sage_rag.agents.chat.options import chat_model
    from sage_rag.indexer.versions import corpus_folder

    corpus_folder(owner_folder.parent.parent, owner_folder.name)  # a name that is no path
    if keep:
        owner_folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    cache = owner_folder / _REPLIES if keep else None
    return chat_model(options, concurrency=concurrency, cache=cache)


def _policy(domain: str | None) -> str | None:
    if domain is None:
        return None
    from sage_rag.agents.model.domains import load_domain

    return load_domain(domain).policy


def _roles(
    recipe: Recipe, model: ModelCalls | None, options: AgentOptions, embedder: Embedder
) -> Roles | None:
    if options != AgentOptions() and (recipe.method != "sage" or model is None):
        raise InputError(
            "--attributes-per-field, --domain, --two-calls and --adversary need recipe `sage` "
            "and a model"
        )
    if not recipe.synthesize:
        return None
    if recipe.method != "sage":
        from sage_rag.agents.baselines import baseline_roles

        return baseline_roles(recipe.method, model)
    if model is None:
        from sage_rag.agents.rules.roles import rules_roles

        return rules_roles(embedder)
    return _model_roles(model, options)


def _model_roles(model: ModelCalls, options: AgentOptions) -> Roles:
    from sage_rag.agents.model.domains import load_domain
    from sage_rag.agents.model.roles import model_roles

    return model_roles(
        model,
        joined=not options.two_calls,
        attributes_per_field=options.attributes_per_field or None,
        domain=load_domain(options.domain) if options.domain else None,
    )


def _attributes(
    wanted: str | None, recipe: Recipe, corpus: Path, fields: Sequence[str] | None
) -> Attributes | None:
    if wanted is None:
        return None
    if recipe.method != "sage":
        raise InputError(f"recipe `{recipe.name}` takes no --attributes")
    from sage_rag.agents.attributes import load_attributes
    from sage_rag.indexer.corpus import read_corpus

    return load_attributes(wanted, list(next(read_corpus(corpus, fields)).fields))


def _refinement(model: ModelCalls | None, options: AgentOptions) -> RefinementOptions:
    """Return how records are refined: agents that wait for a model work as a team."""
    from sage_rag.agents.refinement import DEFAULT_OPTIONS, RefinementOptions

    if model is None:
        return DEFAULT_OPTIONS
    from sage_rag.agents.model.adversary import ModelAdversary
    from sage_rag.agents.team.conversation import team

    attacker = ModelAdversary(model) if options.adversary else None
    return RefinementOptions(adversary=attacker, conversation=team)


def _engine(
    engine: EngineName,
    workers: int,
    names: Sequence[str],
    policy: str | None,
    model: ModelCalls | None,
    threads: int,
    embedder: Embedder,
) -> Callable[[], Engine] | None:
    """Return what starts the engine; `None` for one process and no recognizer that waits.

    A recognizer that asks a model stays here, with the model's budget: workers get none.
    """
    endpoint = endpoint_recognizer(names, model)
    if engine is EngineName.LOCAL and workers == 1:
        if endpoint is None:
            return None
        from sage_rag.indexer.engines.local import in_process

        reads = working_recognizer(names, policy)
        return partial(in_process, reads, embedder, threads=threads, endpoint=endpoint)
    from sage_rag.indexer.engines.models import ModelSetup

    tools = ModelSetup(partial(working_recognizer, tuple(names), policy), default_embedder)
    if engine is EngineName.RAY:
        from sage_rag.indexer.engines.ray import on_ray

        return partial(on_ray, tools, workers, threads=threads, endpoint=endpoint)
    from sage_rag.indexer.engines.local import on_processes

    return partial(on_processes, tools, workers, threads=threads, endpoint=endpoint)


def _estimate(job: IndexJob) -> None:
    from sage_rag.indexer.estimate import estimate, estimate_lines

    estimated = estimate(job)
    for line in estimate_lines(estimated):
        typer.echo(line, err=True)
    typer.echo(json.dumps(asdict(estimated)))


def _index(job: IndexJob, model: ModelCalls | None) -> None:
    from sage_rag.indexer.pipeline import index_corpus
    from sage_rag.indexer.progress import progress_bars

    async def run() -> Summary:
        try:
            return await index_corpus(job, progress)
        finally:
            if model:
                await model.close()

    with progress_bars(job.accounts.line if job.accounts else None) as progress:
        summary = asyncio.run(run())
    if summary.changes.removed or summary.changes.changed:
        _forget_replies(job.owner_folder)
    _print(job, summary)


def _forget_replies(owner_folder: Path) -> None:
    """Remove a model's answers about contents that the corpus has no longer, and all others."""
    for path in owner_folder.glob(f"{_REPLIES}*"):
        path.unlink()


def _print(job: IndexJob, summary: Summary) -> None:
    rate = summary.documents / summary.seconds if summary.seconds else 0.0
    message = (
        f"published {summary.published} of {summary.documents} documents in "
        f"{summary.seconds:.1f} s ({rate:.0f} a second, {summary.resumed} taken up from before)"
    )
    typer.echo(message, err=True)
    changes = summary.changes
    typer.echo(
        f"since the last version: {changes.added} added, {changes.changed} changed, "
        f"{changes.removed} removed",
        err=True,
    )
    if job.accounts:
        typer.echo(f"the model: {job.accounts.line()}", err=True)
    if summary.quarantined:
        reasons = ", ".join(f"{reason} {count}" for reason, count in summary.reasons.items())
        where = job.owner_folder / "quarantine.jsonl"
        typer.echo(f"quarantined {summary.quarantined}: {reasons}; see {where}", err=True)
        typer.echo(f"hint: sage-rag review {job.name} --corpus {job.corpus}", err=True)
    typer.echo(
        json.dumps(
            {
                "version": str(summary.path),
                "documents": summary.documents,
                **asdict(changes),
                "published": summary.published,
                "quarantined": summary.quarantined,
            }
        )
    )
