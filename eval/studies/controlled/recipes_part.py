"""Indexes of the same pieces by other recipes, measured and attacked as the generated texts are."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

from sage_rag.common.exceptions import ProtectionError
from sage_rag.common.jsonl import write_jsonl
from sage_rag.eval.attack import Attack
from sage_rag.eval.detectors.suite import contact_recognizer, detectors
from sage_rag.eval.originals import Originals
from sage_rag.eval.report import AttackReport
from sage_rag.eval.studies.cache import CachedRecognizer, StudyCache
from sage_rag.eval.studies.controlled.arms import arms_of, generation_of
from sage_rag.eval.studies.controlled.models import SeedModels
from sage_rag.eval.studies.controlled.results import RecipeResult, is_stored, save
from sage_rag.eval.studies.runner import report
from sage_rag.eval.synthetic_text.reading import passages_of
from sage_rag.eval.synthetic_text.report import Reference, measure_texts
from sage_rag.eval.targets.version import VersionTarget
from sage_rag.indexer.corpus_file import CorpusFile
from sage_rag.indexer.embedding import CachedEmbedder
from sage_rag.indexer.pipeline import index_corpus
from sage_rag.indexer.protocols import Embedder
from sage_rag.indexer.wiring import index_job
from sage_rag.privacy.recognizers.default import default_recognizer
from sage_rag.training.controlled.run import CORPUS, run_generation
from sage_rag.training.controlled.samplers import DECODING

GENERATED = {"controlled": "icl-blocked", "controlled-prefix": "prefix-blocked"}
"""Arms whose texts recipe `controlled` indexes."""
RECIPES = ("origin", "redacted", "encrypted", "surrogates", "sage", *GENERATED)
_TOP_K = 1
"""Passages for each prompt. Source: Zeng et al. (2024), arXiv 2406.14773, §4.1."""


def run_recipes(
    names: Sequence[str], models: SeedModels, embedder: Embedder, mauve: Embedder | None
) -> None:
    """Index and measure what has no result yet; of few pieces, a gate may pass none."""
    source = models.folder / "pieces.jsonl"
    models.folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    known = enumerate(models.texts.known)
    write_jsonl(source, ({"id": str(number), "text": document.text} for number, document in known))
    for name in names:
        if is_stored(RecipeResult, name, models.folder):
            continue
        file = _generated(name, models) if name in GENERATED else source
        try:
            save(_measured(name, file, models, embedder, mauve), models.folder)
        except ProtectionError as error:
            report(f"recipe {name}: {error.message}")


def _generated(name: str, models: SeedModels) -> Path:
    """Write the samples of an arm as `sage-rag generate` does."""
    arm = next(a for a in arms_of(models.settings) if a.name == GENERATED[name])
    folder = models.folder / f"generated-{name}"
    run_generation(generation_of(arm, models), folder, DECODING, lambda stage, done, total: None)
    return folder / CORPUS


def _measured(
    name: str, source: Path, models: SeedModels, embedder: Embedder, mauve: Embedder | None
) -> RecipeResult:
    cache = StudyCache(models.texts.home / "cache.sqlite")
    try:
        cached = CachedEmbedder(embedder, cache)
        published, path = _index(name, source, models, cached, cache)
        attack = _attacked(path, models, cached)
    finally:
        cache.close()
    texts = passages_of(path)
    folder = models.folder / "perplexity" / f"recipe-{name}"
    reference = Reference(models.texts.held_out, mauve, models.fresh(), folder, models.tuning)
    report(f"recipe {name}: {published} passages")
    return RecipeResult(
        name=name,
        seed=models.seed,
        published=published,
        records=sum(1 for _ in source.open()),
        attack=attack,
        report=measure_texts(texts, models.texts.known, reference),
    )


def _index(
    name: str, source: Path, models: SeedModels, embedder: Embedder, cache: StudyCache
) -> tuple[int, Path]:
    job = index_job(
        CorpusFile(source=source, fields=("text",), recipe=name.partition("-")[0]),
        f"cases-{name}",
        models.folder / "home",
        models.keyset,
        recognizer=CachedRecognizer(default_recognizer(), cache),
        embedder=embedder,
    )
    summary = asyncio.run(index_corpus(job, lambda stage, done, total: None))
    if summary.path is None:
        raise ValueError("the run published nothing and raised no error")
    return summary.published, summary.path


def _attacked(path: Path, models: SeedModels, embedder: Embedder) -> AttackReport:
    """Attack an index with the prompts of the study of SAGE, for the same pieces."""
    known = models.texts.known
    originals = Originals.of((piece.id, piece.text) for piece in known)
    marked = dict.fromkeys(v.text for d in known for v in d.values if v.direct)
    judges = detectors(originals, contact_recognizer(), marked)
    attack = Attack(models.texts.prompts, judges, originals=len(originals))
    with closing(VersionTarget(path, embedder, _TOP_K)) as target:
        return attack.run(target, top_k=_TOP_K)


def ordered(results: Sequence[RecipeResult]) -> list[RecipeResult]:
    """Return the results in the order of `RECIPES`."""
    return sorted(results, key=lambda result: (result.seed, RECIPES.index(result.name)))
