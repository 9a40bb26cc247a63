"""The manifest fields and the report of a run."""

from __future__ import annotations

import resource
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

import numpy as np

from sage_rag.agents.protocols import CorpusAttributes
from sage_rag.common.counting import counted
from sage_rag.indexer.anonymity import anonymity_figures
from sage_rag.indexer.coverage import refused_languages
from sage_rag.indexer.job import IndexJob, Summary
from sage_rag.indexer.ledger import Result
from sage_rag.indexer.passages import CONSENSUS
from sage_rag.privacy.entities import EntityType
from sage_rag.privacy.gate.kept import Kept
from sage_rag.privacy.gate.limits import Limit
from sage_rag.privacy.policy import Operator, load_policy

_QUANTILES = (0.1, 0.5, 0.9, 1.0)
_HALF = 0.5
"""The paper's limit of ROUGE-L. Source: Zeng et al. (2024), arXiv 2406.14773, §4.3."""


def manifest_of(job: IndexJob, summary: Summary) -> dict[str, Any]:
    """Return the fields of the manifest that depend on the run."""
    return {
        "corpus": job.name,
        "recipe": job.recipe.name,
        "protection": job.recipe.protection,
        "policy": load_policy(job.recipe.policy).name if job.recipe.policy else None,
        "agents": _agents(job),
        "embedder": job.embedder.name,
        "key_ids": (job.keyset.primary,) if job.keyset and job.recipe.policy else (),
        "counts": {
            "documents": summary.documents,
            "passages": summary.published,
            "quarantined": summary.quarantined,
        },
        "answer_fields": job.answer_fields,
        "k": job.consensus.k if CONSENSUS in job.layers else None,
    }


def _agents(job: IndexJob) -> str | None:
    """Return the names of what wrote records and consensus; `None` for rules of the consensus."""
    agents = [job.roles.fingerprint] if job.roles and job.recipe.synthesize else []
    writer = [job.consensus_writer.fingerprint] if job.consensus_writer else []
    return " ".join(agents + writer) or None


def run_report(job: IndexJob, summary: Summary) -> dict[str, Any]:
    """Return figures of the run; they go to the server, so they name no document."""
    return {
        "recipe": job.recipe.name,
        "documents": summary.documents,
        "changes": asdict(summary.changes),
        "published": summary.published,
        "quarantined": summary.quarantined,
        "reasons": summary.reasons,
        "languages_refused": refused_languages(summary.reasons),
        "resumed": summary.resumed,
        "redrafted": summary.redrafted,
        "reviewed": summary.reviewed,
        "seconds": round(summary.seconds, 2),
        "peak_memory_bytes": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024,
        "model": job.costs.snapshot() if job.costs else None,
    }


def records_report(
    job: IndexJob,
    summary: Summary,
    published: Sequence[Result],
    attributes: CorpusAttributes,
    limits: Mapping[str, Limit] | None,
) -> dict[str, Any]:
    """Return figures of the layer of records, which name no document either."""
    return {
        "rounds": dict(sorted(Counter(str(r.rounds) for r in published).items())),
        "wording": wording_figures(published, limits or {}) if published else None,
        "kept": {kind: {"kept": left, "of": of} for kind, (left, of) in summary.kept.items()},
        "quasi_identifiers": anonymity_figures(job.recipe, published, job.recognizer),
        "attributes": [a.name for a in attributes.entries],
        "gate": dict(limits) if limits else None,
    }


def blank_line(blank: int) -> str:
    """Return in one line how many records were left out because they have no text."""
    return f"left out: {counted(blank, 'record')} without text"


def fit_line(job: IndexJob, summary: Summary) -> str | None:
    """Return in one line whose questions the version fits; `None` for a plain corpus."""
    if job.recipe.policy is None:
        return None
    figures = summary.consensus
    of_one = summary.published - (figures.passages if figures else 0)
    singly = "1 passage of a record" if of_one == 1 else f"{of_one:,} passages of one record each"
    fits = []
    if figures:
        fits.append(
            f"anyone who asks about the subject ({counted(figures.passages, 'passage')} of what "
            f"{figures.k} or more subjects say)"
        )
    if of_one and load_policy(job.recipe.policy).operator(EntityType.PERSON) is Operator.ENCRYPT:
        fits.append(f"holders of a key who ask about a person ({singly})")
    elif of_one:
        fits.append(f"no question about a person by name ({singly})")
    line = f"it fits {' and '.join(fits)}"
    if figures and of_one:
        return line
    if figures:
        return (
            f"{line}; for holders of a key who ask about a person: --recipe encrypted (the wording "
            "stays), or sage with a model; for both, add --layers consensus,records"
        )
    return (
        f"{line}; for anyone about the subject: --recipe consensus; for both, --layers "
        "consensus,records"
    )


def kept_line(counts: Kept) -> str:
    """Return in one line what the published records keep of their originals."""
    shares = [
        f"{100 * left / of:.0f} % of {kind}"
        if kind in ("sentences", "words")
        else f"{left} of {of} {kind}"
        for kind, (left, of) in counts.items()
        if of
    ]
    return (
        f"kept of the published records: {', '.join(shares)}; what is left can mislead without the "
        "rest: read drafts (sage-rag review), or use --recipe encrypted, which leaves nothing out"
    )


def wording_figures(published: Sequence[Result], limits: Mapping[str, Limit]) -> dict[str, Any]:
    """Return how like the published records are to their originals, each measure by quantiles.

    `at_limit`: records with the longest shared run that the gate allows. `over_half`: records with
    a value over 0.5. `order_free` is ROUGE-Lsum F.
    """
    runs = [float(r.longest_run) for r in published]
    run_tokens = limits.get("run_tokens")
    figures: dict[str, Any] = {"longest_run": _quantiles(runs)}
    if run_tokens is not None:
        figures["longest_run"]["at_limit"] = sum(run == run_tokens - 1 for run in runs)
    for name in ("rouge_l", "order_free"):
        values = [getattr(r, name) for r in published]
        figures[name] = {**_quantiles(values), "over_half": sum(v > _HALF for v in values)}
    return figures


def _quantiles(values: Sequence[float]) -> dict[str, float]:
    """Return quantiles that are values themselves, without interpolation."""
    shown = np.quantile(values, _QUANTILES, method="inverted_cdf")
    named = zip(("p10", "p50", "p90", "max"), shown.tolist(), strict=True)
    return {name: round(value, 4) for name, value in named}
