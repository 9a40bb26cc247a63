"""Choose the sentences of an answer: those that answer, and what must not be left out with them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from math import log, sqrt

from sage_rag.privacy.tokens import TOKEN
from sage_rag.rag_server.answering.sentences import Sentence

_CARRIED = 0.4
"""Weight of a word that the question takes from an earlier one, relative to its own words."""
_ANSWER_FIELD = 0.6
"""Value of a sentence of an answer field without any word of the question: advice seldom repeats
the question that it answers."""
_SIMILARITY = 3.0
"""Value of a cosine of 1: as much as three words of the question in a short sentence."""
_OTHER_FIELD = 0.5
"""What a sentence of another field keeps of its value: it resembles the question, as one asks."""
_AFTER = 0.35
"""Share of a sentence's value that the next one gets: advice goes on over several sentences."""
_PARTICULAR = 0.5
"""What a sentence with a date, a place or a name keeps of its value for a question without any: it
is about one person rather than an answer."""
_RANK = 0.75
"""The value of a passage relative to the one before it."""
_NEAR_BEST = 0.6
"""Share of the best sentence's value that another sentence needs."""
_CONTEXT = 0.35
"""The same for a sentence that fills a short answer."""
_SHARED = 0.7
"""Share of a sentence's content that another sentence holds if one of them repeats the other."""


def values_of(
    sentences: Sequence[Sentence],
    asked: Collection[str],
    carried: Collection[str] = (),
    similarities: Mapping[Sentence, float] | None = None,
) -> dict[Sentence, float]:
    """Return the value of each sentence for a question, 0 or more.

    `asked`: stems of the question; `carried`: stems that it takes from an earlier one.
    `similarities`: cosines of sentences and the question, where they were measured.
    """
    asks_of_someone = any(map(TOKEN.fullmatch, (*asked, *carried)))
    spread = Counter(stem for sentence in sentences for stem in set(sentence.stems))
    rarity = {stem: log(1 + len(sentences) / count) for stem, count in spread.items()}
    weights = {stem: _CARRIED * rarity.get(stem, 0.0) for stem in carried}
    weights |= {stem: rarity.get(stem, 0.0) for stem in asked}
    values: dict[Sentence, float] = {}
    before: Sentence | None = None
    previous = 0.0
    for sentence in sentences:
        shared = sum(weights.get(stem, 0.0) for stem in set(sentence.stems))
        value = shared / sqrt(len(sentence.stems) + 1)
        value += _SIMILARITY * max((similarities or {}).get(sentence, 0.0), 0.0)
        value = value + _ANSWER_FIELD if sentence.answers else value * _OTHER_FIELD
        if (sentence.unnamed or TOKEN.search(sentence.text)) and not asks_of_someone:
            value *= _PARTICULAR
        own = value * _RANK ** (sentence.rank - 1)
        follows = before is not None and before.rank == sentence.rank
        goes_on = follows and before is not None and before.answers and sentence.answers
        values[sentence] = own + (_AFTER * previous if goes_on else 0.0)
        before, previous = sentence, own
    return values


def choose(
    values: Mapping[Sentence, float],
    parts: Sequence[Mapping[Sentence, float]] = (),
    *,
    most_words: int,
    few_words: int,
) -> list[Sentence]:
    """Return the sentences of an answer from one passage, in the order of the passage.

    The best sentence decides the passage. `parts`: the values for each part of a question that
    asks several things; the best sentence for each part is in the answer, which may then have twice
    as many words. The others come near it in value and fit `most_words`;
    an answer of less than `few_words` words gets sentences of less value, too. A sentence that
    refers to the one before brings it along, and a sentence brings the warnings that belong to it,
    over the limit if need be.
    """
    best = max(values, key=lambda s: (values[s], -s.rank, -s.place), default=None)
    if best is None or values[best] <= 0:
        return []
    own = [s for s in values if s.rank == best.rank and s.answers == best.answers]
    chosen = [best]
    for part in parts:
        first = max(own, key=lambda s: (part[s], -s.place))
        if first not in chosen and sum(s.size for s in chosen) + first.size <= 2 * most_words:
            chosen.append(first)
    for sentence in sorted(own, key=lambda s: (-values[s], s.place)):
        size = sum(s.size for s in chosen)
        share = _NEAR_BEST if size >= few_words else _CONTEXT
        fits = size + sentence.size <= most_words and values[sentence] >= share * values[best]
        if fits and not any(_repeats(sentence, other) for other in chosen):
            chosen.append(sentence)
    return sorted(_completed(chosen, own, most_words), key=lambda s: s.place)


def _completed(
    chosen: Sequence[Sentence], own: Sequence[Sentence], most_words: int
) -> list[Sentence]:
    """Return chosen sentences with what they refer to and the warnings that belong to them."""
    complete = list(chosen)
    by_place = {sentence.place: sentence for sentence in own}
    for sentence in chosen:
        before = by_place.get(sentence.place - 1)
        size = sum(s.size for s in complete)
        refers = sentence.refers and before is not None and before not in complete
        if refers and before is not None and size + before.size <= most_words:
            complete.append(before)
    for sentence in own:
        belongs = sentence.warns and any(_belongs(sentence, other) for other in chosen)
        if belongs and sentence not in complete:
            complete.append(sentence)
    return complete


def _belongs(warning: Sentence, kept: Sentence) -> bool:
    """Return whether a warning is about what a kept sentence says."""
    if warning.refers and warning.place == kept.place + 1:
        return True
    return warning.place > kept.place and bool(warning.subjects & kept.subjects)


def _repeats(sentence: Sentence, other: Sentence) -> bool:
    """Return whether the other sentence holds most of a sentence's content."""
    own, known = set(sentence.stems), set(other.stems)
    return len(own & known) > _SHARED * min(len(own), len(known)) if own and known else own == known
