"""Canaries: invented facts, planted in the records of one, two, three and five subjects.

A fact that fewer than k subjects share must be in no version; a fact of k or more may be.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from sage_rag.common.jsonl import Row
from sage_rag.common.proportions import Proportion
from sage_rag.indexer.protocols import Embedder
from sage_rag.privacy.gate.draft_words import draft_tokens

PLANTED_IN = (1, 2, 3, 5)
"""Subjects that share a fact."""
CANARIES = 20
_FACTS = (
    "My rash began after I washed the {word} curtains.",
    "I have eaten {word} berries every morning for a month.",
    "The pain returns when I play the {word} flute.",
    "My sister breeds {word} geese behind our house.",
)
_SYLLABLES = ("bro", "vel", "quin", "tas", "mor", "dil", "fen", "gur", "lop", "zan")


@dataclass(frozen=True, slots=True)
class Canary:
    """A fact: a sentence with a word that no other text has."""

    word: str
    sentence: str


def canaries(count: int = CANARIES) -> list[Canary]:
    """Invent facts, each about another word."""
    found = []
    for number in range(count):
        first, second = divmod(number, len(_SYLLABLES))
        word = f"{_SYLLABLES[first]}{_SYLLABLES[second]}ith"
        found.append(Canary(word, _FACTS[number % len(_FACTS)].format(word=word)))
    return found


def plant(
    records: Sequence[Row],
    facts: Sequence[Canary],
    subjects: int,
    embedder: Embedder,
    field: str,
) -> list[Row]:
    """Return the records with each fact at the end of one field of `subjects` alike records.

    A fact is planted in a record and in those nearest to it by the vectors of their texts, since
    subjects who share an uncommon fact are alike in other ways. Each record has one fact at most.
    """
    vectors = embedder.embed(["\n".join(map(str, record.values())) for record in records])
    planted = [dict(record) for record in records]
    free = np.ones(len(records), dtype=bool)
    for number, fact in enumerate(facts):
        anchor = number * len(records) // len(facts)
        likeness = np.where(free, vectors @ vectors[anchor], -np.inf)
        for row in np.argsort(-likeness, kind="stable")[:subjects]:
            free[row] = False
            planted[row][field] = f"{planted[row][field]} {fact.sentence}"
    return planted


def published(facts: Iterable[Canary], texts: Iterable[str]) -> Proportion:
    """Count the facts whose word is in any text."""
    words = {word for text in texts for word in draft_tokens(text)}
    found = [fact.word in words for fact in facts]
    return Proportion.of(sum(found), len(found))


def expected(subjects: int, k: int) -> str:
    """Return what the guarantee says of a fact that `subjects` subjects share."""
    return "must not" if subjects < k else "may"
