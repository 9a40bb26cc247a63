"""Index a corpus in many variants in one process, so that shared work is done once."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Coroutine
from contextlib import closing
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from sage_rag.agents.baselines import baseline_roles
from sage_rag.agents.chat.calls import ModelCalls
from sage_rag.agents.model.attributes import ATTRIBUTES_PER_FIELD
from sage_rag.agents.model.roles import model_roles
from sage_rag.agents.protocols import CorpusAttributes, Roles
from sage_rag.agents.refinement import MAX_ROUNDS, RefinementOptions
from sage_rag.agents.rules.roles import rules_roles
from sage_rag.agents.samples import choose_samples
from sage_rag.eval.studies.cache import CachedRecognizer, StudyCache
from sage_rag.eval.studies.corpora import Corpus
from sage_rag.eval.studies.runner import report
from sage_rag.indexer.corpus_file import CorpusFile
from sage_rag.indexer.embedding import CachedEmbedder, embedder_called
from sage_rag.indexer.job import IndexJob, Summary, treatment_of
from sage_rag.indexer.pipeline import index_corpus
from sage_rag.indexer.protocols import Embedder
from sage_rag.indexer.recipes import RECIPES, Recipe
from sage_rag.indexer.treatment import Treatment
from sage_rag.indexer.versions import REPORT, open_version
from sage_rag.indexer.wiring import index_job
from sage_rag.privacy.gate.limits import IDENTIFIERS_ONLY
from sage_rag.privacy.keyset.keyset import Keyset
from sage_rag.privacy.protocols import Recognizer
from sage_rag.privacy.recognizers.default import default_recognizer

STAGE_1 = replace(
    RECIPES["sage"], name="sage-stage-1", method="paraphrase", limits=IDENTIFIERS_ONLY
)
"""The unchanged draft of stage 1: no review, and only the gate that baselines pass."""
_REPORT_EVERY = 100
_T = TypeVar("_T")


@dataclass(frozen=True)
class Variant:
    """One way to treat a corpus. `None` means the default of the recipe and its agents."""

    recipe: Recipe
    attributes_per_field: int | None = None
    max_rounds: int | None = None

    @property
    def name(self) -> str:
        """The name of the index and of its row in tables."""
        parts = [self.recipe.name]
        if self.attributes_per_field is not None:
            parts.append(f"m{self.attributes_per_field}")
        if self.max_rounds is not None:
            parts.append(f"r{self.max_rounds}")
        return "-".join(parts)


@dataclass(frozen=True)
class IndexedVariant:
    """A published index: the summary of its run, and its folder."""

    name: str
    summary: Summary
    path: Path

    @property
    def rounds(self) -> dict[int, int]:
        """Published records by number of rewrites."""
        report = json.loads((self.path / REPORT).read_text("utf-8"))
        return {int(rounds): count for rounds, count in report["rounds"].items()}

    @property
    def texts(self) -> list[str]:
        """The passages."""
        with closing(open_version(self.path)) as version:
            return [version.passage(row).text for row in range(len(version))]


class StudyHome:
    """One home with one keyset, recognizer and embedder for all variants.

    `home` keeps ledgers, spans and vectors for later runs. Rules fill the agents' roles unless
    there is a `model`.
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
        self.embedder = CachedEmbedder(embedder or embedder_called(), cache)

    def index(self, corpus: Corpus, variant: Variant) -> IndexedVariant:
        """Treat the corpus as the variant says, and publish it.

        Raises:
            ProtectionError: when no record may be published.
        """
        return self.run(self.job(corpus, variant), variant.name)

    def run(self, job: IndexJob, name: str) -> IndexedVariant:
        """Do a run; `name` is the name of its results."""
        summary = self.wait_for(index_corpus(job, partial(_report, job.name)))
        if summary.path is None:
            raise ValueError("the run published nothing and raised no error")
        return IndexedVariant(name, summary, summary.path)

    def job(self, corpus: Corpus, variant: Variant) -> IndexJob:
        """Return the run that publishes the variant."""
        recipe = variant.recipe
        rounds = MAX_ROUNDS if variant.max_rounds is None else variant.max_rounds
        job = index_job(
            CorpusFile(source=corpus.path, fields=corpus.fields, recipe=recipe.name),
            f"{corpus.name}-{variant.name}",
            self.home,
            self.keyset,
            model=self.model,
            recipe=recipe,
            recognizer=self.recognizer,
            embedder=self.embedder,
            roles=self._roles(recipe, variant.attributes_per_field or ATTRIBUTES_PER_FIELD),
            agents=False,
        )
        job = replace(job, refinement=RefinementOptions(max_rounds=rounds))
        if variant.attributes_per_field is None or self.model is not None:
            return job
        attributes = self.attributes(corpus, job)
        return replace(job, attributes=first_of(attributes, variant.attributes_per_field))

    def treatment(
        self, corpus: Corpus, variant: Variant, options: RefinementOptions | None = None
    ) -> Treatment:
        """Return the variant's treatment of single documents, with the corpus's attributes."""
        job = self.job(corpus, variant)
        treatment = treatment_of(replace(job, refinement=options or job.refinement))
        if treatment is None:
            raise ValueError(f"recipe {job.recipe.name} protects nothing")
        return treatment.with_attributes(self.attributes(corpus, job))

    def attributes(self, corpus: Corpus, job: IndexJob) -> CorpusAttributes:
        """Return the attributes that the job's identifier finds in samples of the corpus."""
        treatment = treatment_of(job)
        if treatment is None or job.roles is None:
            raise ValueError(f"recipe {job.recipe.name} has no attributes")
        samples = choose_samples(corpus.documents, lambda document: document.text)
        shown = [treatment.protect(sample).protected for sample in samples]
        return self.wait_for(job.roles.identifier.identify(shown))

    def wait_for(self, work: Coroutine[Any, Any, _T]) -> _T:
        """Run `work` in a loop of its own, and close the model, whose connections belong to it."""

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
            return rules_roles()
        return model_roles(self.model, attributes_per_field=per_field)


def first_of(attributes: CorpusAttributes, per_field: int) -> CorpusAttributes:
    """Return the first `per_field` attributes of each field."""
    kept = []
    counts: dict[str, int] = {}
    for attribute in attributes.entries:
        counts[attribute.field] = counts.get(attribute.field, 0) + 1
        if counts[attribute.field] <= per_field:
            kept.append(attribute)
    return CorpusAttributes(tuple(kept), attributes.form)


def _report(name: str, stage: str, done: int, of: int) -> None:
    if done == of or done % _REPORT_EVERY == 0:
        report(f"{name}: {stage} {done} of {of}")
