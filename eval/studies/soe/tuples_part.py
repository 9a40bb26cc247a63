"""The project's own synthesis: accuracy by length of tuples.

Source: Liu et al. (2025), SoE, §4.2, Table 1.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import replace

from sage_rag.eval.knowledge.arms import ENC_S, SYNT, QuestionSpelling
from sage_rag.eval.knowledge.exact_recognizer import ExactRecognizer
from sage_rag.eval.knowledge.texts import biographies, encrypted, plain, question_answers
from sage_rag.eval.studies.soe.corpora import Population
from sage_rag.eval.studies.soe.main_part import measure_run
from sage_rag.eval.studies.soe.results import RunResult, by_name, stored_result
from sage_rag.eval.studies.soe.training_runs import SeedFolder
from sage_rag.eval.studies.tables import NO_FIGURE, share, table
from sage_rag.privacy.protocols import EntityCipher
from sage_rag.training.synthesis.recipes import Recipe
from sage_rag.training.synthesis.samples import SourceDocument
from sage_rag.training.synthesis.synthesis import synthesize

PART = "tuples"
LENGTHS = (2, 3, 5, 10)
PERSONS_PER_DOCUMENT = 2
"""Persons in a source document: 12 entities, so that tuples of 10 exist."""
_RECIPES = {
    **{f"{Recipe.SOE}-{k}": (Recipe.SOE, k) for k in LENGTHS},
    f"{Recipe.ENTIGRAPH}-3": (Recipe.ENTIGRAPH, 3),
}
_SPELLINGS = {"plain": SYNT, "encrypted": ENC_S}
NAMES = [f"{recipe}-{spelling}" for recipe in _RECIPES for spelling in _SPELLINGS]
_PAPER = {4: (0.67, 0.54), 6: (0.69, 0.61), 8: (0.65, 0.60), 10: (0.72, 0.68)}


def run_tuples(seed: SeedFolder) -> None:
    """Train and measure one model for each recipe and spelling that has no result yet.

    All take as many steps as the first one.
    """
    cipher = seed.people.cipher()
    steps = None
    for recipe_name, (recipe, k) in _RECIPES.items():
        for spelling, arm in _SPELLINGS.items():
            name = f"{recipe_name}-{spelling}"
            result = stored_result(seed.folder / name)
            if result is None:
                own = cipher if arm.encrypted else None
                spell = encrypted(cipher) if own else plain
                texts = synthetic_texts(seed.people, recipe, k, own)
                seed.arm_model(name, texts, steps=steps)
                result = measure_run(seed, PART, replace(arm, name=name), spell, cipher)
            steps = steps or result.training.steps


def synthetic_texts(
    people: Population, recipe: Recipe, k: int, cipher: EntityCipher | None
) -> list[str]:
    """Return the samples of the project's synthesis, and the pairs that every arm reads."""
    sizes, seed = people.settings, people.seed
    samples = synthesize(
        source_documents(people),
        cipher=cipher,
        recipe=recipe,
        k=k,
        seed=seed,
        samples_per_document=PERSONS_PER_DOCUMENT * sizes.few_texts,
        tokens_per_document=10**6,
        recognizer=ExactRecognizer(people.corpus),
    )
    spell = encrypted(cipher) if cipher else plain
    texts = [sample.text for sample in samples]
    texts += question_answers(people.trained, sizes.answers, spell, seed + 1)
    random.Random(seed).shuffle(texts)  # noqa: S311 - an order, not a secret
    return texts


def source_documents(people: Population) -> list[SourceDocument]:
    """Return one document for each pair of persons: one text about each."""
    texts = list(biographies(people.corpus, 1, plain, people.seed + 1))
    return [
        SourceDocument(str(start), " ".join(texts[start : start + PERSONS_PER_DOCUMENT]))
        for start in range(0, len(texts), PERSONS_PER_DOCUMENT)
    ]


def blocks(results: Sequence[RunResult]) -> Iterator[str]:
    """Yield the table of the part, where it has been run."""
    found = by_name(results, PART)
    if not found:
        return
    titles = ("recipe", "plain texts and questions", "encrypted texts and questions")
    rows = [
        (recipe, *(_accuracies(found.get(f"{recipe}-{spelling}", [])) for spelling in _SPELLINGS))
        for recipe in _RECIPES
    ]
    paper = table(
        ("length of tuples (paper, Table 1)", "original", "encrypted"),
        ((length, *accuracies) for length, accuracies in _PAPER.items()),
    )
    yield (
        "## Length of tuples\n\nSamples of `sage-rag synthesize` by templates, from one document "
        "for every two persons; one line for each seed. The sentences of the source are quoted, "
        "never reworded.\n\n" + table(titles, rows) + "\n\n" + paper
    )


def _accuracies(runs: Sequence[RunResult]) -> str:
    shown = []
    for run in runs:
        asked = run.asked(QuestionSpelling.ENCRYPTED) or run.asked(QuestionSpelling.PLAIN)
        if asked is not None:
            shown.append(share(asked.likelihood.correct))
    return "<br>".join(shown) or NO_FIGURE
