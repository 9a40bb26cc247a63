"""Salience: how much of a record's content a sentence holds."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from math import fsum, log, sqrt

from sage_rag.agents.lexicon import content_stems, lexicon, words
from sage_rag.agents.rules.sentences import is_clause

_PERSON = re.compile(r"\[PERSON_\d+\]")
_NAMED = re.compile(r"\[(?:ORGANIZATION|LOCATION)_\d+\]")
_CONTACT = re.compile(r"\[(?:EMAIL_ADDRESS|PHONE_NUMBER|URL|ID|IP_ADDRESS)_\d+\]|<[A-Z_]+>")
_DOSE = re.compile(r"\d\s?(?:mg|ml|mcg|g|iu|%)(?!\w)", re.IGNORECASE)

_PERSON_BONUS = 0.8
_DOSE_BONUS = 0.3
_NAMED_BONUS = 0.2
_QUESTION_BONUS = 0.35
_CONTACT_PENALTY = 0.4
_FRAGMENT_PENALTY = 0.6
_RARE_PENALTY = 0.8
"""In units of the mean salience of a record's sentences; chosen by reading drafts."""


def saliences(sentences: Sequence[str]) -> list[float]:
    """Return one value per sentence: centrality among the sentences, density, names.

    A sentence is central when its content words recur in the others (degree centrality, as in
    Erkan and Radev (2004), LexRank, §3.1, over word overlap).
    """
    stems = [content_stems(sentence) for sentence in sentences]
    spread = Counter(stem for sentence in stems for stem in set(sentence))
    base = [_base(sentence, spread) for sentence in stems]
    mean = sum(base) / len(base) if base else 0.0
    return [
        value + (mean or 1.0) * _adjustment(sentence)
        for value, sentence in zip(base, sentences, strict=True)
    ]


def _base(stems: list[str], spread: Counter[str]) -> float:
    if not stems:
        return 0.0
    # Exact: the order of a set differs between processes, and with it the last bits of a sum.
    central = fsum(log(1 + spread[stem]) for stem in set(stems))
    return central / sqrt(len(stems) + 2)


def _adjustment(sentence: str) -> float:
    value = 0.0
    if _PERSON.search(sentence):
        value += _PERSON_BONUS
    elif _NAMED.search(sentence):
        value += _NAMED_BONUS
    if _CONTACT.search(sentence):
        value -= _CONTACT_PENALTY
    if _DOSE.search(sentence):
        value += _DOSE_BONUS
    if sentence.endswith("?"):
        value += _QUESTION_BONUS
    if not is_clause(sentence) or len(words(sentence)) < 3:
        value -= _FRAGMENT_PENALTY
    known = lexicon()
    if known.rare.search(sentence) or known.sensitive.search(sentence):
        value -= _RARE_PENALTY
    return value
