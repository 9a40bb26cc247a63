"""Candidates: the statements of a topic that its subjects support."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from sage_rag.indexer.consensus.statements import Statement
from sage_rag.privacy.gate.support import SupportGate, content_stems


@dataclass(frozen=True, slots=True)
class Candidate:
    """A statement that may be published. `share`: of the topic's subjects, who support it.

    `place`: where records say it on average, from 0 (their beginning) to 1.
    """

    key: tuple[str, ...]
    text: str
    stems: frozenset[str]
    share: float
    place: float


class Spellings:
    """The most frequent spelling of each statement in the corpus: `MRI scan` for `mri scan`.

    Of equally frequent ones that with more small letters.
    """

    def __init__(self, found: Sequence[Sequence[Statement]]) -> None:
        spellings: dict[tuple[str, ...], Counter[str]] = defaultdict(Counter)
        for statements in found:
            for statement in statements:
                spellings[statement.key][statement.text] += 1
        self._chosen = {
            key: min(counts, key=lambda text: (-counts[text], text.swapcase()))
            for key, counts in spellings.items()
        }

    def of(self, key: tuple[str, ...]) -> str:
        """Return the spelling of a statement."""
        return self._chosen[key]


def candidates(
    found: Sequence[Sequence[Statement]],
    subjects: frozenset[str],
    gate: SupportGate,
    spellings: Spellings,
) -> list[Candidate]:
    """Return the supported statements of a topic, by key. `found`: the statements by record."""
    places: dict[tuple[str, ...], list[float]] = defaultdict(list)
    for statements in found:
        for statement in statements:
            places[statement.key].append(statement.place)
    supported = []
    for key in sorted(places):
        text = spellings.of(key)
        stems = content_stems(text)
        holders = gate.support(stems, subjects)
        if holders >= gate.k:
            place = sum(places[key]) / len(places[key])
            share = holders / len(subjects)
            supported.append(Candidate(key, text, stems, share, place))
    return supported
