"""The extractor: assigns a record's sentences to the attributes."""

from __future__ import annotations

import re

from sage_rag.agents.lexicon import words
from sage_rag.agents.protocols import CorpusAttributes, Extraction
from sage_rag.agents.rules.assignment import Assignment, SentenceEmbedder
from sage_rag.agents.rules.courtesies import courtesies
from sage_rag.agents.rules.items import group
from sage_rag.agents.rules.sentences import is_clause, split_sentences
from sage_rag.privacy.protect import ProtectedText

_HEADING = re.compile(r"(?:[A-Z]|[IVX]{1,4}|\d{1,2})\. ")
_VOCATIVE = re.compile(r"(?:Mr|Mrs|Ms|Miss|Madam|Sir)\.? \[PERSON_\d+\]\.|\[[A-Z_]+_\d+\]\.")


class RuleExtractor:
    """Assign the whole sentences of each field to its attributes.

    Sentences that have their meaning only together form one item. Items of an attribute stay in the
    record's order.

    Source: Zeng et al. (2024), arXiv 2406.14773, §3.1. Differs: extractive, no model.
    """

    def __init__(self, embedder: SentenceEmbedder | None = None) -> None:
        self._assignment = Assignment(embedder)

    async def extract(self, record: ProtectedText, attributes: CorpusAttributes) -> Extraction:
        """Return the record's sentences by attribute."""
        phrases: dict[str, tuple[str, ...]] = {}
        order: dict[str, tuple[str, ...]] = {}
        for field, text in record.fields.items():
            own = [a for a in attributes.entries if a.field == field]
            if not own:
                continue
            sentences = [s for s in split_sentences(text) if not _is_idle(s)]
            items = group(list(dict.fromkeys(sentences)))
            order[field] = tuple(" ".join(item) for item in items)
            for attribute, found in (await self._assignment.of(order[field], own)).items():
                phrases[attribute.name] = tuple(found)
            if polite := courtesies(text):
                phrases[own[-1].name] = (*phrases.get(own[-1].name, ()), *polite)
        return Extraction(phrases, order)


def _is_idle(sentence: str) -> bool:
    """Return whether a sentence is a heading or a fragment, or only addresses a person."""
    if (sentence.isupper() and "[" not in sentence) or (
        _HEADING.match(sentence) and not is_clause(sentence)
    ):
        return True
    if "[PERSON_" in sentence:
        return bool(_VOCATIVE.fullmatch(sentence)) and not sentence.startswith("[")
    return len(words(sentence)) < 3 and not sentence.endswith("?")
