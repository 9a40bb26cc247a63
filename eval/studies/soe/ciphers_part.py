"""SIV, ECB and codebook compared: tokens per value, loss, accuracy, on the same texts.

Every text states one fact in one sentence, so that name and value are in one row under each cipher.
The models continue one base, which has read as much of each cipher, under other keys.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain
from pathlib import Path
from statistics import fmean

from sage_rag.eval.knowledge.arms import QuestionSpelling
from sage_rag.eval.knowledge.backends.causal import CausalModel
from sage_rag.eval.knowledge.measurement import ArmResult
from sage_rag.eval.knowledge.persons import ENTITY_TYPES
from sage_rag.eval.knowledge.texts import encrypted, question_answers, statements
from sage_rag.eval.studies.soe.corpora import Population, shuffled, study_cipher
from sage_rag.eval.studies.soe.main_part import ask, save_run
from sage_rag.eval.studies.soe.results import RunResult, stored_result
from sage_rag.eval.studies.soe.settings import StudySettings
from sage_rag.eval.studies.soe.training_runs import SeedFolder
from sage_rag.eval.studies.tables import NO_FIGURE, share, table
from sage_rag.privacy.entities import EntityType
from sage_rag.privacy.protocols import EntityCipher
from sage_rag.training.synthesis.encryption import CipherName

PART = "ciphers"
CIPHERS = (CipherName.CODEBOOK, CipherName.ECB, CipherName.SIV)
BASE_NAME = "base-ciphers"
TOKENS_PER_VALUE = "tokens per value"
TEXTS_PER_FACT = "texts per fact"


def run_ciphers(seed: SeedFolder) -> None:
    """Train and measure the base, and one model for each cipher and number of texts.

    What has a result already is left as it is.
    """
    base = seed.arm_model(BASE_NAME, school_texts(seed.people))
    if stored_result(seed.folder / BASE_NAME) is None:
        model = CausalModel.open(base)
        answers = [_asked(seed.people, name, name, model) for name in CIPHERS]
        save_run(seed, PART, BASE_NAME, answers)
    for count in seed.people.settings.cipher_texts:
        for name in CIPHERS:
            _run(seed, name, count, base)


def _run(seed: SeedFolder, name: CipherName, count: int, base: Path) -> None:
    run_name = f"{name}-{count}"
    if stored_result(seed.folder / run_name) is not None:
        return
    cipher = seed.people.cipher(name)
    model = CausalModel.open(
        seed.arm_model(run_name, fact_texts(seed.people, cipher, count), start=base)
    )
    lengths = [model.token_count(f" {token}") for token in _tokens(seed.people, cipher)]
    details = {TOKENS_PER_VALUE: fmean(lengths), TEXTS_PER_FACT: float(count)}
    save_run(seed, PART, run_name, [_asked(seed.people, name, run_name, model)], details)


def _asked(people: Population, cipher: CipherName, name: str, model: CausalModel) -> ArmResult:
    own = people.cipher(cipher)
    return ask(name, QuestionSpelling.ENCRYPTED, model, people, encrypted(own), own)


def school_texts(people: Population) -> list[str]:
    """Return the texts that school the base in every cipher, under keys that no other model reads.

    They are about persons whom the base model has read about in plain words.
    """
    sizes, seed = people.settings, people.seed
    persons = people.schooled[: sizes.cipher_schooled]
    texts: list[str] = []
    for name in CIPHERS:
        spell = encrypted(study_cipher(name, "school of ciphers", seed, persons))
        texts += statements(persons, sizes.cipher_schooled_texts, spell, seed)
        texts += question_answers(persons, sizes.answers, spell, seed)
    return shuffled(texts, seed)


def fact_texts(people: Population, cipher: EntityCipher, count: int) -> list[str]:
    """Return `count` sentences for each fact of the corpus, and the pairs that every arm reads."""
    seed, spell = people.seed + 1, encrypted(cipher)
    pairs = question_answers(people.trained, people.settings.answers, spell, seed)
    return shuffled(chain(statements(people.corpus, count, spell, seed), pairs), people.seed)


def _tokens(people: Population, cipher: EntityCipher) -> Iterator[str]:
    for person in people.corpus:
        yield cipher.encrypt(person.name, EntityType.PERSON)
        for attribute, value in person.values.items():
            yield cipher.encrypt(value, ENTITY_TYPES[attribute])


def blocks(results: Sequence[RunResult]) -> Iterator[str]:
    """Yield the table of the part, where it has been run."""
    runs = [run for run in results if run.part == PART]
    trained = [run for run in runs if run.name != BASE_NAME]
    if not trained:
        return
    guesses = [
        f"{answer.arm} {share(answer.likelihood.correct)} (seed {run.seed})"
        for run in runs
        if run.name == BASE_NAME
        for answer in run.answers
    ]
    titles = (
        "cipher", "texts per fact", "seed", "tokens per value", "tokens read", "loss per token",
        "loss per text", "accuracy by likelihood (95 %)", "by generation", "ciphertexts that fail",
    )  # fmt: skip
    order = sorted(trained, key=lambda r: (r.details[TEXTS_PER_FACT], r.name, r.seed))
    yield (
        "## Ciphers\n\nEvery text states one fact in one sentence, so that name and value are in "
        "one row. All models continue one base, which has read as many texts under each cipher "
        "about other persons, with other keys; it guesses: "
        f"{', '.join(guesses)}. Models with the same texts per fact read the same facts equally "
        "often; tokens are counted over all epochs. A loss per token is lower where more tokens of "
        "a ciphertext follow from those before; loss per text is the loss per token, times the "
        "tokens of a text. Ciphertexts in generated answers fail when they are of another person "
        "or do not open.\n\n" + table(titles, map(_row, order))
    )


def _row(run: RunResult) -> Iterator[object]:
    answer = run.answers[0]
    training = run.training
    yield run.name.rpartition("-")[0]
    yield int(run.details[TEXTS_PER_FACT])
    yield run.seed
    yield f"{run.details[TOKENS_PER_VALUE]:.1f}"
    yield f"{training.tokens:,}"
    yield f"{training.loss:.3f}"
    yield f"{training.loss * training.tokens / (training.texts * run.settings.epochs):.1f}"
    yield share(answer.likelihood.correct)
    yield share(answer.generation.correct) if answer.generation else NO_FIGURE
    yield share(answer.outcomes.failed) if answer.outcomes else NO_FIGURE


def names(settings: StudySettings) -> list[str]:
    """Return the runs of the part."""
    return [BASE_NAME, *(f"{name}-{n}" for n in settings.cipher_texts for name in CIPHERS)]
