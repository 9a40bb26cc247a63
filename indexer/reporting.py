"""The manifest fields and the report of a run."""

from __future__ import annotations

import resource
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from sage_rag.agents.protocols import CorpusAttributes
from sage_rag.indexer.anonymity import anonymity_figures
from sage_rag.indexer.job import IndexJob, Summary
from sage_rag.indexer.ledger import Result
from sage_rag.privacy.gate.limits import Limit
from sage_rag.privacy.policy import load_policy


def manifest_of(job: IndexJob, summary: Summary) -> dict[str, Any]:
    """Return the fields of the manifest that depend on the run."""
    return {
        "corpus": job.name,
        "recipe": job.recipe.name,
        "protection": job.recipe.protection,
        "policy": load_policy(job.recipe.policy).name if job.recipe.policy else None,
        "agents": job.roles.fingerprint if job.roles and job.recipe.synthesize else None,
        "embedder": job.embedder.name,
        "key_ids": (job.keyset.primary,) if job.keyset and job.recipe.policy else (),
        "counts": {
            "documents": summary.documents,
            "passages": summary.published,
            "quarantined": summary.quarantined,
        },
    }


def report_of(
    job: IndexJob,
    summary: Summary,
    published: Sequence[Result],
    attributes: CorpusAttributes,
    limits: Mapping[str, Limit] | None,
) -> dict[str, Any]:
    """Return figures of the run; they go to the server, so they name no document."""
    rouge = [r.rouge_l for r in published]
    return {
        "recipe": job.recipe.name,
        "documents": summary.documents,
        "changes": asdict(summary.changes),
        "published": summary.published,
        "quarantined": summary.quarantined,
        "reasons": summary.reasons,
        "resumed": summary.resumed,
        "redrafted": summary.redrafted,
        "reviewed": summary.reviewed,
        "seconds": round(summary.seconds, 2),
        "peak_memory_bytes": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024,
        "rounds": dict(sorted(Counter(str(r.rounds) for r in published).items())),
        "longest_shared_run": max((r.longest_run for r in published), default=None),
        "rouge_l_max": max(rouge, default=None),
        "rouge_l_mean": round(sum(rouge) / len(rouge), 4) if rouge else None,
        "quasi_identifiers": anonymity_figures(job.recipe, published, job.recognizer),
        "attributes": [a.name for a in attributes.entries],
        "gate": dict(limits) if limits else None,
        "model": job.costs.snapshot() if job.costs else None,
    }
