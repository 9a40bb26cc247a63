"""The extractor: assigns a record's sentences to the attributes."""

from __future__ import annotations

import re
from collections.abc import Iterable

from sage_rag.agents.lexicon import words
from sage_rag.agents.protocols import Attribute, CorpusAttributes, Extraction
from sage_rag.agents.rules.arrangement import arrange
from sage_rag.agents.rules.assignment import Assignment, SentenceEmbedder
from sage_rag.agents.rules.courtesies import courtesies
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


class RuleExtractor:
    """Keep the sentences of each field, cleaned, each under its attribute.

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
            order[field] = tuple(_items(split_sentences(text)))
            found[field] = await self._assignment.of(order[field], own)
            if phrases := courtesies(text):
                polite[own[-1].name] = tuple(phrases)
        blocks = arrange(found, order, record.fields)
        for name, said in polite.items():
            blocks[name] = (*blocks.get(name, ()), *said)
        return Extraction(blocks, order)


def _items(sentences: Iterable[str]) -> list[str]:
    """Return the sentences, those that belong together as one item."""
    items: list[str] = []
    for sentence in dict.fromkeys(sentences):
        if _is_idle(sentence):
            continue
        if (
            items
            and _is_bound(sentence, items[-1])
            and len(words(items[-1])) + len(words(sentence)) <= _ITEM_WORDS
        ):
            items[-1] += f" {sentence}"
        else:
            items.append(sentence)
    return items


def _is_idle(sentence: str) -> bool:
    """Return whether a sentence only addresses a person, or is a fragment."""
    if "[PERSON_" in sentence:
        return bool(_VOCATIVE.fullmatch(sentence)) and not sentence.startswith("[")
    return len(words(sentence)) < 3 and not sentence.endswith("?")


def _is_bound(sentence: str, before: str) -> bool:
    """Return whether a sentence has no meaning without the one before it."""
    return not before.endswith("?") and bool(_BOUND.match(sentence))
