"""Facts of a sentence in canonical forms, each with the words that it belongs to."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import pairwise

from sage_rag.privacy.gate.facts.marks import Mark, find_marks
from sage_rag.privacy.gate.facts.quantities import Quantity, read_quantities
from sage_rag.privacy.gate.facts.sentences import Sentence, Token
from sage_rag.privacy.gate.facts.words import contrasts, is_drug, poles, stem

_WINDOW = 6
"""Tokens on either side of a fact among which its words are searched."""
_OTHER_SEGMENT = 0.4
_SCOPE_ENDS = frozenset(
    "but because if unless until till when whenever while which who that since although though"
    " however whereas ; : )".split()
)
_ASK_BEFORE_IF = re.compile(
    r"\b(?:ask\w*|know\w*|wonder\w*|see|check\w*|sure|tell|unsure|clear|unclear|question\w*|decid\w*"
    r"|determin\w*|find out|enquir\w*|inquir\w*|say|says|said|discuss\w*|understand|learn"
    r"|confirm\w*|advise|query|told|assess\w*|establish\w*|doubt\w*|test|show\w*|verify)\b"
    r"(?:[ ]\S+){0,3}[ ]\Z"
)
_SIDED = frozenset(
    "side sided hand handed lower upper front rear big little middle ring index inner outer great"
    " lung kidney ovary testicle lobe ventricle atrium temple flank calf shin forearm iliac".split()
)
_BEFORE_SIDE = frozenset("the my his her your their its on to of".split())
_AFTER_SIDE_ENDS = frozenset(". , ; : ) ? ! and or but is was than".split())
_DOSES = frozenset({
    "milligram", "millilitre", "unit", "tablet", "puff", "drop", "spoon", "sachet", "milligram/",
    "unit/", "millilitre/",
})  # fmt: skip


@dataclass(frozen=True, slots=True)
class Fact:
    """One fact at the token `at`, text range `[start, end)` within the sentence.

    `near`: the content words close to it, with weights in (0, 1]. `head`: the content words that it
    governs, in order: what a negation denies, whose side it is. `number`: that of a quantity, as
    low, high and unit; `comparator`: its mark ("at least"), or empty.
    """

    kind: str
    value: str
    at: int
    start: int
    end: int
    near: tuple[tuple[frozenset[str], float], ...] = ()
    head: tuple[frozenset[str], ...] = ()
    comparator: str = ""
    number: tuple[Fraction, Fraction, str] = (Fraction(0), Fraction(0), "")


@dataclass(frozen=True, slots=True)
class Condition:
    """A condition or a time relation: the words under it, and those of the main clause."""

    value: str
    start: int
    end: int
    under: frozenset[str]
    main: frozenset[str]


@dataclass(slots=True)
class Facts:
    """All facts of one sentence.

    `denied`: the keys of all words in the clauses of its negations.
    """

    sentence: Sentence
    marks: list[Mark]
    keys: frozenset[str]
    content: list[Token]
    quantities: list[Fact] = field(default_factory=list)
    negations: list[Fact] = field(default_factory=list)
    sides: list[Fact] = field(default_factory=list)
    conditions: list[Condition] = field(default_factory=list)
    denied: frozenset[str] = frozenset()
    poles: Mapping[tuple[int, int], Token] = field(default_factory=dict)
    drugs: Mapping[str, Token] = field(default_factory=dict)
    members: Mapping[str, list[Token]] = field(default_factory=dict)
    persons: Mapping[str, Mark] = field(default_factory=dict)

    def values(self, kind: str) -> set[str]:
        """The values of all marks of a kind."""
        return {mark.value for mark in self.marks if mark.kind == kind}

    def first(self, kind: str, value: str) -> Mark | None:
        """The first mark with a value."""
        return next((m for m in self.marks if m.kind == kind and m.value == value), None)

    def span(self, mark: Mark) -> tuple[int, int]:
        """The text range of a mark within the sentence."""
        tokens = self.sentence.tokens
        return tokens[mark.start].start, tokens[mark.end - 1].end


def facts_of(sentence: Sentence) -> Facts:
    """Return the facts of a sentence; linear in its text."""
    tokens = sentence.tokens
    marks = find_marks(sentence.words)
    keys = frozenset(key for token in tokens for key in token.keys)
    facts = Facts(sentence, marks, keys, [t for t in tokens if t.content])
    facts.quantities = [_quantity(facts, quantity) for quantity in read_quantities(sentence.text)]
    facts.content = [t for t in facts.content if not _in_quantity(t, facts)]
    facts.negations = [_negation(facts, m) for m in marks if m.kind == "negation"]
    facts.denied = _denied(facts)
    facts.sides = [s for m in marks if m.kind == "side" if (s := _side(facts, m)) is not None]
    facts.conditions = [
        c for m in marks if m.kind == "condition" if (c := _condition(facts, m)) is not None
    ]
    facts.poles = {pole: token for token in tokens for pole in poles().get(stem(token.text), ())}
    facts.drugs = {t.text: t for t in facts.content if is_drug(t.text)}
    members: dict[str, list[Token]] = {}
    for token in tokens:
        if (name := contrasts().get(stem(token.text))) is not None:
            members.setdefault(name, []).append(token)
    facts.members = members
    facts.persons = {m.value: m for m in marks if m.kind == "person"}
    return facts


def _in_quantity(token: Token, facts: Facts) -> bool:
    return any(q.start <= token.start < q.end for q in facts.quantities)


def near_words(
    tokens: tuple[Token, ...], first: int, last: int
) -> tuple[tuple[frozenset[str], float], ...]:
    """Return the content words around the tokens `[first, last)` with their weights."""
    found = []
    segment = tokens[first].segment
    for at in (*range(first - 1, first - 1 - _WINDOW, -1), *range(last, last + _WINDOW)):
        if 0 <= at < len(tokens) and tokens[at].content:
            distance = first - at if at < first else at - last + 1
            weight = 1 / (1 + 0.3 * (distance - 1))
            same = tokens[at].segment == segment
            found.append((tokens[at].keys, weight if same else weight * _OTHER_SEGMENT))
    return tuple(found)


def binding(one: Fact, other: Fact) -> float:
    """Return how much two facts stand near the same words; 0 if they share none."""
    total = 0.0
    for keys, weight in one.near:
        total += max(
            (min(weight, w) for theirs, w in other.near if not keys.isdisjoint(theirs)), default=0.0
        )
    return total


def is_dose(fact: Fact) -> bool:
    """Return whether a quantity has the unit of a dose."""
    return fact.number[2] in _DOSES


def _quantity(facts: Facts, quantity: Quantity) -> Fact:
    tokens = facts.sentence.tokens
    inside = [i for i, t in enumerate(tokens) if t.start < quantity.end and quantity.start < t.end]
    first, last = (inside[0], inside[-1] + 1) if inside else (0, 1)
    compared = ""
    for mark in facts.marks:
        if mark.kind != "comparator":
            continue
        before = mark.end <= first and all(
            tokens[i].text in ("the", "a", "an", "$", "€", "£", "another", "about", "of")
            for i in range(mark.end, first)
        )
        after = tokens[mark.start].text in ("or", "and", "at", "upwards", "max") and (
            last <= mark.start <= last + 1
        )
        if before or (after and mark.value in ("more", "least", "less", "most")):
            compared = mark.value
    return Fact(
        "quantity", quantity.unit, first, quantity.start, quantity.end,
        near_words(tokens, first, last), comparator=compared, number=quantity.value,
    )  # fmt: skip


def _negation(facts: Facts, mark: Mark) -> Fact:
    tokens = facts.sentence.tokens
    head = []
    for at in range(mark.end, min(len(tokens), mark.end + 9)):
        if tokens[at].text in _SCOPE_ENDS:
            break
        if tokens[at].content:
            head.append(tokens[at].keys)
    start, end = facts.span(mark)
    near = near_words(tokens, mark.start, mark.end)
    return Fact("negation", mark.value, mark.start, start, end, near, tuple(head[:3]))


def _denied(facts: Facts) -> frozenset[str]:
    """Return the keys of the words in the clauses of all negations, on both sides."""
    tokens = facts.sentence.tokens
    ends = [-1, *(i for i, t in enumerate(tokens) if t.text in _SCOPE_ENDS), len(tokens)]
    places = [n.at for n in facts.negations]
    places += [m.start for m in facts.marks if m.kind == "force" and m.value in ("none", "forbid")]
    places += [m.start for m in facts.marks if m.kind == "condition" and m.value == "unless"]
    found: set[str] = set()
    for first, last in pairwise(ends):
        if any(first <= at <= last for at in places):
            found.update(key for token in tokens[first + 1 : last] for key in token.keys)
    return frozenset(found)


def _side(facts: Facts, mark: Mark) -> Fact | None:
    tokens = facts.sentence.tokens
    following = tokens[mark.end : mark.end + 3]
    before = tokens[mark.start - 1].text if mark.start else ""
    named = [
        t for t in following
        if contrasts().get(stem(t.text)) == "body" or t.text in _SIDED
    ]  # fmt: skip
    ends = not following or following[0].text in _AFTER_SIDE_ENDS
    paired = mark.end < len(tokens) - 1 and {"left", "right"} & {t.text for t in following[:2]}
    if not named and not (ends and before in _BEFORE_SIDE) and not paired:
        return None
    if mark.value == "both" and not named and mark.end - mark.start == 1:
        return None
    start, end = facts.span(mark)
    head = tuple(t.keys for t in named if contrasts().get(stem(t.text)) == "body")
    near = near_words(tokens, mark.start, mark.end)
    return Fact("side", mark.value, mark.start, start, end, near, head)


def _condition(facts: Facts, mark: Mark) -> Condition | None:
    sentence, tokens = facts.sentence, facts.sentence.tokens
    start, end = facts.span(mark)
    if tokens[mark.start].text == "if" and _ASK_BEFORE_IF.search(sentence.text, 0, start):
        return None
    stop = len(tokens)
    fronted = all(not t.content for t in tokens[: mark.start])
    for at in range(mark.end, len(tokens)):
        text = tokens[at].text
        if text in ";:)" or (text == "," and fronted) or text in ("but", "then", "otherwise"):
            stop = at
            break
    if fronted and stop == len(tokens):
        pronouns = ("i", "you", "he", "she", "they", "we", "it", "please")
        stop = next(
            (i for i in range(mark.end + 3, len(tokens)) if tokens[i].text in pronouns), stop
        )
    under = frozenset(k for t in tokens[mark.end : stop] if t.content for k in t.keys)
    rest = (*tokens[: mark.start], *tokens[stop:])
    main = frozenset(k for t in rest if t.content for k in t.keys)
    return Condition(mark.value, start, end, under, main)
