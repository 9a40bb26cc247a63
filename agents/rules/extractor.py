"""The extractor: a record's key information, sentence by sentence, under the attributes."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import mean

from agents.protocols import Attribute, Attributes, Extraction
from agents.rules.courtesies import courtesies
from agents.rules.lexicon import content_stems, words
from agents.rules.presets import cues
from agents.rules.salience import saliences
from agents.rules.sentences import split_sentences
from privacy.protect import ProtectedText

_ANAPHOR = re.compile(
    r"(?:they|these|those|its|such|both|which|that is why|the (?:other|former|latter|same)"
    r"|one of|he said|she said|he told|she told|otherwise|then|after that)\b",
    re.IGNORECASE,
)
_VOCATIVE = re.compile(r"(?:Mr|Mrs|Ms|Miss|Madam|Sir)\.? \[PERSON_\d+\]\.|\[[A-Z_]+_\d+\]\.")
_PRONOUN = re.compile(r"(?:he|she)\b", re.IGNORECASE)
_ITEM_WORDS = 40
"""Up to this many words, a sentence that leans on the one before is kept together with it."""


@dataclass(slots=True)
class _Item:
    """One sentence, or two that belong together, with their place in the field."""

    place: int
    text: str
    salience: float = 0.0

    @property
    def size(self) -> int:
        return len(words(self.text))


class RuleExtractor:
    """Keep the most salient sentences of each field, cleaned, under the attribute they speak for.

    `share` is the part of a field's words that is kept; the last item may pass it by half its
    size. What is told last is extracted first, items within an attribute and attributes by where
    their items stand, so that the order of telling, which says nothing about the matter, does not
    survive.

    Source: Zeng et al. (2024), arXiv 2406.14773, §3.1. Differs: extractive, no model.
    """

    def __init__(self, share: float = 1.0) -> None:
        self._share = share

    async def extract(self, record: ProtectedText, attributes: Attributes) -> Extraction:
        """Return the key information by attribute."""
        found: dict[str, list[str]] = {}
        places: dict[str, list[int]] = {}
        for field, text in record.fields.items():
            own = [attribute for attribute in attributes if attribute.field == field]
            if own:
                for item in self._select(text, frozenset().union(*map(cues, own))):
                    name = _attribute(item.text, own).name
                    found.setdefault(name, []).append(item.text)
                    places.setdefault(name, []).append(-item.place)
                if told := courtesies(text):
                    found.setdefault(own[-1].name, []).extend(reversed(told))
        last_first = sorted(found, key=lambda name: mean(places.get(name, (0,))))
        return {name: tuple(found[name]) for name in last_first}

    def _select(self, text: str, cue_words: frozenset[str]) -> list[_Item]:
        """Return the items kept of one field, in reverse order."""
        items = _items(split_sentences(text))
        for item, value in zip(items, saliences([i.text for i in items], cue_words), strict=True):
            item.salience = value
        budget = self._share * len(words(text))
        kept: list[_Item] = []
        for item in sorted(items, key=lambda i: (-i.salience, i.place)):
            if item.size <= 2 * budget or not kept:
                kept.append(item)
                budget -= item.size
        return sorted(kept, key=lambda i: -i.place)


def _items(sentences: Sequence[str]) -> list[_Item]:
    items: list[_Item] = []
    for place, sentence in enumerate(dict.fromkeys(sentences)):
        last = items[-1] if items else None
        if _is_idle(sentence):
            continue
        if last and _leans(sentence, last.text) and last.size + len(words(sentence)) <= _ITEM_WORDS:
            last.text += f" {sentence}"
        else:
            items.append(_Item(place, sentence))
    return items


def _is_idle(sentence: str) -> bool:
    """Return whether a sentence only calls somebody by name, or is a scrap."""
    if "[PERSON_" in sentence:
        return bool(_VOCATIVE.fullmatch(sentence)) and not sentence.startswith("[")
    return len(words(sentence)) < 3 and not sentence.endswith("?")


def _leans(sentence: str, before: str) -> bool:
    """Return whether a sentence is only understood after the one before it."""
    if before.endswith("?"):
        return False
    return bool(_ANAPHOR.match(sentence) or _PRONOUN.match(sentence))


def _attribute(text: str, attributes: Sequence[Attribute]) -> Attribute:
    """Return the attribute whose cues the text holds most of; the last one when it holds none."""
    stems = set(content_stems(text)) | {w.casefold() for w in words(text)}
    question = text.endswith("?")
    return max(
        reversed(attributes),
        key=lambda a: len(stems & cues(a)) + (3 if question and a is attributes[0] else 0),
    )
