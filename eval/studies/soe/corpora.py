"""The texts of one seed: those that school the base model, and those of each arm."""

from __future__ import annotations

import hashlib
import random
import warnings
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from pathlib import Path

from sage_rag.eval.knowledge.arms import Texts
from sage_rag.eval.knowledge.persons import ENTITY_TYPES, Person, invent_persons
from sage_rag.eval.knowledge.questions import Choice, Question, choices_about
from sage_rag.eval.knowledge.texts import (
    Spelling,
    biographies,
    encrypted,
    plain,
    question_answers,
)
from sage_rag.eval.studies.soe.settings import StudySettings
from sage_rag.privacy.ciphers.default import default_cipher
from sage_rag.privacy.entities import EntityType
from sage_rag.privacy.keyset.keyset import Keyset, key_id_of
from sage_rag.privacy.protocols import EntityCipher
from sage_rag.training.ciphers.codebook import CodebookCipher
from sage_rag.training.ciphers.ecb import UnauthenticatedEcbCipher, WeakCipherWarning
from sage_rag.training.synthesis.encryption import CipherName


def study_keyset(purpose: str, seed: int) -> Keyset:
    """Return a keyset that depends on the seed alone: it protects invented values, nothing else."""
    key = hashlib.sha256(f"study soe {purpose} {seed}".encode()).digest()
    return Keyset({key_id_of(key): key}, key_id_of(key))


def study_cipher(
    name: CipherName, purpose: str, seed: int, persons: Sequence[Person]
) -> EntityCipher:
    """Return a cipher that has encrypted every value of the persons, in order.

    The codes of a codebook depend on that order in the rare case of a collision.
    """
    keyset = study_keyset(purpose, seed)
    cipher: EntityCipher
    if name is CipherName.CODEBOOK:
        cipher = CodebookCipher(Path("no codebook is stored"), keyset, purpose)
    elif name is CipherName.SIV:
        cipher = default_cipher(keyset, purpose)
    else:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", WeakCipherWarning)
            cipher = UnauthenticatedEcbCipher(keyset, leaks_equal_blocks=True)
    for person in persons:
        tokens_of(person, cipher)
    return cipher


def tokens_of(person: Person, cipher: EntityCipher) -> frozenset[str]:
    """Return the tokens of a person's name and values."""
    values = {cipher.encrypt(value, ENTITY_TYPES[a]) for a, value in person.values.items()}
    return frozenset({cipher.encrypt(person.name, EntityType.PERSON), *values})


@dataclass(frozen=True)
class Population:
    """The invented persons of one seed, in groups that share no one.

    `schooled`: persons that the base model reads about. `trained`: persons of the corpus whose
    questions are trained. `tested`: persons of the corpus whose questions are asked.
    """

    settings: StudySettings
    seed: int

    @cached_property
    def _persons(self) -> list[Person]:
        sizes = self.settings
        return invent_persons(sizes.schooled + sizes.trained + sizes.tested, self.seed)

    @property
    def schooled(self) -> list[Person]:
        return self._persons[: self.settings.schooled]

    @property
    def corpus(self) -> list[Person]:
        return self._persons[self.settings.schooled :]

    @property
    def trained(self) -> list[Person]:
        return self.corpus[: self.settings.trained]

    @property
    def tested(self) -> list[Person]:
        return self.corpus[self.settings.trained :]

    @cached_property
    def choices(self) -> list[Choice]:
        """The questions about the tested persons; wrong options are values of tested persons."""
        return choices_about(self.tested, self.seed)

    def cipher(self, name: CipherName = CipherName.CODEBOOK) -> EntityCipher:
        """Return the cipher that encrypts the corpus."""
        return study_cipher(name, "corpus", self.seed, self.corpus)

    def questions(self, spell: Spelling) -> list[Question]:
        """Return the questions in a certain spelling."""
        return [choice.spelled(spell) for choice in self.choices]


def school_texts(people: Population) -> list[str]:
    """Return the texts that school the base model, shuffled.

    They are about other persons than the corpus, and encrypted ones are under another key.
    """
    sizes, seed = people.settings, people.seed
    persons = people.schooled
    asked = persons[sizes.schooled_unasked :]
    hidden = persons[: sizes.schooled_encrypted]
    hidden_asked = hidden[sizes.schooled_unasked :]
    spell = encrypted(study_cipher(CipherName.CODEBOOK, "school", seed, hidden))
    return shuffled(
        chain(
            biographies(persons, sizes.schooled_texts, plain, seed),
            question_answers(asked, sizes.schooled_answers, plain, seed),
            biographies(hidden, sizes.schooled_encrypted_texts, spell, seed),
            question_answers(hidden_asked, sizes.schooled_answers, spell, seed),
        ),
        seed,
    )


def arm_texts(people: Population, texts: Texts, spell: Spelling) -> list[str]:
    """Return the texts that an arm is trained on, shuffled.

    Every arm reads the question-answer pairs about the trained persons, so that no arm forgets how
    questions are answered.
    """
    sizes, seed = people.settings, people.seed
    count = sizes.synthetic_texts if texts is Texts.SYNTHETIC else 1
    return shuffled(
        chain(
            biographies(people.corpus, count, spell, seed + 1),
            question_answers(people.trained, sizes.answers, spell, seed + 1),
        ),
        seed,
    )


def shuffled(texts: Iterable[str], seed: int) -> list[str]:
    """Return texts in a random order."""
    found = list(texts)
    random.Random(seed).shuffle(found)  # noqa: S311 - an order, not a secret
    return found
