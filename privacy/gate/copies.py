"""Compare a draft sentence with the source that it copies, but for words at an end or at a turn.

In a copy, a part that is cut off or exchanged is no rewording: it said who says so, when it holds,
or which of two things is meant.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from sage_rag.privacy.gate.changes import Change, change_at
from sage_rag.privacy.gate.facts.facts import Facts
from sage_rag.privacy.gate.facts.sentences import Token
from sage_rag.privacy.gate.facts.words import stem
from sage_rag.privacy.gate.speakers import SAYINGS

_FEWEST = 3
"""Words of a copy."""
_LONGEST_SAYING = 8
"""Words before what someone says."""
_RESTRICTING = frozenset(
    "for which that who whose whom where when while if unless until except only on in within at"
    " from without with during because as after before provided".split()
)
_TURNS = (("than",), ("and", "not"), ("but", "not"), ("instead", "of"), ("not",))
"""What stands after one of these is the other one of two things; the first that occurs counts."""


def copy_changes(draft: Facts, sources: Sequence[Facts]) -> Iterator[Change]:
    """Yield what a copy cuts off its source, and two things that change places around a turn."""
    if not sources or draft.sentence.asks != sources[0].sentence.asks:
        return
    ours, theirs = _words(draft), _words(sources[0])
    if len(ours) < _FEWEST or len(ours) > len(theirs):
        return
    here, there = [t.text for t in ours], [t.text for t in theirs]
    cut = len(there) - len(here)
    known = {token.text for other in sources[1:] for token in other.sentence.tokens}
    if cut and there[cut:] == here and _is_saying(there[:cut]) and known.isdisjoint(there[:cut]):
        yield change_at(draft, "drops", "speaker", ours[0])
    elif cut > 1 and there[:-cut] == here and _restricts(theirs[-cut:], sources[0]):
        yield change_at(draft, "drops", "condition", ours[-1])
    elif (turned := _turned(ours, theirs)) is not None:
        yield change_at(draft, "exchanges", "word", turned)


def _words(facts: Facts) -> list[Token]:
    articles = ("a", "an", "the", "that")
    return [t for t in facts.sentence.tokens if t.kind != "mark" and t.text not in articles]


def _is_saying(words: Sequence[str]) -> bool:
    """Return whether words say whose statement follows; the writer's own is not counted."""
    if len(words) > _LONGEST_SAYING or "i" in words:
        return False
    return not SAYINGS.isdisjoint(words)


def _restricts(words: Sequence[Token], source: Facts) -> bool:
    """Return whether the end of a sentence can restrict the rest, or is a part of its condition."""
    ruled = bool(source.conditions) or source.sentence.instructs
    if words[0].text in ("and", "or"):
        return ruled and any(t.content for t in words)
    return words[0].text in _RESTRICTING and any(t.content for t in words)


def _turned(ours: Sequence[Token], theirs: Sequence[Token]) -> Token | None:
    """Return the turn around which the same words stand in another order."""
    here, there = ([stem(t.text) for t in words] for words in (ours, theirs))
    if here == there or sorted(here) != sorted(there):
        return None
    for turn in _TURNS:
        own, other = _around(ours, turn), _around(theirs, turn)
        if own and other:
            moved = own.after != other.after and own.after in other.before
            return own.turn if moved and other.after in own.before else None
    return None


class _Sides(NamedTuple):
    """A turn, the stems before it, and the first one with content after it."""

    turn: Token
    before: frozenset[str]
    after: str


def _around(words: Sequence[Token], turn: Sequence[str]) -> _Sides | None:
    size = len(turn)
    for at in range(len(words) - size):
        if [t.text for t in words[at : at + size]] == list(turn):
            before = frozenset(stem(t.text) for t in words[:at])
            after = next(
                (stem(t.text) for t in words[at + size :] if t.content or t.kind == "number"), ""
            )
            return _Sides(words[at], before, after)
    return None
