"""Stop a run on a wrong corpus, or on a ledger that was lost, before it writes anything."""

from __future__ import annotations

import json
from contextlib import closing, suppress
from pathlib import Path

from sage_rag.common.counting import counted
from sage_rag.common.exceptions import InputError, ProtectionError
from sage_rag.indexer.changes import changes, key_of
from sage_rag.indexer.corpus import read_corpus
from sage_rag.indexer.job import IndexJob
from sage_rag.indexer.ledger import Ledger
from sage_rag.indexer.treatment import DROPPED
from sage_rag.indexer.versions import REPORT, corpus_folder, current_path, list_versions

_MOST = 0.5
"""The share of the documents that a run removes without being asked to."""
_FEW = 10
"""Fewer removed documents are indexed again in seconds."""


def check_source(job: IndexJob, *, allow_removal: bool) -> None:
    """Compare corpus and ledger with the last version, before anything is written.

    Raises:
        InputError: as `check_removal`, unless `allow_removal`.
        ProtectionError: as `check_drops`.
    """
    if not allow_removal:
        check_removal(job)
    check_drops(job)


def check_removal(job: IndexJob) -> None:
    """Compare the corpus with the last version, before anything is written.

    Raises:
        InputError: when most documents of the last version are no longer in the corpus.
    """
    path = job.owner_folder / "ledger.sqlite"
    if not path.exists():
        return
    with closing(Ledger(path, read_only=True)) as ledger:
        before = ledger.documents()
    if len(before) < _FEW:
        return
    keys = map(key_of, read_corpus(job.source, job.fields, job.subject))
    now = {key.document_hash: key.content_hash for key in keys}
    removed = changes(before, now).removed
    if removed >= _FEW and removed > _MOST * len(before):
        raise InputError(
            f"`{job.source}` lacks {removed} of the {len(before)} documents of `{job.name}`; "
            "nothing was changed",
            hint="if it is the right source and they are to be removed, add --allow-removal",
        )


def check_drops(job: IndexJob) -> None:
    """Compare a new ledger with the last version: only the ledger knows which records were dropped.

    Raises:
        ProtectionError: when the last version left out records that a person had dropped, or does
            not say whether it did, and the ledger has neither their drops nor a published document.
    """
    version = _last_version(job)
    path = job.owner_folder / "ledger.sqlite"
    if version is None:
        return
    dropped = _dropped(version)
    if dropped == 0 or (path.exists() and _is_continued(job, path, dropped)):
        return
    start = f"version {int(version.name)} of `{job.name}`"
    said = f"{start} left out {counted(dropped or 0, 'record')} dropped in review, and the ledger"
    if dropped is None:
        said = f"the report of {start} cannot be read, so records may have been dropped in review;"
        said += " the ledger"
    raise ProtectionError(
        f"{said} does not know all of them; nothing was changed",
        hint=f"restore `{path}`, or drop them again: sage-rag review {job.name} --home {job.home}"
        f" --drop ID; to publish all, move `{corpus_folder(job.home, job.name)}` away",
    )


def _last_version(job: IndexJob) -> Path | None:
    """Return the current version; without a readable pointer the newest one, if there is one."""
    with suppress(InputError):
        return current_path(job.home, job.name)
    folder = corpus_folder(job.home, job.name)
    numbers = list_versions(folder)
    return folder / "versions" / numbers[-1] if numbers else None


def _is_continued(job: IndexJob, path: Path, dropped: int | None) -> bool:
    """Return whether the ledger is that of earlier runs, or holds their drops again.

    `dropped`: how many; if it is not known, one drop shows that a person cared for them.
    """
    with closing(Ledger(path, read_only=True)) as ledger:
        if ledger.documents():
            return True
        if dropped is None or not ledger.has_drops():
            return ledger.has_drops()
        keys = map(key_of, read_corpus(job.source, job.fields, job.subject))
        decisions = [ledger.decision(key.names) for key in keys]
        return sum(d is not None and d.verb == "drop" for d in decisions) >= dropped


def _dropped(version: Path) -> int | None:
    """Return how many records a version left out because of review; `None` if it does not say."""
    with suppress(OSError, ValueError, KeyError, TypeError, AttributeError):
        return int(json.loads((version / REPORT).read_text("utf-8"))["reasons"].get(DROPPED, 0))
    return None
