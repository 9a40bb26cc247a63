"""Utility: how well answers match references, and whether an index still finds the same records."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Sequence

from sage_rag.common.exceptions import InputError
from sage_rag.common.proportions import Proportion
from sage_rag.privacy.words import tokenize

_CITATION = re.compile(r"\s*\[\d+\]")


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


def agreement(
    reference: Sequence[Sequence[str]], other: Sequence[Sequence[str]], top_k: int
) -> Proportion:
    """Count the questions whose first source in `reference` is in the first `top_k` of `other`.

    Both hold, per question, the source ids of the retrieved passages, best first. A question for
    which the reference found nothing counts as a miss.

    Raises:
        InputError: unless both answer the same questions, at least one.
    """
    if not reference or len(reference) != len(other):
        raise InputError(f"{len(reference)} rankings cannot be compared with {len(other)}")
    pairs = zip(reference, other, strict=True)
    agreeing = sum(bool(first) and first[0] in found[:top_k] for first, found in pairs)
    return Proportion.of(agreeing, len(reference))
