"""Agreement: whether another index still finds what a reference index ranks first."""

from __future__ import annotations

from collections.abc import Sequence

from sage_rag.common.exceptions import InputError
from sage_rag.common.proportions import Proportion


def agreement(
    reference: Sequence[Sequence[str]], other: Sequence[Sequence[str]], top_k: int
) -> Proportion:
    """Count the questions whose first source in `reference` is in the first `top_k` of `other`.

    Both hold, per question, the source ids of the passages retrieved, best first. A question to
    which the reference found nothing counts as a miss.

    Raises:
        InputError: unless both answer the same questions, at least one.
    """
    if not reference or len(reference) != len(other):
        raise InputError(f"{len(reference)} rankings cannot be compared with {len(other)}")
    pairs = zip(reference, other, strict=True)
    agreeing = sum(bool(first) and first[0] in found[:top_k] for first, found in pairs)
    return Proportion.of(agreeing, len(reference))
