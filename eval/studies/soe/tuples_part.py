"""The project's own synthesis: accuracy by length of tuples.

Source: Liu et al. (2025), SoE, §4.2, Table 1.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain, product
from statistics import fmean

from sage_rag.common.proportions import Proportion
from sage_rag.common.sentences import sentence_spans
from sage_rag.eval.knowledge.arms import ENC_S, SYNT
from sage_rag.eval.knowledge.exact_recognizer import ExactRecognizer
from sage_rag.eval.knowledge.texts import biographies, encrypted, plain, question_answers
from sage_rag.eval.studies.soe.corpora import Population
from sage_rag.eval.studies.soe.main_part import ask_arm, save_run
from sage_rag.eval.studies.soe.results import RunResult, by_name, stored_result
from sage_rag.eval.studies.soe.training_runs import SeedFolder
from sage_rag.eval.studies.tables import NO_FIGURE, share, table
from sage_rag.privacy.protocols import EntityCipher
from sage_rag.training.synthesis.recipes import Recipe
from sage_rag.training.synthesis.samples import Sample, SourceDocument
from sage_rag.training.synthesis.synthesis import synthesize

PART = "tuples"
LENGTHS = (2, 3, 5, 10)
PERSONS_PER_DOCUMENT = 2
"""Persons in a source document: 12 entities."""
_RECIPES = {
    **{f"{Recipe.SOE}-{k}": (Recipe.SOE, k) for k in LENGTHS},
    f"{Recipe.ENTIGRAPH}-3": (Recipe.ENTIGRAPH, 3),
}
_SPELLINGS = {"encrypted": ENC_S, "plain": SYNT}
NAMES = [f"{recipe}-{spelling}" for recipe in _RECIPES for spelling in _SPELLINGS]
MEMBERS = "entities of a tuple"
FACTS_STATED = "facts stated"
STATED_AND_RIGHT = "facts stated, and answered correctly"
_PAPER = {4: (0.67, 0.54), 6: (0.69, 0.61), 8: (0.65, 0.60), 10: (0.72, 0.68)}


def run_tuples(seed: SeedFolder) -> None:
    """Train and measure one model for each recipe and spelling that has no result yet.

    All take as many steps. The encrypted ones are first: they are the paper's.
    """
    for spelling, recipe in product(_SPELLINGS, _RECIPES):
        if stored_result(seed.folder / f"{recipe}-{spelling}") is None:
            _run(seed, recipe, spelling)


def _run(seed: SeedFolder, recipe_name: str, spelling: str) -> None:
    name, arm, people = f"{recipe_name}-{spelling}", _SPELLINGS[spelling], seed.people
    recipe, k = _RECIPES[recipe_name]
    cipher = people.cipher()
    members = [len(sample.members) for sample in samples_of(people, recipe, k, None)]
    plain_texts = synthetic_texts(people, recipe, k, None)
    texts = synthetic_texts(people, recipe, k, cipher) if arm.encrypted else plain_texts
    seed.arm_model(name, texts, steps=people.settings.tuple_steps)
    spell = encrypted(cipher) if arm.encrypted else plain
    answers = ask_arm(seed, replace(arm, name=name), spell, cipher)
    stated = stated_facts(people, plain_texts)
    right = zip(answers[0].likelihood.right, stated, strict=True)
    details = {
        MEMBERS: fmean(members),
        FACTS_STATED: sum(stated),
        STATED_AND_RIGHT: sum(r and s for r, s in right),
    }
    save_run(seed, PART, name, answers, details)


def stated_facts(people: Population, texts: Sequence[str]) -> list[bool]:
    """Return for each question whether name and value are in one of the plain texts."""
    return [
        any(c.person.name in text and c.person.values[c.attribute] in text for text in texts)
        for c in people.choices
    ]


def samples_of(
    people: Population, recipe: Recipe, k: int, cipher: EntityCipher | None
) -> Iterator[Sample]:
    """Yield the samples of the project's synthesis."""
    return synthesize(
        source_documents(people),
        cipher=cipher,
        recipe=recipe,
        k=k,
        seed=people.seed,
        samples_per_document=PERSONS_PER_DOCUMENT * people.settings.tuple_samples,
        tokens_per_document=10**6,
        recognizer=ExactRecognizer(people.corpus),
    )


def synthetic_texts(
    people: Population, recipe: Recipe, k: int, cipher: EntityCipher | None
) -> list[str]:
    """Return the samples, and the question-answer pairs that every arm reads, shuffled."""
    sizes, seed = people.settings, people.seed
    spell = encrypted(cipher) if cipher else plain
    texts = [sample.text for sample in samples_of(people, recipe, k, cipher)]
    texts += question_answers(people.trained, sizes.answers, spell, seed + 1)
    random.Random(seed).shuffle(texts)  # noqa: S311 - an order, not a secret
    return texts


def source_documents(people: Population) -> list[SourceDocument]:
    """Return one document for each pair of persons; each sentence states a fact about each one.

    If a sentence were about one person, the two would hardly be connected, and no tuple could have
    more than the six entities of one person.
    """
    texts = list(biographies(people.corpus, 1, plain, people.seed + 1))
    values = [value for person in people.corpus for value in (person.name, *person.values.values())]
    return [
        SourceDocument(str(start), _joined(texts[start : start + PERSONS_PER_DOCUMENT], values))
        for start in range(0, len(texts), PERSONS_PER_DOCUMENT)
    ]


def _joined(texts: Sequence[str], values: Sequence[str]) -> str:
    """Return one text whose n-th sentence is the n-th ones of all texts."""

    def lowered(clause: str) -> str:
        return clause if clause.startswith(tuple(values)) else clause[:1].lower() + clause[1:]

    sentences = [[text[a:b].rstrip(" .") for a, b in sentence_spans(text)] for text in texts]
    return " ".join(
        "; ".join((first, *map(lowered, others))) + "."
        for first, *others in zip(*sentences, strict=True)
    )


def blocks(results: Sequence[RunResult]) -> Iterator[str]:
    """Yield the table of the part, where it has been run."""
    found = by_name(results, PART)
    if not found:
        return
    titles = (
        "recipe", "seed", "entities, mean", "facts stated, of 400", "texts",
        "encrypted texts", "of stated facts", "plain texts", "of stated facts",
    )  # fmt: skip
    rows = [row for recipe in _RECIPES for row in _rows(recipe, found)]
    paper = table(
        ("length of tuples (paper, Table 1)", "original", "encrypted"),
        ((length, *accuracies) for length, accuracies in _PAPER.items()),
    )
    yield (
        "## Length of tuples\n\nSamples of `sage-rag synthesize` by templates, from one document "
        "for every two persons, as many for each recipe, and as many steps for each model; the "
        "base is that of the main part. A sentence of a document states a fact about each of its "
        "persons, so that all their entities are connected and tuples can have ten. The sentences "
        "of the source are quoted, never reworded. `entigraph-3` writes about a pair and a triple "
        "in turn. A fact is stated where name and value are in one sample. Accuracy by likelihood "
        "(95 %), on all questions and on those whose facts are stated.\n\n"
        + table(titles, rows)
        + "\n\nThe paper, with about 22,000 relations at each length; "
        "EntiGraph has 0.68 and 0.61 there:\n\n" + paper
    )


def _rows(recipe: str, found: Mapping[str, Sequence[RunResult]]) -> Iterator[tuple[object, ...]]:
    runs = {
        (run.seed, spelling): run
        for spelling in _SPELLINGS
        for run in found.get(f"{recipe}-{spelling}", [])
    }
    for seed in sorted({seed for seed, _ in runs}):
        own = {spelling: runs.get((seed, spelling)) for spelling in _SPELLINGS}
        some = next(run for run in own.values() if run is not None)
        yield (
            recipe,
            seed,
            f"{some.details[MEMBERS]:.1f}",
            int(some.details[FACTS_STATED]),
            f"{some.training.texts:,}",
            *chain.from_iterable(_accuracies(run) for run in own.values()),
        )


def _accuracies(run: RunResult | None) -> tuple[str, str]:
    """Return the accuracy on all questions, and on those whose facts the texts state."""
    if run is None:
        return NO_FIGURE, NO_FIGURE
    right, stated = (int(run.details[name]) for name in (STATED_AND_RIGHT, FACTS_STATED))
    return share(run.answers[0].likelihood.correct), share(Proportion.of(right, stated))
