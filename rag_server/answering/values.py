"""The value of each sentence for a question: shared words, likeness, and the kind of fact."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from math import log, sqrt

from sage_rag.indexer.passages import Passage
from sage_rag.privacy.lookup import codes_of
from sage_rag.privacy.tokens import TOKEN, tokens_in
from sage_rag.rag_server.answering.cues import cues_of
from sage_rag.rag_server.answering.names import names_someone
from sage_rag.rag_server.answering.sentences import Sentence, content_stems

# Chosen on the development questions (docs/results/answers.md).
_CARRIED = 0.4
"""Weight of a word that the question takes from an earlier one, relative to its own words."""
_ANSWER_FIELD = 0.7
"""Value of a sentence of an answer field without any word of the question: advice seldom repeats
the question that it answers."""
_SIMILARITY = 4.0
"""Value of a cosine of 1."""
_OTHER_FIELD = 0.5
"""What a sentence of another field keeps of its value: it resembles the question, as one asks."""
_TOPIC = 0.5
"""Weight of a word in the headings above a sentence, relative to one in the sentence."""
_SECTION = 1.0
"""Value of a sentence below headings that the question names: the plan, the allergies."""
_AFTER = 0.2
"""Share of a sentence's value that the next one gets: advice goes on over several sentences."""
_SCORE_POWER = 4
"""Of 1, 2, 3 and 4, the best."""
_MARKED = 4.0
"""Value of a sentence with a token or code that is asked for: as much as that of one that repeats
the question."""
_PARTICULAR = 0.8
"""What a sentence with a date, a place or a name keeps of its value for a question without any: it
is about one person rather than an answer."""


@dataclass(frozen=True)
class Asked:
    """What a question asks, or one of its parts.

    `stems`: its own words; `carried`: words that it takes from an earlier question; `similarities`:
    cosines of sentences and the question, where they were measured. `marks`: tokens and codes; a
    sentence with one of them is asked for.
    """

    text: str = field(repr=False)
    carried: Collection[str] = field(default=(), repr=False)
    similarities: Mapping[Sentence, float] = field(default_factory=dict, repr=False)
    marks: Collection[str] = field(default=(), repr=False)

    @property
    def stems(self) -> frozenset[str]:
        """The stems of its content words."""
        return frozenset(content_stems(self.text))

    @property
    def names_something(self) -> bool:
        """Whether it contains a token."""
        return any(map(TOKEN.fullmatch, (*self.stems, *self.carried)))


def rarities(sentences: Sequence[Sentence]) -> dict[str, float]:
    """Return the rarity of each stem among some sentences."""
    spread = Counter(stem for sentence in sentences for stem in set(sentence.stems))
    return {stem: log(1 + len(sentences) / count) for stem, count in spread.items()}


def holds_mark(text: str, marks: Collection[str]) -> bool:
    """Return whether a text has one of some tokens and codes."""
    found = set(tokens_in(text))
    return not (found | codes_of(TOKEN.sub(" ", text))).isdisjoint(marks)


def shares_of(passages: Sequence[Passage]) -> dict[int, float]:
    """Return what the sentences of each passage keep of their value, by rank.

    A good sentence of a passage that matches the question badly is of another matter.
    """
    best = max((passage.score for passage in passages), default=0.0)
    if best <= 0:
        return {}
    return {
        rank: (max(passage.score, 0.0) / best) ** _SCORE_POWER
        for rank, passage in enumerate(passages, 1)
    }


def values_of(
    sentences: Sequence[Sentence], asked: Asked, shares: Mapping[int, float]
) -> dict[Sentence, float]:
    """Return the value of each sentence for a question, 0 or more.

    `shares`: what the sentences of each passage, by its rank, keep of their value.
    """
    rarity, cues = rarities(sentences), cues_of(asked.text)
    weights = {stem: _CARRIED * rarity.get(stem, 0.0) for stem in asked.carried}
    weights |= {stem: rarity.get(stem, 0.0) for stem in asked.stems}
    words = {stem: weight for stem, weight in weights.items() if not names_someone(stem)}
    # A record is chosen by the name, and all of it is about the person, named again or not.
    weights = words or weights
    values: dict[Sentence, float] = {}
    before: Sentence | None = None
    previous = 0.0
    for sentence in sentences:
        own_stems = set(sentence.stems)
        value = sum(weights.get(stem, 0.0) for stem in own_stems)
        topic = set(sentence.topic)
        value += _TOPIC * sum(weights.get(s, 0.0) for s in topic - own_stems)
        value /= sqrt(len(sentence.stems) + 1)
        if topic:
            value += _SECTION * len(topic & asked.stems) / len(topic)
        value += _SIMILARITY * max(asked.similarities.get(sentence, 0.0), 0.0)
        if sentence.answers:
            value += sum(cue.weight for cue in cues if cue.states(sentence.text))
        value = value + _ANSWER_FIELD if sentence.answers else value * _OTHER_FIELD
        if asked.marks and holds_mark(sentence.text, asked.marks):
            value += _MARKED
        if (sentence.unnamed or TOKEN.search(sentence.text)) and not asked.names_something:
            value *= _PARTICULAR
        own = value * shares.get(sentence.rank, 1.0)
        goes_on = before is not None and before.rank == sentence.rank and before.answers
        values[sentence] = own + (_AFTER * previous if goes_on and sentence.answers else 0.0)
        before, previous = sentence, own
    return values
