"""What reads texts for the answer to a question, and what it finds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True)
class Reading:
    """What a reader finds in a text.

    `probability` that the text answers the question; `start` and `end`: code points of the stretch
    that answers best, whether it answers or not.
    """

    probability: float
    start: int
    end: int


class PassageReader(Protocol):
    """Reads whether texts answer a question. For several threads.

    Question and texts are views without ciphertext (`privacy.tokens.readable_view`), with one
    number for each value in both.
    """

    def read(self, question: str, texts: Sequence[str]) -> Sequence[Reading]:
        """Return what each text answers."""
        ...
