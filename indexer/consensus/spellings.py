"""Which spelling of a statement is published."""

from __future__ import annotations

from collections import Counter

_FREQUENT = 0.25
"""Of the uses of the most frequent spelling of a statement."""


def usual_spelling(counts: Counter[str]) -> str:
    """Return the spelling with most small letters among the frequent ones.

    So `chest pain` is published where records also have `Chest pain`, and `MRI` where few have
    `mri`.
    """
    least = _FREQUENT * max(counts.values())
    return min((text for text, count in counts.items() if count >= least), key=str.swapcase)
