"""What became of the ciphertext in generated answers: the paper's kinds of failure.

Source: Liu et al. (2025), SoE, A.1, Tables 5 and 6: FCAOA, a valid ciphertext of another article;
FCND, one that does not decode. A person is an article here.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from enum import StrEnum

from pydantic import BaseModel, ConfigDict

from sage_rag.common.proportions import Proportion
from sage_rag.eval.knowledge.answering import Answers
from sage_rag.eval.knowledge.questions import Question
from sage_rag.privacy.inspection import Condition, inspect
from sage_rag.privacy.protocols import EntityCipher


class Outcome(StrEnum):
    """The outcome of one ciphertext in an answer."""

    CORRECT = "correct"
    """Opens, and belongs to the person that the question is about."""
    REPAIRED = "repaired"
    """As `CORRECT`, after its Base64 or spelling was repaired."""
    FCAOA = "FCAOA"
    """Opens, but belongs to another person."""
    FCND = "FCND"
    """Does not open."""


class OutcomeCounts(BaseModel):
    """Ciphertexts in answers: all occurrences, and distinct spellings, by outcome.

    `by_condition`: occurrences by the kernel's finer conditions.
    """

    model_config = ConfigDict(frozen=True)
    occurrences: Mapping[Outcome, int]
    distinct: Mapping[Outcome, int]
    by_condition: Mapping[Condition, int]

    @property
    def failed(self) -> Proportion:
        """The share of occurrences that are FCAOA or FCND; the paper has 2.9 % and 3.9 %."""
        return _failed(self.occurrences)

    @property
    def failed_distinct(self) -> Proportion:
        """The share of distinct ciphertexts that are; the paper has 16 % and 17 %."""
        return _failed(self.distinct)


def outcomes_of(
    questions: Sequence[Question], answers: Answers, cipher: EntityCipher
) -> OutcomeCounts:
    """Classify the ciphertexts of generated answers.

    A person's own ciphertexts are the name and the correct answers of all questions about it.
    """
    own: dict[str, set[str]] = {}
    for question in questions:
        own.setdefault(question.subject, {question.subject}).add(question.answer)
    written = zip(questions, answers.outputs, strict=True)
    return count_outcomes(
        ((text, own[question.subject]) for question, texts in written for text in texts), cipher
    )


def count_outcomes(
    answers: Iterable[tuple[str, Collection[str]]], cipher: EntityCipher
) -> OutcomeCounts:
    """Classify every ciphertext in generated texts.

    `answers`: each text, with the tokens of the person that its question is about.
    """
    occurrences: Counter[Outcome] = Counter()
    conditions: Counter[Condition] = Counter()
    spellings: dict[Outcome, set[str]] = {outcome: set() for outcome in Outcome}
    for text, own in answers:
        for found in inspect(text, cipher, cited=own).occurrences:
            outcome = _OUTCOMES.get(found.condition, Outcome.FCND)
            occurrences[outcome] += 1
            conditions[found.condition] += 1
            spellings[outcome].add(text[found.start : found.end])
    return OutcomeCounts(
        occurrences={outcome: occurrences[outcome] for outcome in Outcome},
        distinct={outcome: len(spellings[outcome]) for outcome in Outcome},
        by_condition=dict(conditions),
    )


_OUTCOMES = {
    Condition.VALID: Outcome.CORRECT,
    Condition.REPAIRED: Outcome.REPAIRED,
    Condition.UNCITED: Outcome.FCAOA,
}


def _failed(counts: Mapping[Outcome, int]) -> Proportion:
    failures = counts[Outcome.FCAOA] + counts[Outcome.FCND]
    return Proportion.of(failures, sum(counts.values()))
