"""`sage-rag index`: from a corpus to a published, protected index version."""

from __future__ import annotations

import asyncio
import json
import time
from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer
from typer.core import TyperCommand

from sage_rag.common.counting import counted
from sage_rag.common.exceptions import InputError
from sage_rag.indexer.options import (
    AllowPlaintext,
    AllowRemoval,
    BaseUrl,
    CorpusOrFile,
    DryRun,
    Home,
    Layers,
    ModelName,
    NewName,
    RecipeName,
    Settings,
    Subject,
    Subjects,
    TextFields,
    Workers,
    keyset_of,
    names_in,
)
from sage_rag.privacy.cli.options import KeysetFile, KeysetSecret, PassphraseFile

if TYPE_CHECKING:
    from sage_rag.agents.chat.calls import ModelCalls
    from sage_rag.indexer.corpus_file import CorpusFile
    from sage_rag.indexer.corpus_file_update import CorpusFileUpdate
    from sage_rag.indexer.job import IndexJob, Summary


def index(
    corpus: CorpusOrFile = None,
    name: NewName = None,
    home: Home = Path("home"),
    keyset: KeysetFile = None,
    passphrase_file: PassphraseFile = None,
    keyset_secret: KeysetSecret = None,
    recipe: RecipeName = None,
    text_fields: TextFields = None,
    subject: Subject = None,
    k: Subjects = None,
    layers: Layers = None,
    llm_base_url: BaseUrl = None,
    llm_model: ModelName = None,
    settings: Settings = None,
    workers: Workers = None,
    dry_run: DryRun = False,
    allow_plaintext: AllowPlaintext = False,
    allow_removal: AllowRemoval = False,
) -> None:
    """Protect a corpus and publish it as an index version.

    A new corpus gets recipe `consensus`: passages of what several subjects say; with a model,
    `sage`: each record in other words. --recipe names another.

    The settings are stored in HOME/owner/NAME/corpus.toml, which explains each of them; options
    change them there. After that `sage-rag index NAME` is enough. It can be stopped at any time and
    resumes when it is started again. A later run treats only new and changed documents and forgets
    removed ones; older versions stay until you delete them. For refused ones: `sage-rag review`.

    Example: sage-rag index notes.jsonl --name clinic --keyset clinic.keyset
    """
    from sage_rag.indexer.removal import check_source
    from sage_rag.indexer.wiring import index_job, model_of

    source, name = _source_and_name(corpus, name, home)
    named = {
        "source": source,
        "fields": names_in(text_fields),
        "keyset": keyset,
        "subject": subject,
        "recipe": recipe,
        "layers": names_in(layers),
        "consensus.k": k,
        "model.base_url": llm_base_url,
        "model.name": llm_model,
        "workers": workers,
    }
    update = _update(home, name, named, settings or ())
    chosen = update.corpus
    _refuse_unused(chosen, named, settings or (), passphrase_file, keyset_secret)
    protects = _check(chosen, allow_plaintext)
    keys = keyset_of(keyset, passphrase_file, keyset_secret, chosen) if protects else None
    model = model_of(chosen, update.path.parent, keep=not dry_run)
    job = index_job(chosen, name, home, keys, model=model)
    check_source(job, allow_removal=allow_removal)
    if dry_run:
        _estimate(job)
    else:
        _index(update, job, model)


class IndexCommand(TyperCommand):
    """Name the key of the corpus file that an unknown option may mean."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Parse as typer does.

        Raises:
            InputError: for an option that does not exist.
        """
        known = {o for p in self.get_params(ctx) for o in (*p.opts, *p.secondary_opts)}
        for option in (argument.partition("=")[0] for argument in args):
            if option.startswith("--") and option not in known:
                from sage_rag.indexer.corpus_file import nearest_key

                word = option.strip("-").replace("llm-", "model.").replace("-", "_")
                hint = f"settings are keys of the corpus file: --set {nearest_key(word)}=VALUE"
                raise InputError(f"there is no option `{option}`", hint=hint)
        return super().parse_args(ctx, args)


index.command_class = IndexCommand  # type: ignore[attr-defined]


def _source_and_name(corpus: str | None, name: str | None, home: Path) -> tuple[Path | None, str]:
    """Return the source, unless the corpus file names it, and the corpus's name."""
    from sage_rag.indexer.corpus_file import corpus_file_path

    if name is not None:
        return (Path(corpus) if corpus is not None else None), name
    if corpus is None:
        raise InputError("no corpus is named", hint="sage-rag index NAME, or FILE --name NAME")
    if not Path(corpus).exists():
        if not corpus_file_path(home, corpus).exists():
            hint = f"for a new one: sage-rag index FILE --name {corpus}"
            raise InputError(
                f"`{home}` has no corpus `{corpus}`, and no such file exists", hint=hint
            )
        return None, corpus
    known = (home / "owner" / corpus / "corpus.toml").exists()
    if known and "/" not in corpus:
        hint = f"the corpus: sage-rag index --name {corpus}; the file: add --name NAME"
        raise InputError(f"`{corpus}` is a corpus and also a file", hint=hint)
    raise InputError("--name is missing", hint=f"sage-rag index {corpus} --name NAME")


def _update(
    home: Path, name: str, named: Mapping[str, Any], settings: Sequence[str]
) -> CorpusFileUpdate:
    """Return the corpus file with the given settings; a new one gets a recipe."""
    from sage_rag.indexer.corpus_file import corpus_file_path, settings_of
    from sage_rag.indexer.corpus_file_update import default_recipe, update_corpus_file

    path, changes = corpus_file_path(home, name), settings_of(named, settings)
    if not path.exists() and not changes.get("recipe"):
        changes["recipe"] = default_recipe(changes)
    return update_corpus_file(path, changes)


def _refuse_unused(
    corpus: CorpusFile,
    named: Mapping[str, Any],
    settings: Sequence[str],
    passphrase_file: Path | None,
    keyset_secret: Path | None,
) -> None:
    from sage_rag.indexer.corpus_file import settings_of
    from sage_rag.indexer.unused_options import refuse_unused
    from sage_rag.indexer.wiring import recipe_of

    secrets = {"passphrase_file": passphrase_file, "keyset_secret": keyset_secret}
    given = {**settings_of(named, settings), **secrets}
    refuse_unused(corpus, recipe_of(corpus), [n for n, value in given.items() if value is not None])


def _check(corpus: CorpusFile, allow_plaintext: bool) -> bool:
    """Return whether the recipe protects; say which files of a folder are not read."""
    from sage_rag.indexer.corpus import skipped_line
    from sage_rag.indexer.wiring import recipe_of

    protects = recipe_of(corpus).policy is not None
    if not protects and not allow_plaintext:
        raise InputError(
            f"recipe `{corpus.recipe}` publishes the corpus in clear",
            hint="to do so, add --allow-plaintext",
        )
    if not corpus.source.exists():
        raise InputError(f"there is no corpus at `{corpus.source}`")
    if skipped := skipped_line(corpus.source):
        typer.echo(skipped, err=True)
    return protects


def _estimate(job: IndexJob) -> None:
    from sage_rag.indexer.estimate import estimate, estimate_lines

    estimated = estimate(job, start_s=time.process_time())
    for line in estimate_lines(job, estimated):
        typer.echo(line, err=True)
    typer.echo(json.dumps(asdict(estimated)))


def _index(update: CorpusFileUpdate, job: IndexJob, model: ModelCalls | None) -> None:
    from sage_rag.common.progress import progress_bars
    from sage_rag.indexer.pipeline import index_corpus
    from sage_rag.indexer.reading import CorpusReading

    if update.changed:
        deque(CorpusReading(job).first(), maxlen=0)  # a source that fails is not stored
    update.write()
    if update.changed:
        typer.echo(f"{update.path}: {', '.join(update.changed)}", err=True)

    async def run() -> Summary:
        try:
            return await index_corpus(job, progress, partial(typer.echo, err=True))
        finally:
            if model:
                await model.close()

    before = _passages(job)
    with progress_bars(job.costs.line if job.costs else None) as progress:
        summary = asyncio.run(run())
    if summary.changes.removed or summary.changes.changed:
        _forget_replies(job.owner_folder)
    _print(job, summary)
    if (now := _passages(job)) < before:
        shown = f"this version has {counted(now, 'passage')}, the one before had {before}"
        typer.echo(shown, err=True)


def _passages(job: IndexJob) -> int:
    """Return the number of passages of the current version; 0 if none can be read."""
    from sage_rag.indexer.versions import current_path, read_manifest

    try:
        return read_manifest(current_path(job.home, job.name)).counts["passages"]
    except InputError:
        return 0


def _forget_replies(owner_folder: Path) -> None:
    """Remove all stored answers of a model: some are about removed contents."""
    from sage_rag.indexer.wiring import REPLIES

    for path in owner_folder.glob(f"{REPLIES}*"):
        path.unlink()


def _print(job: IndexJob, summary: Summary) -> None:
    from sage_rag.indexer.anonymity import anonymity_line
    from sage_rag.indexer.consensus.figures import consensus_lines
    from sage_rag.indexer.coverage import refused_languages, uncovered_line
    from sage_rag.indexer.reporting import blank_line, fit_line, kept_line

    treated = summary.documents - summary.resumed
    rate = treated / summary.seconds if summary.seconds else 0.0
    what = "passages from" if summary.consensus else "of"
    message = (
        f"published {summary.published} {what} {counted(summary.documents, 'document')} in "
        f"{summary.seconds:.1f} s ({treated} treated, {rate:,.1f} a second; "
        f"{summary.resumed} resumed)"
    )
    typer.echo(message, err=True)
    if summary.blank:
        typer.echo(blank_line(summary.blank), err=True)
    changes = summary.changes
    typer.echo(
        f"since the last version: {changes.added} added, {changes.changed} changed, "
        f"{changes.removed} removed",
        err=True,
    )
    for line in consensus_lines(summary.consensus) if summary.consensus else ():
        typer.echo(line, err=True)
    if fit := fit_line(job, summary):
        typer.echo(fit, err=True)
    if summary.anonymity:
        typer.echo(anonymity_line(summary.anonymity), err=True)
    if summary.kept:
        typer.echo(kept_line(summary.kept), err=True)
    if job.costs:
        typer.echo(f"the model: {job.costs.line()}", err=True)
    if summary.unfollowed:
        reasons = ", ".join(f"{reason} {count}" for reason, count in summary.unfollowed.items())
        typer.echo(f"accepted or edited drafts that were not published: {reasons}", err=True)
    if summary.quarantined:
        reasons = ", ".join(f"{reason} {count}" for reason, count in summary.reasons.items())
        where = job.owner_folder / "quarantine.jsonl"
        typer.echo(f"quarantined {summary.quarantined}: {reasons}; see {where}", err=True)
        if languages := refused_languages(summary.reasons):
            typer.echo(f"of these, {uncovered_line(languages)}", err=True)
        typer.echo(f"hint: sage-rag review {job.name} --home {job.home}", err=True)
    typer.echo(
        json.dumps(
            {
                "version": str(summary.path),
                "documents": summary.documents,
                "blank": summary.blank,
                **asdict(changes),
                "published": summary.published,
                "quarantined": summary.quarantined,
                "languages_refused": refused_languages(summary.reasons),
            }
        )
    )
