"""`sage-rag audit`: check that at least k subjects say what a version publishes."""

from __future__ import annotations

import asyncio
import json
import os
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from sage_rag.common.counting import counted
from sage_rag.common.exceptions import InputError
from sage_rag.indexer.options import Subject, TextFields, keyset_of, names_in
from sage_rag.privacy.cli.options import KeysetFile, KeysetSecret, PassphraseFile

if TYPE_CHECKING:
    from sage_rag.indexer.consensus.audit import ConsensusAudit
    from sage_rag.indexer.corpus_file import CorpusFile
    from sage_rag.indexer.versions import Manifest
    from sage_rag.privacy.keyset.keyset import Keyset


def audit(
    version: Annotated[Path, typer.Argument(help="The folder of a version.", show_default=False)],
    corpus: Annotated[
        Path, typer.Option(help="The documents, or their corpus.toml.", show_default=False)
    ],
    keyset: KeysetFile = None,
    passphrase_file: PassphraseFile = None,
    keyset_secret: KeysetSecret = None,
    text_fields: TextFields = None,
    subject: Subject = None,
) -> None:
    """Protect the documents again, count who says what, and judge every passage of the consensus.

    Prints one line for each finding, and exits with 1 if there is one. A key is needed only where
    the policy writes surrogates. The documents must be those of the version, by the same settings.

    Example: sage-rag audit home/corpora/clinic/versions/000001 --corpus notes.jsonl
    """
    from sage_rag.indexer.consensus.audit import audited_k
    from sage_rag.indexer.versions import open_version, version_path

    opened = open_version(version_path(version), verify=True)
    manifest = opened.manifest
    k = audited_k(manifest)
    settings = _settings(corpus, text_fields, subject, manifest)
    keys = _keys(keyset, passphrase_file, keyset_secret, settings)
    checked = _counted(settings, manifest.corpus, keys)
    found = 0
    for finding in checked.findings(opened, k):
        found += 1
        typer.echo(json.dumps(asdict(finding)))
    opened.close()
    counts, before = checked.counts, manifest.counts["documents"]
    if counts.documents != before:
        said = f"the corpus has {counted(counts.documents, 'document')}, the version was made of"
        typer.echo(f"warning: {said} {before}", err=True)
    typer.echo(
        f"{counted(found, 'finding')} in {counted(counts.passages, 'passage')} at k = {k}, by "
        f"{counted(counts.documents, 'document')} of {counted(counts.subjects, 'subject')} "
        f"({counts.refused} refused)",
        err=True,
    )
    if found:
        raise typer.Exit(1)


def _counted(settings: CorpusFile, name: str, keys: Keyset) -> ConsensusAudit:
    """Protect and count the documents; a model is built only for a recognizer that asks one."""
    from sage_rag.common.progress import progress_bars
    from sage_rag.indexer.consensus.audit import ConsensusAudit
    from sage_rag.indexer.corpus import read_corpus
    from sage_rag.indexer.job import treatment_of
    from sage_rag.indexer.wiring import asks_a_model, index_job, model_of

    reads = any(map(asks_a_model, settings.recognizers))
    model = model_of(settings, Path(), keep=False) if reads else None
    try:
        job = index_job(settings, name, Path(), keys, model=model, agents=False)
        treatment = treatment_of(job)
        if treatment is None:
            raise InputError("the settings of the corpus protect nothing")
        documents = [*read_corpus(settings.source, settings.fields, settings.subject)]
        with progress_bars() as progress:
            return ConsensusAudit(documents, treatment, progress)
    finally:
        if model:
            asyncio.run(model.close())


def _settings(
    corpus: Path, text_fields: str | None, subject: str | None, manifest: Manifest
) -> CorpusFile:
    """Return the settings of the corpus file, or of the documents with the recipe's defaults.

    Raises:
        InputError: when the policy is not that of the version.
    """
    from sage_rag.indexer.corpus_file import read_corpus_file, settings_of, validated
    from sage_rag.indexer.passages import CONSENSUS
    from sage_rag.indexer.wiring import recipe_of
    from sage_rag.privacy.policy import load_policy

    if corpus.suffix == ".toml":
        if text_fields or subject:
            raise InputError(f"`{corpus}` already sets fields and subject")
        settings = read_corpus_file(corpus)
    else:
        named = {
            "source": corpus,
            "fields": names_in(text_fields),
            "subject": subject,
            "policy": manifest.policy,
        }
        settings = validated(settings_of({**named, "recipe": CONSENSUS}), "--corpus")
    settings = settings.model_copy(update={"recipe": CONSENSUS, "layers": None, "gate": {}})
    if load_policy(recipe_of(settings).policy or "").name != manifest.policy:
        raise InputError(f"the version was made under the policy `{manifest.policy}`")
    return settings


def _keys(
    keyset: Path | None, passphrase: Path | None, secret: Path | None, settings: CorpusFile
) -> Keyset:
    """Return the given keyset, or a new one where no key changes a protected text."""
    from sage_rag.indexer.wiring import recipe_of
    from sage_rag.privacy.entities import EntityType
    from sage_rag.privacy.keyset.keyset import Keyset
    from sage_rag.privacy.keyset.sources import RAW_VARIABLE
    from sage_rag.privacy.policy import Operator, load_policy

    if keyset or secret or os.environ.get(RAW_VARIABLE):
        return keyset_of(keyset, passphrase, secret, None)
    policy = load_policy(recipe_of(settings).policy or "")
    if any(policy.operator(t) is Operator.SURROGATE for t in EntityType):
        raise InputError(f"policy `{policy.name}` writes surrogates", hint="add --keyset")
    return Keyset.generate()
