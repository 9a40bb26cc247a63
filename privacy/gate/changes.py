"""A change of meaning, and the comparisons of facts that the checks share."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from sage_rag.privacy.gate.facts.facts import (
    Condition,
    Fact,
    Facts,
    binding,
    common_words,
    is_dose,
)
from sage_rag.privacy.gate.facts.marks import Mark
from sage_rag.privacy.gate.facts.sentences import Token

MARGIN = 0.35
"""How much nearer a fact must be to another fact's words than to its own to count as exchanged."""
_LISTED = frozenset(
    "person complaint body disease drug colour being matter meal daytime weekday".split()
)
_LIST_REACH = 4
"""Tokens between two members of one list, whose order is free: "fever, cough or rash"."""


@dataclass(frozen=True, slots=True)
class Change:
    """A change of meaning; `[start, end)` is a range of the joined draft.

    `what` names the kind of fact; `verb`: adds, drops, changes, exchanges or reverses.
    """

    verb: str
    what: str
    start: int
    end: int


def change_at(draft: Facts, verb: str, what: str, found: Fact | Mark | Token | Condition) -> Change:
    """Return a change at the place of a fact in its draft sentence."""
    at = draft.sentence.start
    start, end = draft.span(found) if isinstance(found, Mark) else (found.start, found.end)
    return Change(verb, what, at + start, at + end)


def keys_of(sentences: Iterable[Facts]) -> frozenset[str]:
    """Return the keys of all words of some sentences."""
    return frozenset(key for facts in sentences for key in facts.keys)


def quantity_name(fact: Fact) -> str:
    """Return what a quantity is: a dose, a frequency, a duration or a number."""
    unit = fact.number[2]
    if unit in ("hour", "month"):
        return "duration"
    return "frequency" if unit == "frequency" else "dose" if is_dose(fact) else "number"


def same_quantity(one: Fact, other: Fact, sources: Sequence[Facts]) -> bool:
    """Return whether a draft's quantity `one` is that of its source: number and unit.

    The draft may leave the unit out. It may add one only if another number of `sources` has it:
    "5 mg, then 10".
    """
    low, high, unit = one.number
    their_low, their_high, their_unit = other.number
    if unit == their_unit:
        return (low, high) == (their_low, their_high)
    if {unit, their_unit} <= {"am", "pm", "", "times"}:
        return {unit, their_unit} != {"am", "pm"} and low == their_low
    if not unit:
        return one.written == other.written
    units = {q.number[2] for s in sources for q in s.quantities}
    return not their_unit and one.written == other.written and unit in units


def exchanged(fact: Fact, own: Fact, theirs: Sequence[Fact], ours: Sequence[Fact]) -> bool:
    """Return whether a fact of a draft has taken the words of another fact of its source.

    `own`: the same fact in the source. `theirs`, `ours`: the facts of the kind in source and draft.
    Words that stand near both facts of the source show nothing.
    """
    for other in theirs:
        if same_fact(other, fact) or _scale(other) != _scale(fact):
            continue
        if fact.kind in _LISTED and _listed(own, other):
            continue
        shared = common_words(own, other)
        gain = binding(fact, other, shared) - binding(fact, own, shared)
        gains = [
            binding(each, own, shared)
            - max(binding(each, t, shared) for t in theirs if same_fact(t, each))
            for each in ours
            if same_fact(each, other)
        ]
        if gain + max(gains, default=0.0) > MARGIN:
            return True
    return False


def _listed(one: Fact, other: Fact) -> bool:
    """Return whether two names stand close together in one sentence."""
    near = {key for keys, _ in one.near for key in keys}
    return abs(one.at - other.at) <= _LIST_REACH and not near.isdisjoint(other.head[0])


def same_fact(one: Fact, other: Fact) -> bool:
    """Return whether two facts of a kind have the same value."""
    if one.kind == "quantity":
        return one.number == other.number
    if one.kind == "side":
        return one.value == other.value
    return bool(one.head and other.head and not one.head[0].isdisjoint(other.head[0]))


def _scale(fact: Fact) -> object:
    """Return the factor of a length of time: "three days" and "21 hours" are not exchanged."""
    lasts = fact.number[2] in ("hour", "month") and fact.written > 0
    return fact.number[0] / fact.written if lasts else 0
