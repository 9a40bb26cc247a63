"""Compare a draft sentence word by word with the source that it copies, function words included.

In a copy every word that says how things are related counts: a negation, a duty, a person, a side,
an order in time. What replaces such a word has to mean the same, and a copy has its words in the
same order, except where whole clauses change places.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import cache

from sage_rag.privacy.gate.changes import Change, change_at
from sage_rag.privacy.gate.facts.facts import Facts
from sage_rag.privacy.gate.facts.sentences import Token
from sage_rag.privacy.gate.facts.words import poles

_COPIED = 0.75
"""Share of words in common, in order, from which a draft sentence is a copy of its source."""
_FEWEST = 4
_LONGEST_CUT = 3
"""The longest piece that is left out or put in as small words, in words."""
_LISTS = frozenset("and or nor , / then".split())
_PHRASES = frozenset(
    "in on at from during since until after before for within by with without if when while because"
    " today yesterday tomorrow last next every".split()
)
_IGNORED = frozenset("the a an any able that this these those of it its".split())

_KINDS = {
    "negation": {"no": "no not never nobody none nothing neither nor nowhere without unable"},
    "force": {
        "must": "must shall needs need required obliged mandatory",
        "may": "may can might could allowed permitted",
        "should": "should ought recommended advised",
        "will": "will would",
    },
    "hedge": {
        "about": "approximately roughly nearly almost",
        "perhaps": "perhaps maybe possibly probably likely apparently presumably",
    },
    "reason": {"because": "because", "although": "although though"},
    "junction": {"and": "and", "or": "or"},
    "person": {
        "i": "i me my mine myself",
        "you": "you your yours yourself",
        "he": "he him his himself",
        "she": "she her hers herself",
        "we": "we us our ours",
        "they": "they them their theirs",
    },
    "time": {
        "before": "before",
        "after": "after once",
        "until": "until till",
        "since": "since",
    },
    "place": {
        "above": "above over",
        "below": "below under",
        "inside": "inside",
        "outside": "outside",
    },
    "amount": {
        "all": "all every each everybody everyone always",
        "both": "both",
        "some": "some several few sometimes partly",
        "most": "most mostly usually generally often",
        "half": "half",
    },
    "only": {"only": "only solely exclusively"},
    "even": {"even": "even"},
    "side": {"left": "left", "right": "right"},
    "direction": {"on": "on", "off": "off", "up": "up", "down": "down"},
}  # fmt: skip
_COUNTED = frozenset({"negation", "only", "even", "hedge", "reason"})
"""Kinds of which a copy has neither more nor fewer words than its source."""
_CONJUNCTIONS = frozenset("because since as although though".split())
_PAST = frozenset(
    "was were had did went took came gave got made said told saw found left kept felt began paid"
    " sent bought brought thought knew lost met ran wrote spoke stood held fell became".split()
)


@dataclass(frozen=True, slots=True)
class _Word:
    """A word of a sentence; `kind` and `value` where it relates others, else its meaning."""

    token: Token
    kind: str
    value: str


def word_changes(draft: Facts, source: Facts) -> Iterator[Change]:
    """Yield the first word of a copy that relates its words otherwise than the source."""
    ours, theirs = _words(draft), _words(source)
    if min(len(ours), len(theirs)) < _FEWEST or draft.sentence.asks != source.sentence.asks:
        return
    if _says_it_otherwise(draft, source):
        return
    blocks = SequenceMatcher(None, _masked(ours), _masked(theirs), autojunk=False)
    if blocks.ratio() >= _COPIED and (other := _other_relation(blocks, ours, theirs)):
        yield change_at(draft, "changes", "relation", other.token)
    elif (other := _moved(ours, theirs)) is not None:
        yield change_at(draft, "exchanges", "word", other.token)


def _says_it_otherwise(draft: Facts, source: Facts) -> bool:
    """Return whether other words mean the same: passive, "unless" for "if not", a comparison."""
    ours, theirs = set(draft.sentence.words), set(source.sentence.words)
    return "than" in ours | theirs or bool((ours ^ theirs) & {"by", "unless", "until"})


def _words(facts: Facts) -> list[_Word]:
    tokens = facts.sentence.tokens
    found = []
    for at, token in enumerate(tokens):
        if token.text in _IGNORED or token.kind == "mark":
            continue
        after = tokens[at + 1].text if at + 1 < len(tokens) else ""
        if token.text == "even" and after == "though":
            continue
        if token.text in ("has", "have", "had") and after == "to":
            found.append(_Word(token, "force", "must"))
            continue
        if token.text == "to" and found and found[-1].value == "must":
            continue
        before = tokens[at - 1].text if at else ""
        paired = "and" in (before, after)  # "on and off"
        kind, value = _relation(token)
        kind, value = ("", "") if kind == "direction" and paired else (kind, value)
        found.append(_Word(token, kind, value or _meaning(token)))
    return found


def _relation(token: Token) -> tuple[str, str]:
    """Return the kind and value of a word that relates others, or of one side of an opposite."""
    if found := relations().get(token.text):
        return found
    sides = {(f"pole {n}", str(side)) for key in token.keys for n, side in poles().get(key, ())}
    return sides.pop() if len(sides) == 1 else ("", "")


@cache
def relations() -> Mapping[str, tuple[str, str]]:
    """Return the kind and value of each word that relates others."""
    return {
        word: (kind, value)
        for kind, values in _KINDS.items()
        for value, words in values.items()
        for word in words.split()
    }


def _meaning(token: Token) -> str:
    """Return what all synonyms of a word have in common."""
    return min(token.keys, key=lambda key: (not key.startswith("="), key), default=token.text)


def _masked(words: Sequence[_Word]) -> list[str]:
    return [word.kind or word.value for word in words]


def _other_relation(
    blocks: SequenceMatcher[str], ours: Sequence[_Word], theirs: Sequence[_Word]
) -> _Word | None:
    """Return a word that has the place of another one of its kind, or that only one side has."""
    for what, start, end, their_start, their_end in blocks.get_opcodes():
        here, there = ours[start:end], theirs[their_start:their_end]
        if what == "equal":
            for own, other in zip(here, there, strict=True):
                if own.kind and own.value != other.value:
                    return own
                if _is_past_of(own, other) or _is_past_of(other, own):
                    return own
        elif max(len(here), len(there)) <= _LONGEST_CUT and _counted(here) != _counted(there):
            return (*here, *ours[max(0, start - 1) :])[0]
    return None


def _is_past_of(word: _Word, other: _Word) -> bool:
    """Return whether a word is the past of another one: "received" of "receives"."""
    text, present = word.token.text, other.token.text
    if text == present or word.kind or not text.endswith("ed"):
        return text in _PAST and present not in _PAST and not present.endswith(("ing", "ed"))
    bases = {text[:-1], text[:-2], text[:-3], f"{text[:-3]}y"}
    return not bases.isdisjoint({present, present.removesuffix("s")})


def _counted(words: Sequence[_Word]) -> Counter[str]:
    return Counter(w.kind for w in words if w.kind in _COUNTED)


def _moved(ours: Sequence[_Word], theirs: Sequence[_Word]) -> _Word | None:
    """Return the first word of a sentence with its source's words in another order.

    Two pieces have changed places, or "not" denies another piece: "to you, not to him". A phrase
    of time or place, and the members of a list, are free.
    """
    here, there = ([w.value for w in words] for words in (ours, theirs))
    if Counter(here) != Counter(there) or here == there:
        return None
    if _contrasted(ours) != _contrasted(theirs):
        return next(w for w in ours if w.kind == "negation")
    if (turned := _turned_clause(_clauses(ours), _clauses(theirs))) is not None:
        return turned
    differs = [i for i, (a, b) in enumerate(zip(here, there, strict=True)) if a != b]
    first, last = differs[0], differs[-1] + 1
    if _LISTS & set(here[first : last + 1]):
        return None
    if _swaps(here[first:last], there[first:last], [w.token.text for w in theirs[first:last]]):
        return ours[first]
    return None


def _contrasted(words: Sequence[_Word]) -> Counter[str]:
    """Return the words of the pieces that begin with a negation: ", not to him"."""
    return Counter(
        w.value
        for piece in _pieces(words)
        if piece[0].kind == "negation" and piece[0].token.segment
        for w in piece
    )


def _clauses(words: Sequence[_Word]) -> dict[str, list[_Word]]:
    """Return the pieces of a sentence that begin with a conjunction such as "because", by it."""
    return {p[0].token.text: p for p in _pieces(words) if p[0].token.text in _CONJUNCTIONS}


def _turned_clause(
    ours: Mapping[str, list[_Word]], theirs: Mapping[str, list[_Word]]
) -> _Word | None:
    """Return a conjunction whose clause has other words: "since" moved from B to A."""
    for name, piece in ours.items():
        here = {w.value for w in piece}
        there = {w.value for w in theirs.get(name, piece)}
        if here - there and there - here:
            return piece[0]
    return None


def _pieces(words: Sequence[_Word]) -> Iterable[list[_Word]]:
    """Return the words of each segment of a sentence."""
    pieces: dict[int, list[_Word]] = {}
    for word in words:
        pieces.setdefault(word.token.segment, []).append(word)
    return pieces.values()


def _swaps(here: Sequence[str], there: Sequence[str], written: Sequence[str]) -> bool:
    """Return whether `here` is `there` with its beginning and its end in each other's place.

    Something stays between both pieces, and neither begins with a word of `_PHRASES`.
    """
    size = len(there)
    heads = [n for n in range(1, size) if here[size - n :] == there[:n]]
    tails = [n for n in range(1, size) if here[:n] == there[size - n :]]
    return any(
        here[tail : size - head] == there[head : size - tail]
        and not {written[0], written[size - tail]} & _PHRASES
        for head in heads
        for tail in tails
        if head + tail < size
    )
