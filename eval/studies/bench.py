"""Index a corpus in many variants, in this process, so that what they share is done once."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Coroutine
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypeVar

import typer

from sage_rag.agents.attributes import CorpusAttributes, form_of
from sage_rag.agents.baselines import baseline_roles
from sage_rag.agents.chat.calls import ModelCalls
from sage_rag.agents.model.attributes import ATTRIBUTES_PER_FIELD
from sage_rag.agents.model.roles import model_roles
from sage_rag.agents.protocols import Attributes, Roles
from sage_rag.agents.refinement import MAX_ROUNDS, RefinementOptions
from sage_rag.agents.rules.roles import rules_roles
from sage_rag.agents.samples import choose_samples
from sage_rag.eval.studies.cache import CachedRecognizer, StudyCache
from sage_rag.eval.studies.corpora import Corpus
from sage_rag.indexer.embedding import CachedEmbedder, SentenceTransformerEmbedder
from sage_rag.indexer.job import IndexJob, Summary, treatment_of
from sage_rag.indexer.pipeline import index_corpus
from sage_rag.indexer.protocols import Embedder
from sage_rag.indexer.recipes import RECIPES, Recipe
from sage_rag.indexer.versions import REPORT, open_version
from sage_rag.privacy.gate.limits import IDENTIFIERS_ONLY
from sage_rag.privacy.keyset.keyset import Keyset
from sage_rag.privacy.protocols import Recognizer
from sage_rag.privacy.recognizers.default import default_recognizer

STAGE_1 = replace(
    RECIPES["sage"], name="sage-stage-1", method="paraphrase", limits=IDENTIFIERS_ONLY
)
"""The draft of stage 1 as it is: nobody reviews it, and of the gate only what baselines pass."""
_TOLD_EVERY = 100
_T = TypeVar("_T")


@dataclass(frozen=True)
class Variant:
    """One way to treat a corpus. `None` leaves a choice to the recipe and its agents."""

    recipe: Recipe
    attributes_per_field: int | None = None
    max_rounds: int | None = None

    @property
    def name(self) -> str:
        """A name for the index, and for a row."""
        parts = [self.recipe.name]
        if self.attributes_per_field is not None:
            parts.append(f"m{self.attributes_per_field}")
        if self.max_rounds is not None:
            parts.append(f"r{self.max_rounds}")
        return "-".join(parts)


@dataclass(frozen=True)
class IndexedVariant:
    """A published index: what was done, where it is, and how often its records were rewritten."""

    name: str
    summary: Summary
    path: Path

    @property
    def rounds(self) -> dict[int, int]:
        """Count the published records by how often they were rewritten."""
        report = json.loads((self.path / REPORT).read_text("utf-8"))
        return {int(rounds): count for rounds, count in report["rounds"].items()}

    @property
    def texts(self) -> list[str]:
        """The passages."""
        with closing(open_version(self.path)) as version:
            return [version.passage(row).text for row in range(len(version))]


class StudyHome:
    """One home with one keyset, recognizer and embedder for all variants.

    What recognizer and embedder found is kept in `home`, as are the ledgers; both are used again.
    Rules do the agents' roles, unless there is a `model`.
    """

    def __init__(
        self,
        home: Path,
        recognizer: Recognizer | None = None,
        embedder: Embedder | None = None,
        model: ModelCalls | None = None,
    ) -> None:
        home.mkdir(parents=True, exist_ok=True, mode=0o700)
        self.home = home
        self.model = model
        self.keyset = Keyset.generate()
        cache = StudyCache(home / "cache.sqlite")
        self.recognizer = CachedRecognizer(recognizer or default_recognizer(), cache)
        self.embedder = CachedEmbedder(embedder or SentenceTransformerEmbedder(), cache)

    def index(self, corpus: Corpus, variant: Variant) -> IndexedVariant:
        """Publish the corpus as the variant treats it.

        Raises:
            ProtectionError: when nothing may be published.
        """
        return self.run(self.job(corpus, variant), variant.name)

    def run(self, job: IndexJob, name: str) -> IndexedVariant:
        """Do a run; `name` is what its results are called."""
        summary = self.wait_for(index_corpus(job, _Ticker(job.name)))
        if summary.path is None:
            raise ValueError("a run that ended without an error published nothing")
        return IndexedVariant(name, summary, summary.path)

    def job(self, corpus: Corpus, variant: Variant) -> IndexJob:
        """Return the run that publishes the variant."""
        recipe = variant.recipe
        rounds = MAX_ROUNDS if variant.max_rounds is None else variant.max_rounds
        job = IndexJob(
            corpus=corpus.path,
            text_fields=corpus.fields,
            name=f"{corpus.name}-{variant.name}",
            home=self.home,
            recipe=recipe,
            keyset=self.keyset,
            recognizer=self.recognizer,
            embedder=self.embedder,
            roles=self._roles(recipe, variant.attributes_per_field or ATTRIBUTES_PER_FIELD),
            refinement=RefinementOptions(max_rounds=rounds),
            accounts=self.model.accounts if self.model else None,
        )
        if variant.attributes_per_field is None or self.model is not None:
            return job
        attributes = self.attributes(corpus, job)
        return replace(job, attributes=first_of(attributes, variant.attributes_per_field))

    def attributes(self, corpus: Corpus, job: IndexJob) -> Attributes:
        """Return the attributes that the run's identifier names."""
        treatment = treatment_of(job)
        if treatment is None or job.roles is None:
            raise ValueError(f"recipe {job.recipe.name} knows no attributes")
        samples = choose_samples(corpus.documents, lambda document: document.text)
        shown = [treatment.protect(sample).protected for sample in samples]
        return self.wait_for(job.roles.identifier.identify(shown))

    def wait_for(self, work: Coroutine[Any, Any, _T]) -> _T:
        """Run agents to their end; connections to a model belong to the loop that ends here."""

        async def closing_model() -> _T:
            try:
                return await work
            finally:
                if self.model is not None:
                    await self.model.close()

        return asyncio.run(closing_model())

    def _roles(self, recipe: Recipe, per_field: int) -> Roles | None:
        if not recipe.synthesize:
            return None
        if recipe.method != "sage" and recipe is not STAGE_1:
            return baseline_roles(recipe.method, self.model)
        if self.model is None:
            return rules_roles(self.embedder)
        return model_roles(self.model, attributes_per_field=per_field)


def first_of(attributes: Attributes, per_field: int) -> Attributes:
    """Return the first so many attributes of each field."""
    kept = []
    counts: dict[str, int] = {}
    for attribute in attributes:
        counts[attribute.field] = counts.get(attribute.field, 0) + 1
        if counts[attribute.field] <= per_field:
            kept.append(attribute)
    return CorpusAttributes(kept, form_of(attributes))


class _Ticker:
    """Say on standard error how far a run is, now and then."""

    def __init__(self, what: str) -> None:
        self._what = what

    def __call__(self, stage: str, done: int, of: int) -> None:
        if done == of or done % _TOLD_EVERY == 0:
            typer.echo(f"{self._what}: {stage} {done} of {of}", err=True)
