"""Sizes of the study: persons, texts, model."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict

from sage_rag.eval.knowledge.arms import BASE, ENC_S, MAIN_ARMS, SYNT


class StudySettings(BaseModel):
    """How much the models read, and how large they are.

    `schooled`: persons that the base model is schooled on; it answers no question of
    `schooled_unasked` of them. `schooled_encrypted`: how many of them it also reads under keys that
    no arm uses, as a large model has read identifiers and Base64. `trained`, `tested`: persons of
    the corpus whose questions are trained, and whose questions are asked.
    """

    model_config = ConfigDict(frozen=True)
    arms: tuple[str, ...] = tuple(arm.name for arm in MAIN_ARMS)
    """The arms of part `main`."""
    schooled: int = 800
    schooled_unasked: int = 100
    schooled_encrypted: int = 300
    schooled_texts: int = 16
    schooled_encrypted_texts: int = 12
    schooled_answers: int = 4
    """Question-answer pairs for each fact of a schooled person."""
    schooled_epochs: int = 2
    trained: int = 80
    tested: int = 80
    synthetic_texts: int = 40
    """Differently worded texts for each person of the corpus."""
    few_texts: int = 10
    """Samples for each person in part `leakage`."""
    cipher_schooled: int = 60
    """Schooled persons that the base of part `ciphers` reads about under each cipher."""
    cipher_schooled_texts: int = 6
    cipher_texts: tuple[int, ...] = (2, 6)
    """Sentences for each fact in part `ciphers`; one model for each number and cipher."""
    tuple_samples: int = 3
    """Samples for each person in part `tuples`: few, so that its arms differ."""
    tuple_steps: int = 160
    """Steps of every arm of part `tuples`."""
    answers: int = 3
    """Question-answer pairs for each fact of a trained person."""
    epochs: int = 2
    outputs: int = 1
    """Generated answers for each form of a question; the majority of all decides."""
    vocabulary: int = 2048
    width: int = 192
    layers: int = 4
    heads: int = 4
    row_tokens: int = 256
    rows_per_step: int = 8
    learning_rate: float = 1e-3


FULL = StudySettings()
SMALL = StudySettings(
    arms=(BASE.name, ENC_S.name, SYNT.name),
    schooled=300,
    schooled_unasked=50,
    schooled_encrypted=100,
    trained=40,
    tested=80,
    synthetic_texts=16,
    few_texts=6,
    width=128,
)
"""For a first look in under 15 minutes."""
LARGE = StudySettings(width=448, layers=8, heads=8, learning_rate=6e-4)
"""20 million parameters, for a GPU. The rate lies between those of 2 million parameters and those
that are usual for 100 million; no other was tried."""
