"""English function words and marks of punctuation that border clauses and phrases."""

from __future__ import annotations

import re
from collections.abc import Iterator

from sage_rag.privacy.tokens import PLACEHOLDER

_SEGMENT_END = re.compile(
    r"(?:(?:\.|(?<!\s))\s*)?\x00[\s\x00]*|[.,;:!?()\[\]\"\n]+|\s[-–—]+\s"
)  # white space is read from its beginning alone: from each place in it, time would be square


def word_set(words: str) -> frozenset[str]:
    """Return the words of a line."""
    return frozenset(words.split())


CONJUNCTIONS = word_set(
    "and or but which because so if unless until when while then that as since after before though"
    " although however also than whether where who"
)
CONDITIONS = word_set(
    "if unless until when while than except whether till provided providing depending depends"
    " otherwise suppose supposing assuming lest whenever wherever"
)
"""A statement neither begins with one nor ends before one: it would lose its condition."""
NEGATIONS = word_set(
    "no not without never nor neither denies denied don doesn isn aren wasn weren didn hasn haven"
    " hadn won wouldn shouldn couldn cannot can't don't nil negative unlikely avoid stop rule rules"
    " ruled exclude excluded instead against"
)
HEDGES = word_set(
    "possible possibly probable probably likely maybe perhaps seem seems sound sounds look looks"
    " appear appears suspect suspects think believe wonder wondering guess afraid chance suggest"
    " suggests indicate indicates"
)
"""Words of what may be so, without the verb forms `may`, `might` and `could`."""
FINITE = word_set(
    "is are was were can may might should must will has have had helps causes means needs"
)
"""Verb forms with a subject: a part of a sentence with one is a clause."""
PREPOSITIONS = word_set("in on at for from with by into during about through like due")
PRONOUNS = word_set("i you he she it we they this that there")
SUBJECTS = word_set("i you he she it we they")
"""What follows one of these is a verb without its subject."""
DETERMINERS = word_set("a an the my your his her our their this these those some any")


HIDDEN = "\0"
"""The mark where a private value was."""


def segments(text: str) -> Iterator[tuple[str, str]]:
    """Yield the parts between marks of punctuation, each with the first sign of the next mark.

    A placeholder is a mark (`HIDDEN`).
    """
    start = 0
    text = PLACEHOLDER.sub(HIDDEN, text)
    for mark in _SEGMENT_END.finditer(text):
        sign = HIDDEN if HIDDEN in mark.group() else mark.group().strip()[:1]
        yield text[start : mark.start()], sign
        start = mark.end()
    yield text[start:], ""
