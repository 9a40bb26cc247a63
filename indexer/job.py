"""The input and the summary of one run."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from sage_rag.agents.chat.costs import CallCosts
from sage_rag.agents.model.consensus import ConsensusWriter
from sage_rag.agents.protocols import CorpusAttributes, Roles
from sage_rag.agents.refinement import DEFAULT_OPTIONS, RefinementOptions
from sage_rag.common.exceptions import InputError
from sage_rag.indexer.changes import Changes
from sage_rag.indexer.consensus.figures import ConsensusFigures
from sage_rag.indexer.consensus.options import ConsensusOptions
from sage_rag.indexer.consensus.statements import STATEMENT_LANGUAGES
from sage_rag.indexer.engines.local import Engine
from sage_rag.indexer.likeness import EmbeddingLikeness
from sage_rag.indexer.passages import RECORDS, Layer
from sage_rag.indexer.protocols import Embedder, VectorStore
from sage_rag.indexer.recipes import Recipe
from sage_rag.indexer.timing import Timer, timed_roles
from sage_rag.indexer.treatment import Executor, Treatment
from sage_rag.privacy.gate.kept import Kept
from sage_rag.privacy.keyset.keyset import Keyset
from sage_rag.privacy.protocols import Recognizer
from sage_rag.privacy.recognizers.catalog import DEFAULT_LANGUAGES


@dataclass(frozen=True)
class IndexJob:
    """Everything that one run needs; `indexer.wiring` builds it.

    `keyset` may be absent only if nothing is protected. `attributes` replace those that the
    identifier would propose. `costs` are those of the agents' model. `engine` starts the engine
    that replaces `recognizer` and `embedder` with the same results; without one, they work in this
    process. `languages`, as ISO 639-1 codes: those that the recognizer covers. `timer` times the
    stages. `subject`: the field of a record that names its subject. `consensus`: how records of a
    recipe about subjects become passages, which `consensus_writer` writes again. `layers`: those of
    the version; `recipe` treats the records, if they are one of them. `answer_fields`: the fields
    that answer questions, for the manifest; empty: the last one.
    """

    source: Path
    fields: tuple[str, ...] | None
    name: str
    home: Path
    recipe: Recipe
    keyset: Keyset | None
    recognizer: Recognizer
    embedder: Embedder
    roles: Roles | None = None
    concurrency: int = 8
    attributes: CorpusAttributes | None = None
    refinement: RefinementOptions = DEFAULT_OPTIONS
    costs: CallCosts | None = None
    engine: Callable[[], Engine] | None = None
    languages: frozenset[str] = DEFAULT_LANGUAGES
    timer: Timer | None = None
    subject: str | None = None
    consensus: ConsensusOptions = field(default_factory=ConsensusOptions)
    consensus_writer: ConsensusWriter | None = None
    layers: tuple[Layer, ...] = (RECORDS,)
    answer_fields: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        """Check that no record is published by a recipe about subjects.

        Raises:
            ValueError: when it would be.
        """
        if self.recipe.of_subjects and RECORDS in self.layers:
            raise ValueError(f"recipe {self.recipe.name} makes no passages of records")

    @property
    def owner_folder(self) -> Path:
        """The owner's folder of the corpus."""
        return self.home / "owner" / self.name


@dataclass
class Summary:
    """Counts of one run. `seconds` is wall time; `reasons` counts findings in quarantine.

    `blank` records of the corpus have no text: they are no documents.

    `resumed` documents had a stored result, `redrafted` ones only a stored draft; a person decided
    on the `reviewed` ones; `unfollowed` counts accepted drafts that were not published, by reason.
    `anonymity` are the figures of `anonymity_figures`. `kept` counts what the published records
    keep of their originals. `consensus`: of a recipe about subjects.
    """

    documents: int = 0
    blank: int = 0
    changes: Changes = field(default_factory=Changes)
    resumed: int = 0
    redrafted: int = 0
    reviewed: int = 0
    unfollowed: Counter[str] = field(default_factory=Counter)
    published: int = 0
    quarantined: int = 0
    seconds: float = 0.0
    reasons: dict[str, int] = field(default_factory=dict)
    anonymity: dict[str, Any] | None = None
    kept: Kept = field(default_factory=dict)
    consensus: ConsensusFigures | None = None
    path: Path | None = None


_RECORDS_PER_CALL = 2
"""While some records are protected, judged and stored, others keep the model busy."""


def records_in_work(job: IndexJob, engine: Engine) -> int:
    """Return the number of records in work at a time; `ModelCalls` limits the calls among them."""
    per_call = _RECORDS_PER_CALL if job.costs is not None else 1
    return max(per_call * job.concurrency, engine.documents_in_flight)


def treatment_of(
    job: IndexJob,
    vectors: VectorStore | None = None,
    run_in_executor: Executor | None = None,
) -> Treatment | None:
    """Return how the job treats a document; `None` if the recipe protects nothing.

    `vectors` stores vectors of drafts for the gate.

    Raises:
        InputError: without the keyset that the recipe needs.
    """
    if job.recipe.policy is None:
        return None
    if job.keyset is None:
        raise InputError(
            f"recipe `{job.recipe.name}` needs a keyset", hint="sage-rag keys new --out FILE"
        )
    # The rules that find statements read English; a model writes of what they find.
    languages = job.languages & STATEMENT_LANGUAGES if job.recipe.of_subjects else job.languages
    return Treatment(
        job.recipe,
        job.keyset,
        job.name,
        job.recognizer,
        timed_roles(job.roles, job.timer) if job.roles else None,
        languages=languages,
        refinement=job.refinement,
        likeness=EmbeddingLikeness(job.embedder, vectors),
        run_in_executor=run_in_executor,
        timer=job.timer,
    )
