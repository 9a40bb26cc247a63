"""Stop a run that would remove most published documents: its source may be a wrong one."""

from __future__ import annotations

from contextlib import closing

from sage_rag.common.exceptions import InputError
from sage_rag.indexer.changes import changes, key_of
from sage_rag.indexer.corpus import read_corpus
from sage_rag.indexer.job import IndexJob
from sage_rag.indexer.ledger import Ledger

_MOST = 0.5
"""The share of the documents that a run removes without being asked to."""
_FEW = 10
"""Fewer removed documents are indexed again in seconds."""


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
