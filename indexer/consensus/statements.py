"""Statements of protected records by rules: clauses and topics that k subjects say."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from sage_rag.agents.lexicon import is_boilerplate, lexicon
from sage_rag.common.sentences import sentence_spans
from sage_rag.indexer.consensus.advice import forbids, may_begin_advice
from sage_rag.indexer.consensus.cuts import borders, is_conditional, is_fronted
from sage_rag.indexer.consensus.grammar import (
    CONDITIONS,
    CONJUNCTIONS,
    DETERMINERS,
    HIDDEN,
    NEGATIONS,
    PRONOUNS,
    SUBJECTS,
    segments,
    word_set,
)
from sage_rag.indexer.consensus.leads import Lead, lead_of, without_modifiers
from sage_rag.indexer.consensus.phrases import (
    Phrase,
    Surroundings,
    is_function,
    phrase_of,
    without_determiners,
)
from sage_rag.indexer.consensus.word_classes import WordClasses
from sage_rag.privacy.gate.draft_words import draft_tokens, draft_words
from sage_rag.privacy.gate.support import MOST_WORDS, SupportCounts, least_subjects
from sage_rag.privacy.words import Word

STATEMENT_LANGUAGES = frozenset({"en"})
"""The languages that these rules read, as ISO 639-1 codes."""
_CONTENT_LETTERS = 3
_COURTESY = frozenset(
    "hi hello dear welcome thank thanks regards hope hopes wish query queries chat answer answers"
    " answered answering question questions advice advise please kindly glad happy concern concerns"
    " understand understood alright doubts worry worried wishes sir madam".split()
)
"""Words that address the reader. Many records have them, and they say nothing of its matter."""


_VAGUE = word_set(
    "feel feels felt feeling worried worry concerned suffer suffers suffering suffered diagnosed"
    " diagnose treated prescribed advised normal worse hurt hurts sore cure cured experiencing"
    " taking taken noticed sit sitting heal healed healing severe painful high common condition"
    " patient patients symptom symptoms problem problems issue medical noted considered going"
    " getting started required included tired side doctor doctors treatment case matter article"
    " day days week weeks month months year years daily time times something nothing anything"
    " occurred caused accordingly following cases conditions happen happens happened happening"
    " effect chance chances bit touch issues reason reasons way ways lot result results future"
    " confirmation contact doc thing help support increase decrease body sudden based okay addition"
    " area areas right left best hour hours minute minutes looks look course almost half shows"
    " increasing little improved improvement doubt luck spot points point yrs detail details"
    " thoughts opinion assistance relation finding findings center advance cause causes suggestions"
    " ago work works management changes levels type along apart inside outside others asking"
)
"""Words that say nothing alone."""
_ASKING = word_set(
    "what why how when where who which is are am was were do does did can could should would will"
    " has have may must"
)
"""The first words of questions: a question that begins with another one is a part of one."""
_NO_BEGINNING = word_set(
    "of and or but than then is are was were be been being am that which who as by s t m ve re ll d"
    " have has had do does did will would can could may might must should"
)
_NO_END = lexicon().stop_words | word_set(
    "lot kind due able going etc per lately recently today soon sure feel feels felt feeling"
    " look looks looking seem seems sound sounds"
)

_BEFORE_CLAUSES = word_set("that like and but so because")


@dataclass(frozen=True, slots=True)
class Statement:
    """Words of a record that stand by themselves. `key`: their case-folded form.

    `place`: where the record says it, from 0 (its beginning) to 1. `part`: a longer statement of
    the record contains it, so that it counts for others who say no more. `lead`: the words before
    the first of the matters that are possible or advised, after those that open their sentence:
    `Based on your symptoms, you may have`.
    """

    key: tuple[str, ...]
    text: str
    place: float
    phrase: Phrase
    part: bool = False
    lead: str = ""


@dataclass(frozen=True, slots=True)
class StatementRules:
    """What decides the statements of a corpus: how many subjects say a run, k, and word classes."""

    counts: SupportCounts
    k: int
    classes: WordClasses

    def statements(self, text: str) -> Iterator[Statement]:
        """Yield the longest statements of a protected text that enough subjects of the corpus say.

        Shorter clauses within them follow as parts, since the record states these, too.
        A statement begins where a clause begins, after a function word, or, as the first of a
        list, after the verb of its lead: `we will prescribe aspirin`. It ends where a clause or a
        phrase ends. A question is whole, and ends with its mark. No statement contains a number, a
        placeholder or a courtesy, begins within three words after a negation, or leaves words that
        it needs (`cuts.py`); a sentence with a condition has topics alone.
        """
        for start, end in sentence_spans(text):
            sentence = text[start:end]
            if is_boilerplate(sentence):
                continue
            tokens = draft_tokens(sentence)
            restricted, either = is_conditional(tokens), "or" in tokens
            before: list[str] = []
            opening, lead, last = "", None, ""
            for segment, mark in segments(sentence):
                place = start / len(text)
                tokens = draft_tokens(segment)
                advising = may_begin_advice(before, self.classes)
                asks = restricted or mark == "?"
                around = Surroundings(asks, advising, last == HIDDEN, mark == HIDDEN)
                last = mark
                found = self._question(segment, place) if mark == "?" else None
                lead = None if around.restricted else lead_of(tokens, lead, may_begin=advising)
                if lead and lead.phrase is Phrase.ADVISED and either:
                    lead = None
                if found:
                    yield found
                else:
                    yield from self._of_segment(segment, place, around, lead, opening)
                if lead and not lead.carries(tokens):
                    lead = None
                restricted = restricted or is_fronted(tokens)
                opening = "" if before or restricted else " ".join(segment.split())
                before += tokens

    def _question(self, segment: str, place: float) -> Statement | None:
        tokens = draft_tokens(segment)
        if not 1 < len(tokens) <= MOST_WORDS or tokens[0] not in _ASKING:
            return None
        if not _is_publishable(tokens):
            return None
        if self.counts.of_runs(tokens, len(tokens))[0] < least_subjects(len(tokens), self.k):
            return None
        return Statement(tuple(tokens), " ".join(segment.split()) + "?", place, Phrase.CLAUSE)

    def _of_segment(
        self, segment: str, place: float, around: Surroundings, lead: Lead | None, opening: str
    ) -> Iterator[Statement]:
        words = draft_words(segment)
        tokens = [word.text for word in words]
        supported = [
            subjects >= least_subjects(size, self.k)
            for size, subjects in enumerate(self.counts.of_all_runs(tokens), 1)
        ]
        reached = 0
        for start in range(len(tokens)):
            listed = lead is not None and lead.is_first(tokens, start)
            if not listed and not _may_begin(tokens, start):
                continue
            longest = True
            for end in _ends(tokens, start, supported):
                if not _is_publishable(tokens[start:end]):
                    continue
                phrase = phrase_of(tokens, start, end, self.classes, around)
                part = end <= reached
                led = ""
                cut = around.lacks_words(tokens, start, end)
                if phrase is Phrase.TOPIC and lead and not cut and lead.names(tokens, start):
                    phrase = lead.phrase
                    if lead.is_first(tokens, start):
                        own = words[: len(without_modifiers(tokens[: lead.begin]))]
                        led = ", ".join(filter(None, [opening, _surface(segment, own)]))
                if phrase is Phrase.CLAUSE or (phrase and longest and not part):
                    found = _statement(segment, words[start:end], place, phrase)
                    yield replace(found, part=part, lead=led)
                    longest, reached = False, max(reached, end)


def _statement(segment: str, words: list[Word], place: float, phrase: Phrase) -> Statement:
    if phrase is not Phrase.CLAUSE:
        words = without_determiners(words)
    return Statement(tuple(word.text for word in words), _surface(segment, words), place, phrase)


def _surface(segment: str, words: list[Word]) -> str:
    return " ".join(segment[words[0].start : words[-1].end].split())


def _may_begin(tokens: list[str], start: int) -> bool:
    first, before = tokens[start], tokens[start - 1] if start else None
    if forbids(tokens[start:]):
        return before is None or before in CONJUNCTIONS
    if first in _NO_BEGINNING or first in CONJUNCTIONS:
        return False
    if NEGATIONS.intersection(tokens[max(0, start - 3) : start]):
        return False
    if before is None:
        return True
    if not is_function(before) or before in SUBJECTS:
        return False
    if first in SUBJECTS:
        return before in _BEFORE_CLAUSES
    return first in DETERMINERS or not is_function(first)


def _ends(tokens: list[str], start: int, supported: list[NDArray[np.bool_]]) -> list[int]:
    """Return the ends of the supported statements that begin at `start`, the longest first."""
    ends: list[int] = []
    closing = borders(tokens[start] in PRONOUNS)
    for end in range(start + 1, min(len(tokens), start + MOST_WORDS) + 1):
        if not supported[end - start - 1][start]:
            break
        after = tokens[end] if end < len(tokens) else None
        closes = after is None or (after in closing and after not in CONDITIONS)
        if closes and tokens[end - 1] not in _NO_END:
            ends.append(end)
    return ends[::-1]


def _is_publishable(tokens: list[str]) -> bool:
    if _COURTESY.intersection(tokens) or any(c.isdigit() for token in tokens for c in token):
        return False
    return any(
        len(t) >= _CONTENT_LETTERS and not is_function(t) and t not in _VAGUE for t in tokens
    )
