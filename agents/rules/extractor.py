"""The extractor: assigns a record's sentences to the attributes."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from sage_rag.agents.lexicon import words
from sage_rag.agents.protocols import Attribute, CorpusAttributes, Extraction
from sage_rag.agents.rules.arrangement import arrange
from sage_rag.agents.rules.assignment import Assignment, SentenceEmbedder
from sage_rag.agents.rules.courtesies import courtesies
from sage_rag.agents.rules.presets import cues
from sage_rag.agents.rules.salience import saliences
from sage_rag.agents.rules.sentences import split_sentences
from sage_rag.privacy.protect import ProtectedText

_BOUND = re.compile(
    r"(?:they|these|those|its|such|both|which|that is why|the (?:other|former|latter|same)"
    r"|one of|he said|she said|he told|she told|he|she|otherwise|then|after that)\b",
    re.IGNORECASE,
)
_VOCATIVE = re.compile(r"(?:Mr|Mrs|Ms|Miss|Madam|Sir)\.? \[PERSON_\d+\]\.|\[[A-Z_]+_\d+\]\.")
_ITEM_WORDS = 40
"""Up to this many words, a sentence that refers to the one before forms one item with it."""


@dataclass(slots=True)
class _Item:
    """One sentence, or several that belong together. `place`: index in the field."""

    place: int
    text: str
    salience: float = 0.0

    @property
    def size(self) -> int:
        return len(words(self.text))


class RuleExtractor:
    """Keep the most salient sentences of each field, cleaned, each under its attribute.

    A field keeps at most as many words as it has; the last item may exceed that by half its size.
    Sentences of an attribute stay in the record's order; `arrangement` orders the attributes.

    Source: Zeng et al. (2024), arXiv 2406.14773, §3.1. Differs: extractive, no model.
    """

    def __init__(self, embedder: SentenceEmbedder | None = None) -> None:
        self._assignment = Assignment(embedder)

    async def extract(self, record: ProtectedText, attributes: CorpusAttributes) -> Extraction:
        """Return the key information by attribute."""
        found: dict[str, dict[Attribute, list[str]]] = {}
        order: dict[str, tuple[str, ...]] = {}
        polite: dict[str, tuple[str, ...]] = {}
        for field, text in record.fields.items():
            own = [a for a in attributes.entries if a.field == field]
            if not own:
                continue
            items = self._select(text, frozenset().union(*map(cues, own)))
            order[field] = tuple(item.text for item in items)
            found[field] = await self._assignment.of(order[field], own)
            if phrases := courtesies(text):
                polite[own[-1].name] = tuple(phrases)
        blocks = arrange(found, order, record.fields)
        for name, said in polite.items():
            blocks[name] = (*blocks.get(name, ()), *said)
        return Extraction(blocks, order)

    @staticmethod
    def _select(text: str, cue_words: frozenset[str]) -> list[_Item]:
        """Return the items kept of one field.

        Cleaned sentences can have more words than their text, so that the budget, all words of the
        text, can drop the least salient ones.
        """
        items = _items(split_sentences(text))
        for item, value in zip(items, saliences([i.text for i in items], cue_words), strict=True):
            item.salience = value
        budget: float = len(words(text))
        kept: list[_Item] = []
        for item in sorted(items, key=lambda i: (-i.salience, i.place)):
            if item.size <= 2 * budget or not kept:
                kept.append(item)
                budget -= item.size
        return sorted(kept, key=lambda i: i.place)


def _items(sentences: Sequence[str]) -> list[_Item]:
    items: list[_Item] = []
    for place, sentence in enumerate(dict.fromkeys(sentences)):
        last = items[-1] if items else None
        if _is_idle(sentence):
            continue
        if (
            last
            and _is_bound(sentence, last.text)
            and last.size + len(words(sentence)) <= _ITEM_WORDS
        ):
            last.text += f" {sentence}"
        else:
            items.append(_Item(place, sentence))
    return items


def _is_idle(sentence: str) -> bool:
    """Return whether a sentence only addresses a person, or is a fragment."""
    if "[PERSON_" in sentence:
        return bool(_VOCATIVE.fullmatch(sentence)) and not sentence.startswith("[")
    return len(words(sentence)) < 3 and not sentence.endswith("?")


def _is_bound(sentence: str, before: str) -> bool:
    """Return whether a sentence has no meaning without the one before it."""
    return not before.endswith("?") and bool(_BOUND.match(sentence))
