"""The generator: a new record from key information alone."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from dataclasses import dataclass

from sage_rag.agents.lexicon import words
from sage_rag.agents.protocols import CorpusAttributes, Draft, Extraction
from sage_rag.agents.rules.courtesies import CLOSING, is_closing, is_greeting
from sage_rag.agents.rules.items import shorten
from sage_rag.agents.rules.sentences import separate
from sage_rag.agents.rules.wording import RUN, Wording
from sage_rag.common.questions import asks
from sage_rag.privacy.gate.leakage import Original, SharedRun
from sage_rag.privacy.words import tokenize

_ALIKE = 0.47
"""ROUGE-L F up to which a draft is unlike enough: the gate allows 0.5."""
_WARNS = re.compile(
    r"\b(?:emergency|urgent(?:ly)?|immediately|at once|right away|without delay|ambulance|hospital"
    r"|as (?:soon|early) as possible|dangerous|life[- ]threatening|do not|never|stop|911|112)\b"
    r"|n['’]t\b",
    re.IGNORECASE,
)
"""A sentence that warns, or may: it is left out after those that do not."""
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
        return bool(_WARNS.search(self.text))


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
        _leave_out_runs(passages, source)
        _reduce_likeness(passages, source)
        return Draft({field: _field_text(field, by_field[field], passages) for field in by_field})


def _content(items: Sequence[str]) -> list[str]:
    """Return the items without courtesies and signatures."""
    return [
        item
        for item in items
        if not is_greeting(item) and not is_closing(item) and not _SIGNATURE.fullmatch(item)
    ]


def _field_text(field: str, items: Sequence[str], passages: Sequence[_Passage]) -> str:
    """Return one field: greeting, content, closing, signature."""
    greeting = [item for item in items if is_greeting(item)]
    closing = [item for item in items if is_closing(item)]
    if signatures := [item for item in items if _SIGNATURE.fullmatch(item)]:
        closing = [item for item in closing if not item.startswith(CLOSING.rstrip(","))]
        closing.append(f"{CLOSING} {signatures[-1].rstrip('.')}.")
    content = [passage.text for passage in passages if passage.field == field]
    return " ".join([*greeting[:1], *content, *closing])


def _leave_out_runs(passages: list[_Passage], source: Original) -> None:
    """Leave out the end of each item from the sentence that still has a run."""
    while runs := source.shared_runs(_text(passages), at_least=RUN):
        passage, place = _place(passages, runs[0])
        _cut(passages, passage, place)


def _place(passages: Sequence[_Passage], run: SharedRun) -> tuple[_Passage, int]:
    """Return the item and the number of the sentence to leave out, so that a run is gone.

    The largest part of the run goes, but a question or a warning only where no other part is
    enough.
    """
    found: list[tuple[bool, int, _Passage, int]] = []
    start = 0
    for passage in passages:
        for number, sentence in enumerate(passage.sentences):
            end = start + len(sentence)
            low, high = max(run.start, start), min(run.end, end)
            if low < high:
                size = len(tokenize(sentence[low - start : high - start]))
                needed = asks(sentence) or bool(_WARNS.search(sentence))
                spares = not needed and run.tokens - size < RUN
                found.append((spares, size, passage, number))
            start = end + 1
    if not found:
        raise ValueError("a run lies outside of the draft")
    _, _, passage, number = max(found, key=lambda part: part[:2])
    return passage, number


def _cut(passages: list[_Passage], passage: _Passage, count: int) -> None:
    """Keep at most the first `count` sentences of an item."""
    passage.sentences = list(shorten(passage.sentences, count))
    if not passage.sentences:
        passages.remove(passage)


def _reduce_likeness(passages: list[_Passage], source: Original) -> None:
    """Leave out the ends of items, the best first, until the whole is unlike the record.

    Warnings go after everything else but questions; the last item of a field stays.
    """
    while (alike := source.rouge_l(_text(passages))) > _ALIKE:
        spare = [p for p in passages if _has_others(p, passages)]
        choices = [p for p in spare if not p.asks and not p.warns]
        choices = choices or [p for p in spare if not p.asks] or spare
        if not choices:
            return
        gains = [_gain(passage, passages, source, alike) for passage in choices]
        passage = choices[max(range(len(choices)), key=gains.__getitem__)]
        _cut(passages, passage, len(passage.sentences) - 1)


def _gain(passage: _Passage, passages: Sequence[_Passage], source: Original, alike: float) -> float:
    """Return by how much less like the record a draft is for each word that an item loses."""
    shorter = " ".join(shorten(passage.sentences, len(passage.sentences) - 1))
    lost = len(words(passage.text)) - len(words(shorter))
    rest = "\n".join(shorter if p is passage else p.text for p in passages)
    return (alike - source.rouge_l(rest)) / lost


def _has_others(passage: _Passage, passages: Sequence[_Passage]) -> bool:
    return any(p is not passage and p.field == passage.field for p in passages)


def _text(passages: Sequence[_Passage]) -> str:
    return "\n".join(passage.text for passage in passages)
