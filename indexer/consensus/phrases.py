"""Clauses and topics: what words of a record say something, and what words only name a matter."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from itertools import pairwise, takewhile

from sage_rag.agents.lexicon import lexicon
from sage_rag.indexer.consensus.grammar import CONJUNCTIONS, DETERMINERS, SUBJECTS, word_set
from sage_rag.indexer.consensus.word_classes import WordClasses
from sage_rag.privacy.words import Word

NEGATIONS = word_set(
    "no not without never nor neither denies denied don doesn isn aren wasn weren didn hasn haven"
    " hadn won wouldn shouldn couldn cannot can't don't nil negative unlikely avoid stop rule rules"
    " ruled exclude excluded instead against"
)
_MODALS = word_set("should must can could may might need")
_ADVISING = word_set(
    "you better recommend important best try necessary essential advisable patient him her"
)
"""A verb after one of these and `to` is advice: `I advise you to rest`."""
_DEMANDING = word_set("need needs have has ought")
"""The same after the one who must act: `you need to rest`, but not `the need to rest`."""
_ACTING = word_set("you we he she patient")
_POLITE = word_set("please kindly")
_SKIPPED = word_set("also just then always immediately first only simply")
_FINITE = word_set(
    "is are was were can may might should must will has have had helps causes means needs"
)
_REFERRING = word_set("it this that they these those")
_FORBIDDING = (("do", "not"), ("don", "t"), ("never",))
_FEWEST_OF_SUBJECT = 4
"""Words of a clause that begins with a pronoun: "I feel" says nothing; one fewer before a noun."""
_HEDGES = word_set(
    "possible possibly probable probably likely maybe perhaps seem seems sound sounds look looks"
    " appear appears suspect suspects think believe wonder wondering guess afraid chance suggest"
    " suggests indicate indicates"
)
_SUPPOSING = _HEDGES | word_set("may might could possibility")
_LINKS = DETERMINERS | word_set(
    "be have has had are is been being like as though that you he she it due to from of by with"
    " also suffering experiencing having developed caused indicate mean type form case"
)
"""What may be between a hedge and the matter: `possible that you have a`."""
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

    A topic is a possibility where the record says that it may be so: `you may have gout`.
    """

    CLAUSE = "clause"
    POSSIBLE = "possible"
    TOPIC = "topic"


def phrase_of(
    tokens: Sequence[str], start: int, end: int, classes: WordClasses, *, conditional: bool
) -> Phrase | None:
    """Return what the words from `start` to `end` of a segment are; `None` for neither.

    `conditional`: the sentence has a condition, so that no clause may leave it.
    """
    found = tokens[start:end]
    if not conditional and _is_clause(tokens, start, found, classes):
        return Phrase.CLAUSE
    if not _is_topic(found, classes):
        return None
    return Phrase.POSSIBLE if not conditional and _supposes(tokens[:start]) else Phrase.TOPIC


def _supposes(before: Sequence[str]) -> bool:
    """Return whether the words before a topic make it a possibility: `you may have a`."""
    links = list(takewhile(_LINKS.__contains__, reversed(before)))
    hedge = len(before) - len(links) - 1
    if not links or hedge < 0 or before[hedge] not in _SUPPOSING:
        return False
    return NEGATIONS.isdisjoint(before[max(0, hedge - 2) : hedge])


def _is_clause(
    tokens: Sequence[str], start: int, found: Sequence[str], classes: WordClasses
) -> bool:
    first = found[0]
    if first in _REFERRING or _is_personal(found) or _breaks_off(found, classes):
        return False
    if first in SUBJECTS or first == "there":
        hedged = _HEDGES.isdisjoint(tokens[:start]) or not _HEDGED.isdisjoint(found)
        return hedged and len(found) + (found[-1] in classes.nouns) >= _FEWEST_OF_SUBJECT
    verb = forbids(found)
    if len(found) > verb + 1 and found[verb] in classes.verbs:
        return _is_imperative_at(tokens, start, classes)
    opens = start == 0 or tokens[start - 1] in CONJUNCTIONS
    return opens and not first.endswith("ed") and not _FINITE.isdisjoint(found[1:-1])


def _is_personal(found: Sequence[str]) -> bool:
    """Return whether a clause states what the person addressed has: `you have a fracture`.

    It is true of that person alone; `you may have a fracture` and `you have to rest` are not.
    """
    return found[0] == "you" and found[1:2] in (["have"], ["are"], ["had"]) and found[2:3] != ["to"]


def _breaks_off(found: Sequence[str], classes: WordClasses) -> bool:
    """Return whether a clause ends before the noun that its last words need."""
    last = found[-1]
    if last in classes.nouns:
        return False
    return last in classes.verbs or not DETERMINERS.isdisjoint(found[-2:-1])


def forbids(tokens: Sequence[str]) -> int:
    """Return how many words at the beginning forbid what follows: 2 for `do not`."""
    return next((len(f) for f in _FORBIDDING if tuple(tokens[: len(f)]) == f), 0)


def _is_imperative_at(tokens: Sequence[str], start: int, classes: WordClasses) -> bool:
    """Return whether a verb at `start` says what to do."""
    before = [token for token in tokens[:start] if token not in _SKIPPED]
    if not before or before[-1] in _POLITE:
        return True
    if before[-1] in ("and", "or"):
        return before[0] in classes.verbs or any(
            _advises(before[: place + 1]) for place in range(len(before))
        )
    return _advises(before)


def _advises(before: Sequence[str]) -> bool:
    """Return whether words before a verb make it advice: `I advise you to`, `you should`."""
    *_, third, second, first = ("", "", "", *before)
    if first != "to":
        return second == "you" and first in _MODALS
    return second in _ADVISING or (second in _DEMANDING and third in _ACTING)


def _is_topic(found: Sequence[str], classes: WordClasses) -> bool:
    if len(found) > _MOST_OF_TOPIC or found[-1] not in classes.nouns:
        return False
    if not _FINITE.isdisjoint(found) or not NEGATIONS.isdisjoint(found):
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
