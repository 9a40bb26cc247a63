"""Cuts: whether what is left of a sentence follows from the sentence.

A statement may leave words of its sentence only where it stays true without them: "take rest for a
week" entails "take rest". Under a negation, a permission or a condition it does not: "do
not take it with milk" does not entail "do not take it", and "the mother and the child are ill" does
not entail "the child are ill".

Source: MacCartney and Manning (2007), "Natural Logic for Textual Inference", §3: words may be
deleted in upward monotone contexts alone. Differs: contexts are found by lists of words.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from sage_rag.indexer.consensus.grammar import (
    CONDITIONS,
    CONJUNCTIONS,
    FINITE,
    NEGATIONS,
    PREPOSITIONS,
    word_set,
)

_CONDITIONAL_PAIRS = frozenset(
    {("in", "case"), ("as", "long"), ("so", "long"), ("on", "condition")}
)
_FRONTED = word_set(
    "after before during upon until till once without with for on at by given according unlike"
    " under below above within in since"
)
"""A part of a sentence that begins with one of these restricts what follows it."""
_NOT_RESTRICTING = frozenset(
    {
        *(("in", "my"), ("in", "our"), ("in", "addition"), ("in", "general"), ("in", "fact")),
        *(("for", "example"), ("for", "instance"), ("for", "now"), ("at", "present")),
        *(("for", "this"), ("at", "first"), ("in", "short"), ("in", "order"), ("by", "the")),
    }
)
"""How parts begin that restrict nothing, though their first word could: `in my opinion`."""
_SCOPES = NEGATIONS | word_set(
    "only both either between neither rather too so such enough all every each any always no none"
    " nobody nothing nowhere hardly rarely seldom less least most more may can could might"
)
"""What follows one of these may not be shortened: a negation, a permission, the first of a pair."""
_ENDS_OF_SCOPES = word_set("but so because")
"""The next clause begins with one of these, so that the one before it is whole."""
_RESTRICTING = CONDITIONS | word_set("after before during once till within or")
"""No statement ends before one of these."""
_OPENERS = word_set("and but so because")
"""A statement with a subject of its own may begin after one of these."""
_REPORTING = word_set("that like")
_HEDGES = word_set("may might could can should")


def is_conditional(tokens: Sequence[str]) -> bool:
    """Return whether a sentence states anything under a condition."""
    return not CONDITIONS.isdisjoint(tokens) or any(
        pair in _CONDITIONAL_PAIRS for pair in pairwise(tokens)
    )


def is_fronted(tokens: Sequence[str]) -> bool:
    """Return whether the words before a statement restrict it: `for severe pain`.

    `tokens`: those of an earlier part of the sentence, or of the same part before the statement.
    """
    if not tokens or tokens[0] not in _FRONTED or not FINITE.isdisjoint(tokens):
        return False
    return tuple(tokens[:2]) not in _NOT_RESTRICTING


def may_end(tokens: Sequence[str], start: int, end: int) -> bool:
    """Return whether the words from `start` follow from their segment if it is cut at `end`."""
    if end == len(tokens):
        return True
    if tokens[end] in _RESTRICTING:
        return False
    return tokens[end] in _ENDS_OF_SCOPES or _SCOPES.isdisjoint(tokens[start:end])


def may_open(tokens: Sequence[str], start: int, end: int) -> bool:
    """Return whether a clause with a subject of its own may begin at `start`.

    Not after "whether" or "than", nor after "that" where someone reports it, unless the clause
    says itself that it may be so; and after "and" only if a clause precedes.
    """
    if start == 0:
        return True
    opener, before = tokens[start - 1], tokens[: start - 1]
    if opener in _REPORTING:
        return tokens[start] == "you" and not _HEDGES.isdisjoint(tokens[start:end])
    if opener not in _OPENERS:
        return False
    return opener != "and" or not FINITE.isdisjoint(before)


def borders(first_is_pronoun: bool) -> frozenset[str]:
    """Return the words before which a statement may end."""
    return CONJUNCTIONS if first_is_pronoun else CONJUNCTIONS | PREPOSITIONS
