"""Choose the sentences of an answer: those that answer, and what must not be left out with them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from heapq import heapify, heappop, heapreplace
from itertools import takewhile
from math import inf, sqrt

from sage_rag.agents.lexicon import lexicon
from sage_rag.privacy.tokens import TOKEN
from sage_rag.rag_server.answering.names import names_someone
from sage_rag.rag_server.answering.sentences import Sentence
from sage_rag.rag_server.answering.values import rarities

_NEAR_BEST = 0.6
"""Share of the best sentence's value that another sentence needs."""
_CONTEXT = 0.25
"""The same for a sentence after the best one that fills a short answer."""
_READ = 1.0
"""What a sentence is worth more where a reader places the answer, however sure it is that there is
one: that decides the outcome. With more, the development questions find no more right ones."""
_AS_GOOD = 0.75
"""The share of the highest value from which on a sentence with a word of the question is in a brief
answer. Of 0.75, 0.85 and 0.95, the lowest keeps most of what the examples' answers need."""
_NEW_WORDS = 0.5
"""Value of the question's words that no chosen sentence has, relative to the others."""
_SHARED = 0.7
"""Share of a sentence's content that another sentence holds if one of them repeats the other."""
_SHORT = 5
"""Words of a sentence that announces the next one: "The cure is stopping."."""
_ROLE = 2
"""Words next to a name that say no more than a role: "party host"."""
_FEW = 3
"""Sentences of a record that share a subject: more of them, and it is what the record is about."""
_CASE = re.compile(r"(?:If|Otherwise|Else)\b")
"""The start of one of several cases: "If negative ..." and "If positive ..."."""


def choose(
    values: Mapping[Sentence, float],
    parts: Sequence[Mapping[Sentence, float]] = (),
    asked: Collection[str] = (),
    read: Collection[Sentence] = (),
    *,
    most_words: int,
    few_words: int,
    brief: bool = False,
    asks_value: bool = False,
) -> list[Sentence]:
    """Return the sentences of an answer from one passage, in the order of the passage.

    The best sentence decides the passage. `parts`: the values for each part of a question that
    asks several things; the best sentence for each part is in the answer, which may then have twice
    as many words. `read`: the sentences where a reader places the answer; they are preferred, and
    those of the passage are in the answer as far as they fit. `asked`: the stems of the question; a
    sentence with words of it that the answer does not have yet is preferred. The other sentences
    come near the best one in value and fit `most_words`; an answer of less than `few_words` words
    also gets sentences of less value, if they come after the best one, below the same headings.
    `brief`: of the others, only those with a word of the question, which the answer does not have
    yet, or of nearly the highest value; where the question asks for a value (`asks_value`), these
    have a word of it, too. A sentence that refers to the one before brings it
    along, one of several cases the other ones, and a sentence brings the warnings that belong to
    it, over the limit if need be.
    """

    def worth(sentence: Sentence) -> float:
        return values[sentence] + (_READ if sentence in read else 0.0)

    best = max(values, key=lambda s: (worth(s), -s.rank, -s.place), default=None)
    if best is None or worth(best) <= 0:
        return []
    own = [s for s in values if s.rank == best.rank and s.answers == best.answers]
    chosen = [best]
    for part in parts:
        first = max(own, key=lambda s: (part[s], -s.place))
        if first not in chosen and sum(s.size for s in chosen) + first.size <= 2 * most_words:
            chosen.append(first)
    for sentence in own:
        size = sum(s.size for s in chosen) + sentence.size
        if sentence in read and sentence not in chosen and size <= most_words:
            chosen.append(sentence)
    _fill(chosen, own, values, asked, most_words, few_words, brief=brief, asks_value=asks_value)
    return sorted(_completed(chosen, own, most_words), key=lambda s: s.place)


def _fill(
    chosen: list[Sentence],
    own: Sequence[Sentence],
    values: Mapping[Sentence, float],
    asked: Collection[str],
    most_words: int,
    few_words: int,
    *,
    brief: bool,
    asks_value: bool,
) -> None:
    """Add sentences to the chosen ones, best first, as far as they fit and do not repeat."""
    best, rarity = chosen[0], rarities(own)
    # Where the reader chose, the best sentence may share no word with the question.
    highest = max(values[sentence] for sentence in own)
    words_asked = {stem for stem in asked if not names_someone(stem)}
    known = {stem for sentence in chosen for stem in sentence.stems}
    size = sum(sentence.size for sentence in chosen)

    def fresh(sentence: Sentence) -> set[str]:
        return words_asked.intersection(sentence.stems) - known

    def is_about(sentence: Sentence) -> bool:
        return not asks_value or not words_asked.isdisjoint((*sentence.stems, *sentence.topic))

    def gain(sentence: Sentence) -> float:
        words = sum(rarity[stem] for stem in fresh(sentence)) / sqrt(len(sentence.stems) + 1)
        return values[sentence] + _NEW_WORDS * words

    # Each with the gain that it had once: gains only fall, so that few are computed again.
    rest = [(-gain(s), s.place, n) for n, s in enumerate(own) if s not in chosen]
    heapify(rest)
    while rest:
        had, place, number = rest[0]
        sentence = own[number]
        has = gain(sentence)
        if has < -had:
            heapreplace(rest, (-has, place, number))
            continue
        heappop(rest)
        goes_on = sentence.place > best.place and sentence.topic == best.topic
        is_context = size < few_words and goes_on and _says_enough(sentence)
        enough = has >= (_CONTEXT if is_context else _NEAR_BEST) * highest
        fits = size + sentence.size <= most_words
        wanted = (
            is_context
            or not brief
            or bool(fresh(sentence))
            or (values[sentence] >= _AS_GOOD * highest and is_about(sentence))
        )
        if fits and enough and wanted and not any(_repeats(sentence, other) for other in chosen):
            chosen.append(sentence)
            known.update(sentence.stems)
            size += sentence.size


def _says_enough(sentence: Sentence) -> bool:
    """Return whether a sentence is more than a name and a role: "Researcher: Tamsin Orde."."""
    words = TOKEN.sub(" ", sentence.text).split()
    said = sum(any(map(str.isalnum, word)) for word in words)
    return said > _ROLE or not names_someone(sentence.text)


def _completed(
    chosen: Sequence[Sentence], own: Sequence[Sentence], most_words: int
) -> list[Sentence]:
    """Return chosen sentences with what they refer to and what belongs to them."""
    complete = list(chosen)
    by_place = {sentence.place: sentence for sentence in own}

    def add(sentence: Sentence | None, most: float = inf) -> None:
        fits = sentence is not None and sum(s.size for s in complete) + sentence.size <= most
        if sentence is not None and fits and sentence not in complete:
            complete.append(sentence)

    for sentence in chosen:
        if sentence.refers:
            add(by_place.get(sentence.place - 1), most_words)
        following = by_place.get(sentence.place + 1)
        if following and following.topic == sentence.topic and _announces(sentence):
            add(following, most_words)
    for number, item in enumerate(_below_heading(chosen[0], own)):
        add(item, most_words if number else inf)
    bare = [s for s in complete if _is_bare_heading(s, by_place, complete)]
    complete = [s for s in complete if s not in bare]
    for sentence in list(complete):
        if _CASE.match(sentence.text):
            for other in (by_place.get(sentence.place - 1), by_place.get(sentence.place + 1)):
                add(other if other and _CASE.match(other.text) else None)
    spread = Counter(subject for sentence in own for subject in sentence.subjects)
    particular = {subject for subject, count in spread.items() if count <= _FEW}
    for sentence in own:
        if sentence.warns and any(_belongs(sentence, other, particular) for other in chosen):
            add(sentence)
    return complete


def _below_heading(best: Sentence, own: Sequence[Sentence]) -> Iterator[Sentence]:
    """Yield what stands below the best sentence, if that is a heading."""
    following = own[own.index(best) + 1 :]
    if following and following[0].is_below(best):
        topic = following[0].topic
        yield from takewhile(lambda sentence: sentence.topic == topic, following)


def _is_bare_heading(
    sentence: Sentence, by_place: Mapping[int, Sentence], complete: Sequence[Sentence]
) -> bool:
    """Return whether a sentence is a heading of what an answer does not have."""
    following = by_place.get(sentence.place + 1)
    return following is not None and following.is_below(sentence) and following not in complete


def _announces(sentence: Sentence) -> bool:
    """Return whether a sentence is short and has a verb: a line of a form announces nothing."""
    words = sentence.text.casefold().rstrip(".:!").split()
    return len(words) <= _SHORT and not lexicon().verbs.isdisjoint(words)


def _belongs(warning: Sentence, kept: Sentence, particular: AbstractSet[str]) -> bool:
    """Return whether a warning is about what a kept sentence says.

    `particular`: the subjects that tell parts of the record apart.
    """
    if warning.refers and warning.place == kept.place + 1:
        return True
    return warning.place > kept.place and bool(warning.subjects & kept.subjects & particular)


def _repeats(sentence: Sentence, other: Sentence) -> bool:
    """Return whether the other sentence holds most of a sentence's content."""
    own, known = set(sentence.stems), set(other.stems)
    return len(own & known) > _SHARED * min(len(own), len(known)) if own and known else own == known
