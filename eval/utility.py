"""Utility: how well answers match references."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Sequence

from pydantic import BaseModel, ConfigDict

from sage_rag.common.exceptions import InputError
from sage_rag.privacy.gate.leakage import Original
from sage_rag.privacy.words import normalize, tokenize

_CITATION = re.compile(r"\s*\[\d+\]")


class Utility(BaseModel):
    """Means over questions, each in [0, 1]."""

    model_config = ConfigDict(frozen=True)
    questions: int
    bleu_1: float
    rouge_l: float
    exact_match: float


def utility(answers: Sequence[str], references: Sequence[str]) -> Utility:
    """Compare each answer with its reference; citations such as `[1]` are stripped first.

    Raises:
        InputError: when there are no answers, or not as many as references.
    """
    if not answers or len(answers) != len(references):
        raise InputError(f"{len(answers)} answers cannot be compared with {len(references)}")
    plain = [strip_citations(answer) for answer in answers]
    pairs = list(zip(plain, references, strict=True))
    return Utility(
        questions=len(pairs),
        bleu_1=_mean([bleu_1(answer, reference) for answer, reference in pairs]),
        rouge_l=_mean([Original(reference).rouge_l(answer).f1 for answer, reference in pairs]),
        exact_match=_mean([exact_match(answer, reference) for answer, reference in pairs]),
    )


def strip_citations(answer: str) -> str:
    """Return an answer without its `[n]` marks."""
    return _CITATION.sub("", answer)


def bleu_1(answer: str, reference: str) -> float:
    """Return sentence BLEU-1 against one reference: clipped unigram precision times brevity.

    No smoothing. Tokens are case-folded `\\w+`. Source: Zeng et al. (2024), arXiv 2406.14773,
    A.8. Differs: the authors' code splits at spaces, so a word before a comma is another word.
    """
    candidate, gold = tokenize(answer), tokenize(reference)
    if not candidate or not gold:
        return 0.0
    clipped = (Counter(candidate) & Counter(gold)).total()
    brevity = min(1.0, math.exp(1 - len(gold) / len(candidate)))
    return brevity * clipped / len(candidate)


def exact_match(answer: str, reference: str) -> float:
    """Return 1 when the reference stands in the answer, case and spaces aside.

    Source: Zeng et al. (2024), arXiv 2406.14773, A.8.
    """
    return float(bool(reference.strip()) and normalize(reference) in normalize(answer))


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)
