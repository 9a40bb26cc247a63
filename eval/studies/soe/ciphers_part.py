"""SIV, ECB and codebook compared: tokens per value, loss, accuracy, on the same texts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from statistics import fmean

from sage_rag.eval.knowledge.arms import ENC_S, QuestionSpelling, Texts
from sage_rag.eval.knowledge.persons import ENTITY_TYPES
from sage_rag.eval.knowledge.texts import encrypted
from sage_rag.eval.studies.soe.corpora import Population, arm_texts
from sage_rag.eval.studies.soe.main_part import measure_run
from sage_rag.eval.studies.soe.results import RunResult, by_name, stored_result
from sage_rag.eval.studies.soe.training_runs import SeedFolder
from sage_rag.eval.studies.tables import share, table
from sage_rag.privacy.entities import EntityType
from sage_rag.privacy.protocols import EntityCipher
from sage_rag.training.pretraining.tokenizing import load_tokenizer
from sage_rag.training.synthesis.encryption import CipherName

PART = "ciphers"
CIPHERS = (CipherName.CODEBOOK, CipherName.SIV, CipherName.ECB)
NAMES = [f"encS-{cipher}" for cipher in CIPHERS]
TOKENS_PER_VALUE = "tokens per value"


def run_ciphers(seed: SeedFolder) -> None:
    """Train and measure one model for each cipher that has no result yet."""
    tokenizer = load_tokenizer(seed.base_model())
    for name, cipher_name in zip(NAMES, CIPHERS, strict=True):
        if stored_result(seed.folder / name) is not None:
            continue
        cipher = seed.people.cipher(cipher_name)
        spell = encrypted(cipher)
        arm = replace(ENC_S, name=name)
        seed.arm_model(name, arm_texts(seed.people, Texts.SYNTHETIC, spell, few=True))
        result = measure_run(seed, PART, arm, spell, cipher)
        lengths = [
            len(tokenizer(f" {token}")["input_ids"]) for token in _tokens(seed.people, cipher)
        ]
        details = {TOKENS_PER_VALUE: fmean(lengths)}
        result.model_copy(update={"details": details}).save(seed.folder / name)


def blocks(results: Sequence[RunResult]) -> Iterator[str]:
    """Yield the table of the part, where it has been run."""
    found = by_name(results, PART)
    if not found:
        return
    titles = ("cipher", "seed", "tokens per value", "tokens read", "loss per token", "accuracy")
    rows = [
        (
            run.name.removeprefix("encS-"),
            run.seed,
            f"{run.details[TOKENS_PER_VALUE]:.1f}",
            f"{run.training.tokens:,}",
            f"{run.training.loss:.3f}",
            share(hidden.likelihood.correct),
        )
        for runs in found.values()
        for run in runs
        if (hidden := run.asked(QuestionSpelling.ENCRYPTED)) is not None
    ]
    yield (
        "## Ciphers\n\nThe same texts under each cipher, as often. The base model has read the "
        "codebook's tokens under another key, and no other ciphertext. A loss per token is lower "
        "where more tokens of a ciphertext follow from those before. "
        "A text under SIV is longer than a row and is split, so name and value of some facts are "
        "apart.\n\n" + table(titles, rows)
    )


def _tokens(people: Population, cipher: EntityCipher) -> Iterator[str]:
    for person in people.corpus:
        yield cipher.encrypt(person.name, EntityType.PERSON)
        for attribute, value in person.values.items():
            yield cipher.encrypt(value, ENTITY_TYPES[attribute])
