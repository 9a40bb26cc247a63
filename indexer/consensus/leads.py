"""Leads: the words by which a record calls a matter possible, or advises it.

"It is possible that you have gout" and "you may have gout" both call gout possible; "we need to
perform a plain x-ray and a blood test" advises both. What is said of several matters with `and` is
said of each; with `or`, none of them is advised.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import takewhile

from sage_rag.indexer.consensus.advice import advises
from sage_rag.indexer.consensus.grammar import (
    CONDITIONS,
    DETERMINERS,
    FINITE,
    HEDGES,
    NEGATIONS,
    PREPOSITIONS,
    SUBJECTS,
    word_set,
)
from sage_rag.indexer.consensus.phrases import Phrase

_SUPPOSING = HEDGES | word_set("may might could possibility")
_LINKS = DETERMINERS | word_set(
    "be have has had are is been being like as though that you he she it due to from of by with"
    " also suffering experiencing having developed caused indicate mean type form case"
)
"""What may be between a hedge and the matter: `possible that you have a`."""
_CAUSAL = word_set("to by with of")
"""`Due to`, `caused by`, but `suffering from`."""
_MODIFIERS = DETERMINERS | word_set("some few several other further additional")
_ALSO = word_set("also then first")
_ORDERING = word_set("perform conduct order run do prescribe administer require")
_TAKING = word_set("take get see visit consult undergo use try")
_RECOMMENDING = word_set("recommend suggest advise prescribe order")
"""`I recommend a plain x-ray` advises it, without another verb."""
_WRITERS = word_set("i we")
_OBLIGING = word_set("should must will ll")
_NEEDING = word_set("need needs have")
_NEGATED = NEGATIONS - word_set("rule rules ruled")
_LEADING = _SUPPOSING | _ORDERING | _TAKING | _RECOMMENDING
_LAST = _LINKS | _MODIFIERS | _ALSO | _ORDERING | _TAKING | _RECOMMENDING
"""A lead ends with one of these words."""
_LIST_WORDS = word_set("and or including")
_NOT_LISTED = (FINITE | SUBJECTS | PREPOSITIONS | CONDITIONS | NEGATIONS) | word_set(
    "that which who such to of so because but be being been as"
)
"""A list goes on up to one of these words."""


@dataclass(frozen=True, slots=True)
class Lead:
    """A lead to a list of matters in one segment. `begin`: the place of the first listed word.

    `phrase`: what the listed matters are: possible, causes or advised.
    """

    phrase: Phrase
    begin: int

    def names(self, tokens: Sequence[str], start: int) -> bool:
        """Return whether the words from `start` are one of the listed matters."""
        if start < self.begin:
            return False
        between = without_modifiers(tokens[self.begin : start])
        return not between or (between[-1] in _LIST_WORDS and _NOT_LISTED.isdisjoint(between))

    def is_first(self, tokens: Sequence[str], start: int) -> bool:
        """Return whether the words from `start` directly follow the lead, in its own segment."""
        return self.begin > 0 and not without_modifiers(tokens[self.begin : start])

    def carries(self, tokens: Sequence[str]) -> bool:
        """Return whether the list goes on up to the end of the segment."""
        return _NOT_LISTED.isdisjoint(tokens[self.begin :])


def lead_of(tokens: Sequence[str], before: Lead | None, *, may_begin: bool) -> Lead | None:
    """Return the last lead of a segment, or the one of a list that it continues.

    `before`: the lead whose list reaches the end of the segment before; `may_begin`: whether a verb
    at the beginning of the segment may advise (`may_begin_advice`).
    """
    if _LEADING.isdisjoint(tokens):
        return Lead(before.phrase, 0) if before and _NOT_LISTED.isdisjoint(tokens) else None
    for end in range(len(tokens) - 1, 0, -1):
        if tokens[end - 1] not in _LAST:
            continue
        words = tokens[:end]
        begin = len(without_modifiers(words))
        if supposes(words):
            return Lead(Phrase.CAUSE if words[begin - 1] in _CAUSAL else Phrase.POSSIBLE, begin)
        if _recommends(words, may_begin=may_begin):
            return Lead(Phrase.ADVISED, begin)
    return None


def without_modifiers(before: Sequence[str]) -> list[str]:
    """Return the words before a topic without its determiners: `you may have a few`."""
    modifiers = list(takewhile(_MODIFIERS.__contains__, reversed(before)))
    return list(before[: len(before) - len(modifiers)])


def supposes(before: Sequence[str]) -> bool:
    """Return whether the words before a topic make it a possibility: `you may have a`."""
    links = list(takewhile(_LINKS.__contains__, reversed(before)))
    hedge = len(before) - len(links) - 1
    if not links or hedge < 0 or before[hedge] not in _SUPPOSING:
        return False
    return _NEGATED.isdisjoint(before[max(0, hedge - 2) : hedge])


def _recommends(before: Sequence[str], *, may_begin: bool) -> bool:
    """Return whether the words before a topic advise it: `we need to perform a`.

    What the writer takes is no advice: `I need to take a`.
    """
    words = [word for word in without_modifiers(before) if word not in _ALSO]
    if not words or not NEGATIONS.isdisjoint(words):
        return False
    *others, verb = words
    if verb in _RECOMMENDING and others:
        subject = [word for word in others if word != "would"][-1:]
        if not _WRITERS.isdisjoint(subject):
            return True
    if verb not in _ORDERING | _TAKING:
        return False
    if not others:
        return may_begin
    return advises(others) or _obliges(others, verb)


def _obliges(others: Sequence[str], verb: str) -> bool:
    """Return whether the words before a verb oblige to it: `we need to`, `we will`."""
    subject = max((at for at, word in enumerate(others) if word in SUBJECTS), default=-1)
    if subject < 0 or others[subject] not in ("we", "you", "i"):
        return False
    if others[subject] == "i" and verb in _TAKING:
        return False
    *needed, last = others[subject + 1 :] or [""]
    while needed and needed[0] in _OBLIGING:
        needed = needed[1:]
    return last in _OBLIGING if not needed else needed[0] in _NEEDING and last == "to"
