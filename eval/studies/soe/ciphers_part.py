"""SIV, ECB and codebook compared: tokens per value, loss, accuracy, on the same texts.

Every text states one fact in one sentence, so that name and value are in one row under each cipher.
The models continue one base, which has read as much of each cipher, under other keys. The codebook
is read in two ways: its words as the tokenizer splits them, and each as one token that is added to
the vocabulary.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
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
from sage_rag.eval.studies.soe.results import stored_result
from sage_rag.eval.studies.soe.settings import StudySettings
from sage_rag.eval.studies.soe.training_runs import SeedFolder
from sage_rag.privacy.entities import EntityType
from sage_rag.privacy.protocols import EntityCipher
from sage_rag.training.pretraining.tokenizing import (
    add_words,
    codebook_words_of,
    load_tokenizer,
    save_tokenizer,
)
from sage_rag.training.synthesis.encryption import CipherName

PART = "ciphers"
CIPHERS = (CipherName.CODEBOOK, CipherName.ECB, CipherName.SIV)
_WITH_WORDS = "-words"
ARMS = (CipherName.CODEBOOK, f"{CipherName.CODEBOOK}{_WITH_WORDS}", CipherName.ECB, CipherName.SIV)
"""Ciphers, and the codebook whose words are in the vocabulary."""
BASE_NAME = "base-ciphers"
TOKENS_PER_VALUE = "tokens per value"
TEXTS_PER_FACT = "texts per fact"


def run_ciphers(seed: SeedFolder) -> None:
    """Train and measure the base, and one model for each arm and number of texts.

    What has a result already is left as it is.
    """
    base = seed.arm_model(BASE_NAME, school_texts(seed.people))
    if stored_result(seed.folder / BASE_NAME) is None:
        model = CausalModel.open(base)
        answers = [_asked(seed.people, name, name, model) for name in CIPHERS]
        save_run(seed, PART, BASE_NAME, answers)
    for count in seed.people.settings.cipher_texts:
        for arm in ARMS:
            _run(seed, arm, count, base)


def cipher_of(arm: str) -> CipherName:
    """Return the cipher of an arm."""
    return CipherName(arm.removesuffix(_WITH_WORDS))


def _run(seed: SeedFolder, arm: str, count: int, base: Path) -> None:
    run_name = f"{arm}-{count}"
    if stored_result(seed.folder / run_name) is not None:
        return
    name = cipher_of(arm)
    cipher = seed.people.cipher(name)
    texts = fact_texts(seed.people, cipher, count)
    tokenizer = None
    if arm.endswith(_WITH_WORDS):
        tokenizer = _with_words(base, texts, seed.folder / run_name / "tokenizer")
    trained = seed.arm_model(run_name, texts, start=base, tokenizer=tokenizer)
    model = CausalModel.open(trained)
    lengths = [model.token_count(f" {token}") for token in _tokens(seed.people, cipher)]
    details = {TOKENS_PER_VALUE: fmean(lengths), TEXTS_PER_FACT: float(count)}
    save_run(seed, PART, run_name, [_asked(seed.people, name, run_name, model)], details)


def _with_words(base: Path, texts: Iterable[str], folder: Path) -> Path:
    """Write the tokenizer of the base, to which the codebook's words in the texts are added."""
    tokenizer = load_tokenizer(base)
    add_words(tokenizer, codebook_words_of(texts))
    save_tokenizer(tokenizer, folder)
    return folder


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


def names(settings: StudySettings) -> list[str]:
    """Return the runs of the part."""
    return [BASE_NAME, *(f"{arm}-{n}" for n in settings.cipher_texts for arm in ARMS)]
