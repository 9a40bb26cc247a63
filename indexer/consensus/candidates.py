"""Candidates: the statements of a topic that its subjects support."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from sage_rag.indexer.consensus.phrases import Phrase
from sage_rag.indexer.consensus.statements import Statement
from sage_rag.privacy.gate.support import SupportGate, content_stems

_FREQUENT = 0.25
"""Of the uses of the most frequent spelling of a statement."""


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
    phrase: Phrase


class Spellings:
    """The spelling of each statement: that with most small letters among the frequent ones.

    So `chest pain` is published where records also have `Chest pain`, and `MRI` where few `mri`.
    """

    def __init__(self, found: Sequence[Sequence[Statement]]) -> None:
        spellings: dict[tuple[str, ...], Counter[str]] = defaultdict(Counter)
        for statements in found:
            for statement in statements:
                spellings[statement.key][statement.text] += 1
        self._chosen = {
            key: min(_frequent(counts), key=str.swapcase) for key, counts in spellings.items()
        }

    def of(self, key: tuple[str, ...]) -> str:
        """Return the spelling of a statement."""
        return self._chosen[key]


def _frequent(counts: Counter[str]) -> list[str]:
    least = _FREQUENT * max(counts.values())
    return [text for text, count in counts.items() if count >= least]


def candidates(
    found: Sequence[Sequence[Statement]],
    subjects: frozenset[str],
    gate: SupportGate,
    spellings: Spellings,
) -> list[Candidate]:
    """Return the supported statements of a topic, by key. `found`: the statements by record."""
    said: dict[tuple[str, ...], list[Statement]] = defaultdict(list)
    for statements in found:
        for statement in statements:
            said[statement.key].append(statement)
    supported = []
    for key in sorted(said):
        text = spellings.of(key)
        stems = content_stems(text)
        holders = gate.support(stems, subjects)
        if holders >= gate.k:
            place = sum(statement.place for statement in said[key]) / len(said[key])
            phrases = Counter(statement.phrase for statement in said[key])
            phrase = max(sorted(phrases), key=phrases.__getitem__)
            supported.append(Candidate(key, text, stems, holders / len(subjects), place, phrase))
    return supported
