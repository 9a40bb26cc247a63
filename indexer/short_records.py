"""Short records: the rules cannot reword many of them, so an owner learns of them before a run."""

from __future__ import annotations

from sage_rag.indexer.corpus import Document
from sage_rag.indexer.job import IndexJob
from sage_rag.privacy.words import tokenize

SHORT_WORDS = 45
"""A record of fewer words is short: where a sentence may not be shortened, too few can be moved."""
_NOTABLE = 0.05
"""The share of short records from which a run mentions them."""


def is_short(document: Document) -> bool:
    """Return whether a document is too short to be reworded reliably."""
    return len(tokenize(document.text)) < SHORT_WORDS


def short_records_line(job: IndexJob, short: int, documents: int) -> str | None:
    """Return what to say about `short` records among `documents`, if rules reword them at all."""
    by_rules = job.recipe.refine and job.costs is None
    if not by_rules or not short or short < _NOTABLE * documents:
        return None
    return (
        f"{short} of {documents} records have fewer than {SHORT_WORDS} words; rules cannot reword "
        "many such records, and the gate then refuses them (docs/packages/indexer.md). A model "
        "rewords them; `--recipe encrypted` keeps their wording and hides identifiers only"
    )
