"""Verify the words of a draft: each is one of its sources, and a rule keeps all of its words.

The other checks find changes that they know. This one needs no knowledge of the change: a word that
it cannot find in the sources is refused, whatever it says.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import pairwise

from sage_rag.privacy.gate.changes import keys_of
from sage_rag.privacy.gate.facts.facts import Facts
from sage_rag.privacy.gate.facts.sentences import Token
from sage_rag.privacy.gate.governing import CONDITION_SOURCES
from sage_rag.privacy.gate.word_by_word import relations

_NARRATIVE = frozenset("i my me was were had did ago".split())
_AUXILIARIES = frozenset("is are be been being get gets not when if once unless until as".split())
_NONE, _ALL = ("", ""), ("amount", "all")
_COMPARED = frozenset({"negation", "person", "time", "only", "any"})
"""Kinds of relations without other words for them; the other checks compare the other kinds."""
_TIMES = frozenset("then prior far later earlier afterwards following ago".split())
_GREETINGS = frozenset({"dear", "hello", "hi", "good"})


def unverified_words(draft: Facts, sources: Sequence[Facts]) -> list[Token]:
    """Return the words of a draft sentence that no source has, in any form or as a synonym.

    Function words and quantities are left to the other checks.
    """
    return _missing(draft.lexical, sources)


def unverified_relations(draft: Facts, sources: Sequence[Facts]) -> list[Token]:
    """Return the words that relate others and that the sources lack, or have less often.

    They are function words, with which a sentence of the source's own words says something else:
    negations, persons, times, "only", and "any" in a statement. A negation or a time may have
    another word where the sources have one: "if not" for "unless".
    """
    known = sum((Counter(_related(s)) for s in sources), Counter[tuple[str, str]]())
    compared = _COMPARED - ({"negation"} if any(map(_denies, sources)) else set())
    compared -= {"time"} if any(map(_orders, sources)) else set()
    compared -= {"any"} if _ALL in known else set()
    new = []
    for token, relation in zip(draft.sentence.tokens, _related(draft), strict=True):
        if relation[0] not in compared:
            continue
        if known[relation] > 0:
            known[relation] -= 1
        else:
            new.append(token)
    return new


def _orders(facts: Facts) -> bool:
    """Return whether a sentence names an order in time, in whatever words."""
    conditions = any(c.value in ("before", "until", "when") for c in facts.conditions)
    return conditions or not _TIMES.isdisjoint(facts.sentence.words)


def _denies(facts: Facts) -> bool:
    """Return whether a sentence denies, forbids or excepts something, in whatever words."""
    forbids = bool(facts.values("force") & {"none", "forbid"})
    excepts = any(c.value == "unless" for c in facts.conditions)
    return forbids or excepts or any(n.value != "like" for n in facts.negations)


def _related(facts: Facts) -> list[tuple[str, str]]:
    """Return the kind and value of each word that relates others, `_NONE` for every other word."""
    denied = any(n.value != "like" for n in facts.negations)
    supposed = any(c.value in CONDITION_SOURCES for c in facts.conditions)
    states = not (denied or supposed or facts.sentence.asks)
    idle = {at for m in facts.marks if m.kind == "idiom" for at in range(m.start, m.end)}
    found = [
        _NONE if at in idle else relations().get(token.text, _NONE)
        for at, token in enumerate(facts.sentence.tokens)
    ]
    if states and _ALL not in found:  # "any" for "every" is the same
        found = [
            ("any", "") if token.text == "any" else relation
            for token, relation in zip(facts.sentence.tokens, found, strict=True)
        ]
    return found


def lost_words(source: Facts, drafts: Sequence[Facts]) -> list[Token]:
    """Return the words of a sentence that the drafts of it lack; none of a report.

    Each word of advice, of a rule or of a general statement can restrict it. A report may be
    shortened: what it leaves out changes no other part of it.
    """
    if not source.sentence.instructs and _narrates(source):
        return []
    greets = source.sentence.tokens[0].text in _GREETINGS
    return [t for t in _missing(source.lexical, drafts) if not (greets and t.segment == 0)]


def loses_quantity(source: Facts, drafts: Sequence[Facts]) -> bool:
    """Return whether the drafts of a sentence lack one of its quantities."""
    numbers = {number for d in drafts for q in d.quantities for number in (q.number, q.written)}
    return any(q.number not in numbers and q.written not in numbers for q in source.quantities)


def _missing(words: Sequence[Token], sentences: Sequence[Facts]) -> list[Token]:
    known = keys_of(sentences)
    return [word for word in words if word.keys.isdisjoint(known)]


_NO_PAST = frozenset(
    "red bed need bleed speed feed seed weed indeed hundred naked aged infected slurred blurred"
    " tired".split()
)
"""Words in `-ed` that are no past tense, or seldom."""


def _narrates(source: Facts) -> bool:
    """Return whether a sentence reports what was, or speaks of its writer."""
    words = source.sentence.words
    if source.values("warning"):
        return False
    if not _NARRATIVE.isdisjoint(words):
        return True
    passive = not {"is", "are"}.isdisjoint(words)
    return any(
        word.endswith("ed")
        and word not in _NO_PAST
        and before not in _AUXILIARIES
        and not (passive and before in ("and", ","))
        for before, word in pairwise(["", *words])
    )
