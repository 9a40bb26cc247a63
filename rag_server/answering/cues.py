"""Cues: what kind of fact a question asks for, and which sentences can state one. English.

A question in another language has no cue: words and the embedder alone compare it.

Source: Li and Roth (2002), "Learning question classifiers", COLING, for the kinds of answers.
Differs: a few patterns in place of a classifier.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from sage_rag.agents.lexicon import lexicon

_NUMBER = (
    r"(?:\d|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|twelve|fifteen|twenty|thirty|half"
    r"|once|twice|hundred)\b)"
)
_TIME_UNIT = (
    r"(?:second|minute|hour|day|night|week|fortnight|month|year|morning|evening|noon|midnight"
    r"|breakfast|lunch|dinner|bedtime|daily|weekly|monthly|today|tonight|tomorrow"
    r"|(?:mon|tues|wednes|thurs|fri|satur|sun)day)s?\b"
)
_ANY_CASE = re.IGNORECASE
ASKS_TIME = re.compile(
    r"\b(?:when|how (?:long|soon|often|early|late)|until when|(?:which|what) (?:day|date|time))\b",
    _ANY_CASE,
)
TIME = re.compile(
    rf"{_NUMBER}[^.;:,]{{0,14}}{_TIME_UNIT}|DATE_TIME_\[|\b(?:once|twice) an?\b"
    r"|\b(?:daily|weekly|tomorrow|tonight|(?:mon|tues|wednes|thurs|fri|satur|sun)day)\b",
    _ANY_CASE,
)
_ASKS_AMOUNT = re.compile(
    r"\b(?:how (?:much|many|high|low|far|large|big|old)|doses?|costs?|price|amount|targets?|limit"
    r"|fees?|fine)\b",
    _ANY_CASE,
)
AMOUNT = re.compile(
    r"(?<![\w\[])\d|QUANTITY_\[|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|half|hundred"
    r"|thousand)\b",
    _ANY_CASE,
)
_ASKS_REASON = re.compile(r"\b(?:why|reason)\b", _ANY_CASE)
_REASON = re.compile(r"\b(?:because|since|as|so|therefore|due)\b|: ", _ANY_CASE)
_ASKS_PERSON = re.compile(r"\bwho(?:m|se)?\b", _ANY_CASE)
_PERSON = re.compile(r"PERSON_\[")
_ASKS_ACTION = re.compile(
    r"\b(?:how (?:do|does|is|are|can|should|to|must|could|would|was|were)"
    r"|what (?:should|must|can|could|do|did|helps?|(?:is|was|are) (?:done|given|advised))"
    r"|advised?|recommend(?:ed)?|suggest(?:ed)?|prescribed?|order(?:ed)?|treat(?:s|ed|ment)?)\b",
    _ANY_CASE,
)
_ASKS_ADVICE = re.compile(
    r"\b(?:allowed|can|could|may|must|need|ought|shall|should|ha(?:s|ve) to|advi[cs]e\w*"
    r"|recommend\w*|suggest\w*)\b",
    _ANY_CASE,
)
_ADVICE = re.compile(  # of a row of digits, the last 20: time is linear
    r"\b(?:please|suggest|advise|recommend|propose|prescrib\w+|I'll give|we (?:start|begin|give)"
    r"|would (?:add|offer|give|like you)|you (?:should|may|can|must|need))\b"
    r"|\b\d[\d.,]{0,20} ?(?:mg|g|ml|micrograms?|units?|%)",
    _ANY_CASE,
)
_FIRST_WORD = re.compile(
    r"(?:(?:then|now|first|next|meanwhile|today|tonight|so|also|from tonight)[,:]? )*([a-z']+)",
    _ANY_CASE,
)
_FORBIDS = frozenset(("don't", "never", "no", "not"))


@dataclass(frozen=True, slots=True)
class Cue:
    """A kind of fact. `states`: whether a sentence can state it; `weight`: its value for one."""

    states: Callable[[str], bool]
    weight: float


def cues_of(question: str) -> list[Cue]:
    """Return the kinds of facts that a question asks for."""
    return [cue for asks, cue in _CUES if asks.search(question)]


def asks_value(question: str) -> bool:
    """Return whether a question asks for a time, an amount or a person, which few words state."""
    return any(asks.search(question) for asks in (ASKS_TIME, _ASKS_AMOUNT, _ASKS_PERSON))


def asks_advice(question: str) -> bool:
    """Return whether a question may ask what someone should or may do: "Can she swim?"."""
    return _ASKS_ADVICE.search(question) is not None


def _gives_advice(sentence: str) -> bool:
    first = _FIRST_WORD.match(sentence)
    word = first[1].casefold() if first else ""
    return word in _FORBIDS or word in lexicon().verbs or bool(_ADVICE.search(sentence))


def _matches(pattern: re.Pattern[str]) -> Callable[[str], bool]:
    return lambda sentence: bool(pattern.search(sentence))


# Weights: chosen on the development questions (docs/results/answers.md).
_CUES = (
    (ASKS_TIME, Cue(_matches(TIME), 0.5)),
    (_ASKS_AMOUNT, Cue(_matches(AMOUNT), 0.4)),
    (_ASKS_REASON, Cue(_matches(_REASON), 0.5)),
    (_ASKS_PERSON, Cue(_matches(_PERSON), 0.5)),
    (_ASKS_ACTION, Cue(_gives_advice, 0.4)),
)
