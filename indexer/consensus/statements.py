"""Statements of protected records by rules: clauses and noun phrases that k subjects say."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sage_rag.agents.lexicon import is_boilerplate, lexicon
from sage_rag.common.sentences import sentence_spans
from sage_rag.indexer.consensus.grammar import (
    CONDITIONS,
    CONJUNCTIONS,
    DETERMINERS,
    PREPOSITIONS,
    PRONOUNS,
    SUBJECTS,
    segments,
    word_set,
)
from sage_rag.privacy.gate.draft_words import draft_words
from sage_rag.privacy.gate.support import MOST_WORDS, SupportCounts

STATEMENT_LANGUAGES = frozenset({"en"})
"""The languages that these rules read, as ISO 639-1 codes."""
_SENTENCE_WORDS = 4
"""Fewest words of a statement that begins with a pronoun: "it feels" says nothing."""
_CONTENT_LETTERS = 3
_COURTESY = frozenset(
    "hi hello dear welcome thank thanks regards hope hopes wish query queries chat answer answers"
    " answered answering question questions advice advise please kindly glad happy concern concerns"
    " understand understood alright doubts".split()
)
"""Words that address the reader. Many records have them, and they tell nothing of their matter."""


_NEGATIONS = word_set(
    "no not without never nor neither denies denied don doesn isn aren wasn weren didn hasn haven"
    " hadn won wouldn shouldn couldn cannot can't don't nil negative unlikely avoid stop rule rules"
    " ruled exclude excluded instead against"
)
_VAGUE = word_set(
    "feel feels felt feeling worried worry concerned suffer suffers suffering suffered diagnosed"
    " diagnose treated prescribed advised normal worse hurt hurts sore cure cured experiencing"
    " taking taken noticed sit sitting heal healed healing severe painful high common condition"
    " patient patients symptom symptoms problem problems issue medical noted considered going"
    " getting started required included tired side doctor doctors treatment case matter article"
    " day days week weeks month months year years daily time times something nothing anything"
    " occurred caused"
)
"""Words that say nothing alone."""
_NO_BEGINNING = word_set(
    "of and or but than then is are was were be been being am that which who as by s t m ve re ll d"
    " have has had do does did will would can could may might must should"
)
_NO_END = lexicon().stop_words | word_set("lot kind due able going etc per")


@dataclass(frozen=True, slots=True)
class Statement:
    """Words of a record that stand by themselves. `key`: their case-folded form.

    `place`: where the record says it, from 0 (its beginning) to 1.
    """

    key: tuple[str, ...]
    text: str
    place: float


def statements(
    text: str, counts: SupportCounts, k: int, nouns: frozenset[str]
) -> Iterator[Statement]:
    """Yield the longest statements of a protected text that k subjects of the corpus say.

    A statement begins where a clause begins, or after a function word; it ends where a clause or a
    phrase ends. A question is whole, and ends with its mark. No statement contains a number, a
    placeholder or a courtesy, begins within three words after a negation, or ends before a
    condition. One of a single word is one of the corpus's `nouns`.
    """
    for start, end in sentence_spans(text):
        sentence = text[start:end]
        if is_boilerplate(sentence):
            continue
        for segment, mark in segments(sentence):
            found = _of_segment(segment, mark == "?", counts, k, start / len(text))
            yield from (s for s in found if len(s.key) > 1 or s.key[0] in nouns)


def _of_segment(
    segment: str, is_question: bool, counts: SupportCounts, k: int, place: float
) -> Iterator[Statement]:
    words = draft_words(segment)
    tokens = [word.text for word in words]
    supported = [subjects >= k for subjects in counts.of_all_runs(tokens)]
    reached = 0
    if is_question:
        whole = 0 < len(tokens) <= MOST_WORDS and supported[len(tokens) - 1][0]
        if whole and _is_publishable(tokens):
            yield Statement(tuple(tokens), " ".join(segment.split()) + "?", place)
            return
    for start in range(len(tokens)):
        end = _end(tokens, start, supported) if _may_begin(tokens, start) else None
        if end is None or end <= reached or not _is_publishable(tokens[start:end]):
            continue
        first = tokens[start]
        if start == 0 or first in DETERMINERS or not _is_function(first):
            reached = end
            surface = " ".join(segment[words[start].start : words[end - 1].end].split())
            yield Statement(tuple(tokens[start:end]), surface, place)


def _may_begin(tokens: list[str], start: int) -> bool:
    if tokens[start] in _NO_BEGINNING or tokens[start] in CONJUNCTIONS:
        return False
    if _NEGATIONS.intersection(tokens[max(0, start - 3) : start]):
        return False
    before = tokens[start - 1] if start else None
    return before is None or (_is_function(before) and before not in SUBJECTS)


def _end(tokens: list[str], start: int, supported: list[NDArray[np.bool_]]) -> int | None:
    """Return the end of the longest supported statement that begins at `start`."""
    best = None
    is_sentence = tokens[start] in PRONOUNS
    borders = CONJUNCTIONS if is_sentence else CONJUNCTIONS | PREPOSITIONS
    fewest = _SENTENCE_WORDS if is_sentence else 1
    for end in range(start + fewest, min(len(tokens), start + MOST_WORDS) + 1):
        if not supported[end - start - 1][start]:
            break
        after = tokens[end] if end < len(tokens) else None
        closes = after is None or (after in borders and after not in CONDITIONS)
        if closes and tokens[end - 1] not in _NO_END:
            best = end
    return best


def _is_function(token: str) -> bool:
    return token in lexicon().stop_words


def _is_publishable(tokens: list[str]) -> bool:
    if _COURTESY.intersection(tokens) or any(c.isdigit() for token in tokens for c in token):
        return False
    return any(
        len(t) >= _CONTENT_LETTERS and not _is_function(t) and t not in _VAGUE for t in tokens
    )
