"""Provenance: the sentences of a record that each sentence of its draft comes from."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import pairwise

from sage_rag.privacy.gate.facts.extraction import facts_of
from sage_rag.privacy.gate.facts.facts import Facts
from sage_rag.privacy.gate.facts.sentences import Token, read_clauses, read_pieces

_SAME_FIELD = 1.15
"""A sentence is first looked for in its own field."""
_WHOLE = 0.25
"""The weight of how much of the source a draft sentence covers, next to how much of the draft
sentence the source covers."""
_SECOND_SHARE = 0.15
"""A further source covers at least this share of a draft sentence that no source before covers."""
_COPIED = 0.6
"""A draft sentence with at least this share of its pairs of neighbours in a sentence copies it."""
_MOST_SOURCES = 3


@dataclass(frozen=True, slots=True)
class Reading:
    """The sentences of a record, or of a draft, with their facts and the weight of each key."""

    sentences: tuple[Facts, ...]
    weights: Mapping[str, float]
    places: Mapping[str, Sequence[int]]
    """The sentences of each key, by number."""
    pairs: Mapping[tuple[str, str], Sequence[int]]
    """The sentences of each two neighbouring words, by number."""


@dataclass(frozen=True, slots=True)
class Link:
    """The sources of one draft sentence, the best first.

    `support`: the share of its content words, by weight, that its sources contain; in [0, 1].
    `covered`: the share of each source that the draft sentence covers.
    """

    sources: tuple[int, ...]
    support: float
    covered: tuple[float, ...]


def read(fields: Mapping[str, str]) -> Reading:
    """Read the sentences of a record; linear in the text."""
    sentences = tuple(_sentences(fields))
    places: defaultdict[str, list[int]] = defaultdict(list)
    pairs: defaultdict[tuple[str, str], list[int]] = defaultdict(list)
    for number, facts in enumerate(sentences):
        for key in facts.keys:
            places[key].append(number)
        for pair in set(_pairs(facts)):
            pairs[pair].append(number)
    count = len(sentences)
    weights = {key: math.log(1 + count / len(at)) for key, at in places.items()}
    return Reading(sentences, weights, places, pairs)


def _pairs(facts: Facts) -> list[tuple[str, str]]:
    """Return all neighbouring words of a sentence, those without content included."""
    words = [t.text for t in facts.sentence.tokens if t.kind != "mark"]
    return list(pairwise(words))


def _sentences(fields: Mapping[str, str]) -> Iterator[Facts]:
    offset = 0
    for name, text in fields.items():
        for start, end in read_pieces(text):
            for facts in _facts(text[start:end]):
                at, found = offset + start, facts.sentence
                placed = replace(found, field=name, start=at + found.start, end=at + found.end)
                yield replace(facts, sentence=placed)
        offset += len(text) + 1


@lru_cache(maxsize=1024)
def _facts(sentence: str) -> tuple[Facts, ...]:
    """Return the facts of a sentence; drafts repeat those of their record and of each other."""
    return tuple(map(facts_of, read_clauses(sentence)))


def align(source: Reading, draft: Reading) -> list[Link]:
    """Return the link of each draft sentence; deterministic.

    Words that are rare in the record count most. A sentence that merges two has two sources.
    """
    totals = [_weight(facts.content, source) for facts in source.sentences]
    return [_link(source, totals, facts) for facts in draft.sentences]


def token_weight(token: Token, source: Reading) -> float:
    """Return the weight of a content word: the greatest of its keys, 1 for a new word."""
    known = [source.weights[key] for key in token.keys if key in source.weights]
    return max(known) if known else 1.0


def _weight(tokens: Sequence[Token], source: Reading) -> float:
    return sum(token_weight(token, source) for token in tokens) or 1.0


def _clues(facts: Facts) -> list[Token]:
    """Return the words by which a sentence is found: content, numbers; else all words."""
    found = [t for t in facts.sentence.tokens if t.content or t.kind == "number"]
    return found or [t for t in facts.sentence.tokens if t.kind == "word"]


def _link(source: Reading, totals: Sequence[float], facts: Facts) -> Link:
    open_tokens = _clues(facts)
    whole = _weight(open_tokens, source)
    copies = _copies(source, facts)
    chosen: list[int] = []
    shares: list[float] = []
    support = 0.0
    while open_tokens and len(chosen) < _MOST_SOURCES:
        overlap: Counter[int] = Counter()
        for token in open_tokens:
            weight = token_weight(token, source)
            for number in {n for key in token.keys for n in source.places.get(key, ())}:
                overlap[number] += weight  # type: ignore[assignment]
        for number in copies:
            overlap.setdefault(number, 0.0)  # type: ignore[arg-type]
        for number in chosen:
            overlap.pop(number, None)
        if not overlap:
            break
        best = max(
            overlap,
            key=lambda n: (
                copies.get(n, 0.0),
                _score(source, totals, facts, overlap, n, whole),
                -n,
            ),
        )
        gained = overlap[best] / whole
        keys = source.sentences[best].keys
        if chosen and gained < _SECOND_SHARE:
            break
        chosen.append(best)
        shares.append(min(1.0, _shared(facts, source.sentences[best], source) / totals[best]))
        support += gained
        open_tokens = [t for t in open_tokens if t.keys.isdisjoint(keys)]
    return Link(tuple(chosen), min(1.0, support), tuple(shares))


def _copies(source: Reading, facts: Facts) -> dict[int, float]:
    """Return the sentences with most pairs of neighbours of a draft sentence, and their share.

    "The tenant reported this on the first day" comes from the sentence about the landlord that is
    otherwise the same, not from another one about the tenant.
    """
    pairs = _pairs(facts)
    found: Counter[int] = Counter()
    for pair in pairs:
        found.update(source.pairs.get(pair, ()))
    return {n: count / len(pairs) for n, count in found.items() if count >= _COPIED * len(pairs)}


def _score(
    source: Reading,
    totals: Sequence[float],
    facts: Facts,
    overlap: Mapping[int, float],
    number: int,
    whole: float,
) -> float:
    same = source.sentences[number].sentence.field == facts.sentence.field
    share = overlap[number] / whole + _WHOLE * min(1.0, overlap[number] / totals[number])
    return share * (_SAME_FIELD if same else 1.0)


def _shared(draft: Facts, found: Facts, source: Reading) -> float:
    return sum(token_weight(t, source) for t in found.content if not t.keys.isdisjoint(draft.keys))
