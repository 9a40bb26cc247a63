"""The generator: a new record from key information alone."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from sage_rag.agents.lexicon import words
from sage_rag.agents.protocols import CorpusAttributes, Draft, Extraction
from sage_rag.agents.rules.courtesies import CLOSING, is_closing, is_courtesy, is_greeting
from sage_rag.agents.rules.dependence import warns
from sage_rag.agents.rules.items import part_to_leave_out, shorten
from sage_rag.agents.rules.sentences import separate
from sage_rag.agents.rules.wording import RUN, Wording
from sage_rag.common.questions import asks
from sage_rag.privacy.gate.leakage import Original, SharedRun
from sage_rag.privacy.words import tokenize

_ALIKE = 0.47
"""ROUGE-L F up to which a draft is unlike enough: the gate allows 0.5."""
_SIGNATURE = re.compile(r"(?:(?:Dr|Prof|Sister|Nurse)\.? )?\[PERSON_\d+\]\.?")


@dataclass(slots=True)
class _Passage:
    """One item, as the draft words it. `place`: its number in the record's `field`."""

    field: str
    place: int
    sentences: list[str]

    @property
    def text(self) -> str:
        return " ".join(self.sentences)

    @property
    def asks(self) -> bool:
        return any(map(asks, self.sentences))

    @property
    def warns(self) -> bool:
        return warns(self.text)

    @property
    def is_courtesy(self) -> bool:
        return is_courtesy(self.text)


class RuleGenerator:
    """Write each field from its items in the record's order, in other words where it can.

    Another order could change what a sentence refers to, or the order of events. Edits that keep
    the meaning break the runs of ten words. What still has such a run is left out, and items are
    left out until the whole is unlike the record. Deterministic: equal extractions give equal
    drafts.

    Source: Zeng et al. (2024), arXiv 2406.14773, §3.1. Differs: rules, no model.
    """

    async def generate(self, extraction: Extraction, attributes: CorpusAttributes) -> Draft:
        """Return a draft with one text per field of the attributes."""
        phrases = extraction.phrases
        seed = hashlib.sha256(repr(sorted(phrases.items())).encode()).hexdigest()
        wording = Wording(seed)
        by_field: dict[str, list[str]] = {a.field: [] for a in attributes.entries}
        for attribute in attributes.entries:
            by_field[attribute.field].extend(phrases.get(attribute.name, ()))
        order = extraction.sentences or by_field
        source = Original("\n".join(" ".join(order.get(field, ())) for field in by_field))
        passages = [
            _Passage(attribute.field, order[attribute.field].index(item), separate(item))
            for attribute in attributes.entries
            for item in _content(phrases.get(attribute.name, ()))
        ]
        for passage in passages:
            passage.sentences = wording.reword(passage.sentences, source)
            _leave_out_runs([passage], source)
        fields = list(by_field)
        passages = [p for p in passages if p.sentences]
        passages.sort(key=lambda p: (fields.index(p.field), p.place))
        reworded = iter(wording.reword([s for p in passages for s in p.sentences], source))
        for passage in passages:
            passage.sentences = [next(reworded) for _ in passage.sentences]
        passages = [
            passage
            for field, items in by_field.items()
            for passage in _with_courtesies(field, items, passages)
        ]
        _leave_out_runs(passages, source)
        _reduce_likeness(passages, source)
        return Draft({f: " ".join(p.text for p in passages if p.field == f) for f in by_field})


def _content(items: Sequence[str]) -> list[str]:
    """Return the items without courtesies and signatures."""
    return [
        item
        for item in items
        if not is_greeting(item) and not is_closing(item) and not _SIGNATURE.fullmatch(item)
    ]


def _with_courtesies(
    field: str, items: Sequence[str], passages: Sequence[_Passage]
) -> Iterator[_Passage]:
    """Yield the passages of a field: greeting, content, closing, signature.

    `items`: those of the record's field.
    """
    greeting = [item for item in items if is_greeting(item)]
    closing = [item for item in items if is_closing(item)]
    said = [item for item in items if not is_courtesy(item)]
    if said and _SIGNATURE.fullmatch(said[-1]):
        closing = [item for item in closing if not item.startswith(CLOSING.rstrip(","))]
        closing.append(f"{CLOSING} {said[-1].rstrip('.')}.")
    content = [passage for passage in passages if passage.field == field]
    if any(passage.asks for passage in content):
        closing = [item for item in closing if not asks(item)]
    if not content and _content(items) and not any(map(asks, closing)):
        return  # courtesies without content would hide from the gate that a field is blank
    yield from (_Passage(field, -1, [item]) for item in greeting[:1])
    yield from content
    yield from (_Passage(field, len(items), [item]) for item in closing)


def _leave_out_runs(passages: list[_Passage], source: Original) -> None:
    """Leave out the end of each item from the sentence that still has a run."""
    while runs := source.shared_runs(_text(passages), at_least=RUN):
        passage, place = _place(passages, runs[0])
        _cut(passages, passage, place)


def _place(passages: Sequence[_Passage], run: SharedRun) -> tuple[_Passage, int]:
    """Return the item and the number of the sentence to leave out, so that a run is gone.

    `items.part_to_leave_out` says which.
    """
    places: list[tuple[_Passage, int]] = []
    parts: list[tuple[str, int]] = []
    start = 0
    for passage in passages:
        for number, sentence in enumerate(passage.sentences):
            end = start + len(sentence)
            low, high = max(run.start, start), min(run.end, end)
            if low < high:
                places.append((passage, number))
                parts.append((sentence, len(tokenize(sentence[low - start : high - start]))))
            start = end + 1
    if not parts:
        raise ValueError("a run lies outside of the draft")
    return places[part_to_leave_out(parts, run.tokens, RUN)]


def _cut(passages: list[_Passage], passage: _Passage, count: int) -> None:
    """Keep at most the first `count` sentences of an item."""
    passage.sentences = list(shorten(passage.sentences, count))
    if not passage.sentences:
        passages.remove(passage)


def _reduce_likeness(passages: list[_Passage], source: Original) -> None:
    """Leave out the ends of items, the best first, until the whole is unlike the record.

    Warnings go after everything else but questions and what these are about, the item before; each
    field keeps a sentence.
    """
    while (alike := source.rouge_l(_text(passages))) > _ALIKE:
        spare = [p for p in passages if not p.is_courtesy and _can_lose(p, passages)]
        asked = _complaints(passages)
        choices = [p for p in spare if not (p.asks or p.warns or p in asked)]
        choices = choices or [p for p in spare if not (p.asks or p in asked)]
        choices = choices or [p for p in spare if not p.asks] or spare
        if not choices:
            return
        gains = [_gain(passage, passages, source, alike) for passage in choices]
        passage = choices[max(range(len(choices)), key=gains.__getitem__)]
        _cut(passages, passage, len(passage.sentences) - 1)


def _complaints(passages: Sequence[_Passage]) -> list[_Passage]:
    """Return the item before each question of a field: what the question is about."""
    return [
        one
        for one, other in pairwise(passages)
        if other.asks and not one.asks and not one.is_courtesy and one.field == other.field
    ]


def _gain(passage: _Passage, passages: Sequence[_Passage], source: Original, alike: float) -> float:
    """Return by how much less like the record a draft is for each word that an item loses."""
    shorter = " ".join(shorten(passage.sentences, len(passage.sentences) - 1))
    lost = len(words(passage.text)) - len(words(shorter))
    rest = "\n".join(shorter if p is passage else p.text for p in passages)
    return (alike - source.rouge_l(rest)) / lost


def _can_lose(passage: _Passage, passages: Sequence[_Passage]) -> bool:
    """Return whether a field has content left without the last sentence of an item."""
    if shorten(passage.sentences, len(passage.sentences) - 1):
        return True
    return any(
        p is not passage and p.field == passage.field and not p.is_courtesy for p in passages
    )


def _text(passages: Sequence[_Passage]) -> str:
    return "\n".join(passage.text for passage in passages)
