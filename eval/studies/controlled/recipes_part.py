"""Indexes of the same pieces by other recipes, measured as the generated texts are."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path

from sage_rag.eval.studies.cache import CachedRecognizer, StudyCache
from sage_rag.eval.studies.controlled.arms import arms_of, generation_of
from sage_rag.eval.studies.controlled.corpora import write_texts
from sage_rag.eval.studies.controlled.models import SeedModels
from sage_rag.eval.studies.controlled.results import RecipeResult, is_stored, save
from sage_rag.eval.studies.runner import report
from sage_rag.eval.synthetic_text.backends.perplexity import TuningSettings
from sage_rag.eval.synthetic_text.reading import passages_of
from sage_rag.eval.synthetic_text.report import Reference, measure_texts
from sage_rag.indexer.corpus_file import CorpusFile
from sage_rag.indexer.embedding import CachedEmbedder
from sage_rag.indexer.pipeline import index_corpus
from sage_rag.indexer.protocols import Embedder
from sage_rag.indexer.wiring import index_job
from sage_rag.privacy.recognizers.default import default_recognizer
from sage_rag.training.controlled.run import CORPUS, run_generation
from sage_rag.training.controlled.samplers import DECODING

RECIPES = ("origin", "redacted", "encrypted", "surrogates", "sage", "controlled")
_GENERATED = "icl-blocked"
"""The arm whose texts recipe `controlled` indexes."""


def run_recipes(models: SeedModels, embedder: Embedder, mauve: Embedder | None) -> None:
    """Index and measure what has no result yet."""
    source = models.folder / "pieces.jsonl"
    write_texts([document.text for document in models.texts.known], source)
    for name in RECIPES:
        if not is_stored(RecipeResult, name, models.folder):
            file = _generated(models) if name == "controlled" else source
            save(_measured(name, file, models, embedder, mauve), models.folder)


def _generated(models: SeedModels) -> Path:
    """Write the samples of an arm as `sage-rag generate` does."""
    arm = next(a for a in arms_of(models.settings) if a.name == _GENERATED)
    folder = models.folder / "generated"
    run_generation(generation_of(arm, models), folder, DECODING, lambda stage, done, total: None)
    return folder / CORPUS


def _measured(
    name: str, source: Path, models: SeedModels, embedder: Embedder, mauve: Embedder | None
) -> RecipeResult:
    cache = StudyCache(models.texts.home / "cache.sqlite")
    try:
        published, path = _index(name, source, models, embedder, cache)
    finally:
        cache.close()
    texts = passages_of(path)
    tuning = TuningSettings(
        epochs=models.settings.tuning_epochs, row_tokens=models.settings.row_tokens, rows=1
    )
    folder = models.folder / "perplexity" / f"recipe-{name}"
    reference = Reference(models.texts.held_out, mauve, models.fresh(), folder, tuning)
    report(f"recipe {name}: {published} passages")
    return RecipeResult(
        name=name,
        seed=models.seed,
        published=published,
        records=sum(1 for _ in source.open()),
        report=measure_texts(texts, models.texts.known, reference),
    )


def _index(
    name: str, source: Path, models: SeedModels, embedder: Embedder, cache: StudyCache
) -> tuple[int, Path]:
    job = index_job(
        CorpusFile(source=source, fields=("text",), recipe=name),
        f"cases-{name}",
        models.folder / "home",
        models.keyset,
        recognizer=CachedRecognizer(default_recognizer(), cache),
        embedder=CachedEmbedder(embedder, cache),
    )
    summary = asyncio.run(index_corpus(job, lambda stage, done, total: None))
    if summary.path is None:
        raise ValueError("the run published nothing and raised no error")
    return summary.published, summary.path


def ordered(results: Sequence[RecipeResult]) -> list[RecipeResult]:
    """Return the results in the order of `RECIPES`."""
    return sorted(results, key=lambda result: (result.seed, RECIPES.index(result.name)))
