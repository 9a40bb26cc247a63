"""Clauses and topics: what words of a record say something, and what words only name a matter."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import pairwise, takewhile

from sage_rag.agents.lexicon import lexicon
from sage_rag.indexer.consensus.advice import is_imperative
from sage_rag.indexer.consensus.cuts import is_fronted, may_end, may_open
from sage_rag.indexer.consensus.grammar import (
    DETERMINERS,
    FINITE,
    HEDGES,
    NEGATIONS,
    SUBJECTS,
    word_set,
)
from sage_rag.indexer.consensus.word_classes import WordClasses
from sage_rag.privacy.words import Word

_REFERRING = word_set("it this that they these those")
_FEWEST_OF_SUBJECT = 4
"""Words of a clause that begins with a pronoun: "I feel" says nothing; one fewer before a noun."""
_HEDGED = word_set("may might could can should")
_MOST_OF_TOPIC = 4
_AFTER_NOUNS = word_set("of and or in")
_NO_TOPIC = word_set(
    "several last past many few two three first second next same other due ago yrs years months"
    " weeks days hours minutes"
)
"""Words of amounts and times: `few years back` names no matter."""


class Phrase(StrEnum):
    """What a statement is. A clause says something; a topic names a matter.

    A topic is possible where the record says that it may be so, `you may have gout`, a cause where
    something may be due to it, and advised where it is needed: `we need to perform a plain x-ray`
    (`leads.py`).
    """

    CLAUSE = "clause"
    POSSIBLE = "possible"
    CAUSE = "cause"
    ADVISED = "advised"
    TOPIC = "topic"


LED = (Phrase.POSSIBLE, Phrase.CAUSE, Phrase.ADVISED)
"""What the words before a topic make it."""


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What the rest of a sentence does to its parts.

    `restricted`: no clause may leave the sentence, since it has a condition or begins with words
    that restrict it. `advising`: a verb may begin advice. `cut_before`, `cut_after`: a private
    value stood at this end of the part, so that a clause at it lacks its subject or object.
    """

    restricted: bool = False
    advising: bool = True
    cut_before: bool = False
    cut_after: bool = False

    def lacks_words(self, tokens: Sequence[str], start: int, end: int) -> bool:
        """Return whether words from `start` to `end` of a part stood next to a private value."""
        return (self.cut_before and start == 0) or (self.cut_after and end == len(tokens))


def phrase_of(
    tokens: Sequence[str], start: int, end: int, classes: WordClasses, around: Surroundings
) -> Phrase | None:
    """Return whether the words from `start` to `end` of a segment are a clause, or a topic."""
    may_be_clause = not around.restricted and not around.lacks_words(tokens, start, end)
    if may_be_clause and _is_clause(tokens, start, end, classes, around):
        return Phrase.CLAUSE
    return Phrase.TOPIC if _is_topic(tokens[start:end], classes) else None


def _is_clause(
    tokens: Sequence[str], start: int, end: int, classes: WordClasses, around: Surroundings
) -> bool:
    found = tokens[start:end]
    first = found[0]
    if first in _REFERRING or _is_personal(found) or _breaks_off(tokens, start, end, classes):
        return False
    if not may_end(tokens, start, end) or is_fronted(tokens[:start]):
        return False
    if first in SUBJECTS or first == "there":
        hedged = HEDGES.isdisjoint(tokens[:start]) or not _HEDGED.isdisjoint(found)
        least = _FEWEST_OF_SUBJECT - (found[-1] in classes.nouns)
        return hedged and len(found) >= least and may_open(tokens, start, end)
    if is_imperative(tokens[:end], start, classes, may_begin=around.advising):
        return True
    states = not first.endswith("ed") and not FINITE.isdisjoint(found[1:-1])
    return states and may_open(tokens, start, end)


def _is_personal(found: Sequence[str]) -> bool:
    """Return whether a clause states what the person addressed has: `you have a fracture`.

    It is true of that person alone; `you may have a fracture` and `you have to rest` are not.
    """
    return found[0] == "you" and found[1:2] in (["have"], ["are"], ["had"]) and found[2:3] != ["to"]


def _breaks_off(tokens: Sequence[str], start: int, end: int, classes: WordClasses) -> bool:
    """Return whether a clause ends before the noun that its last words need.

    One that is cut ends with a noun: `take proper and regular food` is not cut before `and`.
    """
    last = tokens[end - 1]
    if last in classes.nouns:
        return False
    if end < len(tokens) or last in classes.verbs:
        return True
    return not DETERMINERS.isdisjoint(tokens[max(start, end - 2) : end - 1])


def _is_topic(found: Sequence[str], classes: WordClasses) -> bool:
    if len(found) > _MOST_OF_TOPIC or found[-1] not in classes.nouns:
        return False
    if not FINITE.isdisjoint(found) or not NEGATIONS.isdisjoint(found):
        return False
    if not _NO_TOPIC.isdisjoint(found) or not SUBJECTS.isdisjoint(found):
        return False
    if len(found) == 1:
        return not found[0].endswith("ly")
    return _begins_topic(found, classes)


def _begins_topic(found: Sequence[str], classes: WordClasses) -> bool:
    """Return whether several words begin as the phrase of a noun does."""
    first, second = next(
        (pair for pair in pairwise(found) if pair[0] not in DETERMINERS), (found[-1], "")
    )
    if is_function(first) or first.endswith(("ly", "ed")):
        return False
    if first.endswith("ing") and first not in classes.nouns:
        return False
    is_verb = first in classes.verbs or first in lexicon().verbs
    return not is_verb or second in _AFTER_NOUNS


def without_determiners(words: list[Word]) -> list[Word]:
    """Return a topic without the determiners that precede it."""
    determiners = takewhile(lambda word: word.text in DETERMINERS, words[:-1])
    return words[sum(1 for _ in determiners) :]


def is_function(token: str) -> bool:
    """Return whether a word is no content."""
    return token in lexicon().stop_words
