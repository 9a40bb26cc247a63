"""Extract the facts of a sentence: its marks, quantities, negations, sides, conditions, names."""

from __future__ import annotations

import re
from itertools import pairwise

from sage_rag.common.questions import is_inverted
from sage_rag.privacy.gate.facts.facts import Condition, Fact, Facts, near_words
from sage_rag.privacy.gate.facts.marks import Mark, find_marks
from sage_rag.privacy.gate.facts.quantities import Quantity, read_quantities
from sage_rag.privacy.gate.facts.sentences import Sentence, Token
from sage_rag.privacy.gate.facts.words import (
    contrasts,
    function_stems,
    is_drug,
    poles,
    stem,
    word_keys,
)

_NEGATION_REACH = 8
"""Tokens between a negation and a comparator that it turns round: "do not use on more than"."""
_MONTHS_AS_VERBS = frozenset({"may", "march"})
_BEFORE_MONTH = frozenset(
    "in early late mid since until by from last next of and to on during".split()
)
_SCOPE_ENDS = frozenset(
    "but because if unless until till when whenever while which who that since although though"
    " however whereas ; : )".split()
)
_ASK_BEFORE_IF = re.compile(
    r"\b(?:ask\w*|know\w*|wonder\w*|see|check\w*|sure|tell|unsure|clear|unclear|question\w*|decid\w*"
    r"|determin\w*|find out|enquir\w*|inquir\w*|say|says|said|discuss\w*|understand|learn"
    r"|grateful|appreciate\w*|glad|happy|pleased|nice|kind|mind|confirm\w*|advise|query|told|assess\w*|establish\w*|doubt\w*|test|show\w*|verify)\b"
    r"(?:[ ]\S+){0,3}[ ]\Z"
)
_NEGATED_ROOT = re.compile(r"(?:un|dis|im|ir|il)(\w{3,})\Z|(\w{3,})less\Z")
_LESS = re.compile(r"(?!un|regard|neverthe|nonethe|doub|b)\w{3,}less")
_SIDED = frozenset(
    "side sided hand handed lower upper front rear big little middle ring index inner outer great"
    " lung kidney ovary testicle lobe ventricle atrium temple flank calf shin forearm iliac".split()
)
_BEFORE_SIDE = frozenset("the my his her your their its on to of".split())
_DETERMINERS = frozenset("the a my his her your its their our this one".split())
_RIGHT_THINGS = frozenset(
    "way thing things time decision person answer place dose amount moment choice diagnosis"
    " treatment approach direction idea track reason conclusion size balance conditions medicine"
    " medication doctor specialist words attitude angle course holder holders".split()
)
_TIME_ADVERBS = frozenset({"now", "today", "again", "once"})
_AFTER_SIDE_ENDS = frozenset(". , ; : ) ? ! and or but is was than".split())


def facts_of(sentence: Sentence) -> Facts:
    """Return the facts of a sentence; `read_pieces` limits its length."""
    tokens = sentence.tokens
    marks = [m for m in find_marks(sentence.words) if not _is_month(tokens, m)]
    supposes = tokens[0].text == "should" and not is_inverted(sentence.text)
    if supposes and not sentence.asks:  # "should it hurt, come back"
        first = next((m for m in marks if m.kind == "condition" and m.start == 0), None)
        marks = [m for m in marks if m.start or m is first]
        marks += [] if first else [Mark("condition", "if", 0, 1)]
    keys = frozenset(key for token in tokens for key in token.keys)
    facts = Facts(sentence, marks, keys, [])
    facts.quantities = [_quantity(facts, quantity) for quantity in read_quantities(sentence.text)]
    idle = {at for m in marks if m.kind == "idiom" for at in range(m.start, m.end)}
    facts.content = [
        t
        for at, t in enumerate(tokens)
        if t.content and at not in idle and not _in_quantity(t, facts)
    ]
    facts.lexical = [
        t
        for at, t in enumerate(tokens)
        if _is_lexical(t) and at not in idle and not _in_quantity(t, facts)
    ]
    facts.negations = [
        _negation(facts, m) for m in marks if m.kind == "negation" and not _absorbed(facts, m)
    ] + [_less(facts, i) for i, t in enumerate(tokens) if _LESS.fullmatch(t.text)]
    facts.denied = _denied(facts)
    facts.sides = [s for m in marks if m.kind == "side" if (s := _side(facts, m)) is not None]
    facts.conditions = [
        c for m in marks if m.kind == "condition" if (c := _condition(facts, m)) is not None
    ]
    facts.poles = {
        pole: _word_fact(facts, "pole", at)
        for at, token in enumerate(tokens)
        for key in token.keys
        for pole in poles().get(key, ())
    }
    facts.names = [
        _word_fact(facts, name, at)
        for at in range(len(tokens))
        if (name := _category(tokens, at)) is not None and not _in_quantity(tokens[at], facts)
    ]
    facts.persons = {
        m.value: m
        for m in marks
        if m.kind == "person" and not (m.start and tokens[m.start - 1].text == "dear")
    }
    facts.names += [_person(facts, m) for m in facts.persons.values()]
    return facts


def _in_quantity(token: Token, facts: Facts) -> bool:
    return any(q.start <= token.start < q.end for q in facts.quantities)


def _is_month(tokens: tuple[Token, ...], mark: Mark) -> bool:
    """Return whether a mark is the name of a month: "in May" is no possibility."""
    months = mark.end - mark.start == 1 and tokens[mark.start].text in _MONTHS_AS_VERBS
    return months and _category(tokens, mark.start) == "month"


def _is_lexical(token: Token) -> bool:
    if token.kind == "word":
        return stem(token.text) not in function_stems() and len(token.text) > 1
    return token.kind == "placeholder"


def _is_named(token: Token) -> bool:
    """Return whether a word names what a clause is about, common verbs such as "start" included."""
    named = token.kind == "word" and token.text not in _TIME_ADVERBS and _is_lexical(token)
    return token.content or named


def _word_fact(facts: Facts, kind: str, at: int) -> Fact:
    token = facts.sentence.tokens[at]
    near = near_words(facts.sentence.tokens, at, at + 1)
    head = token.keys if kind != "person" else frozenset({f"~{token.text}"})
    return Fact(kind, token.text, at, token.start, token.end, near, (head,))


def _person(facts: Facts, mark: Mark) -> Fact:
    start, end = facts.span(mark)
    near = near_words(facts.sentence.tokens, mark.start, mark.end)
    head = (frozenset({f"={mark.value}", mark.value}),)
    return Fact("person", mark.value, mark.start, start, end, near, head)


def _category(tokens: tuple[Token, ...], at: int) -> str | None:
    """Return the closed set of a token: a kind of placeholder, a drug, a weekday, or others."""
    token = tokens[at]
    if token.kind == "placeholder":
        return token.text.rpartition("_")[0]
    if token.kind != "word":
        return None
    if token.text == "i":
        return "person"
    if token.content and is_drug(token.text):
        return "drug"
    if token.text in _MONTHS_AS_VERBS:
        before = tokens[at - 1] if at else token
        after = tokens[at + 1] if at + 1 < len(tokens) else token
        dated = before.text in _BEFORE_MONTH or "number" in (before.kind, after.kind)
        return "month" if dated else None
    return contrasts().get(stem(token.text))


def _quantity(facts: Facts, quantity: Quantity) -> Fact:
    tokens = facts.sentence.tokens
    inside = [i for i, t in enumerate(tokens) if t.start < quantity.end and quantity.start < t.end]
    first, last = (inside[0], inside[-1] + 1) if inside else (0, 1)
    compared = ""
    for mark in facts.marks:
        if mark.kind != "comparator":
            continue
        ranged = mark.start and tokens[mark.start - 1].kind == "number"  # "from 62 up to 64"
        before = (
            not ranged
            and mark.end <= first
            and all(
                tokens[i].text in ("the", "a", "an", "$", "€", "£", "another", "about", "of")
                for i in range(mark.end, first)
            )
        )
        after = tokens[mark.start].text in ("or", "and", "at", "upwards", "max") and (
            last <= mark.start <= last + 1
        )
        if before or (after and mark.value in ("more", "least", "less", "most")):
            compared = _under_negation(facts, mark) or mark.value
    return Fact(
        "quantity", quantity.unit, first, quantity.start, quantity.end,
        near_words(tokens, first, last), comparator=compared,
        written=quantity.written, number=quantity.value,
    )  # fmt: skip


def _under_negation(facts: Facts, mark: Mark) -> str | None:
    """Return `most` for "not ... more than", `least` for "not ... less than"; else `None`."""
    turned = {"more": "most", "over": "most", "less": "least"}.get(mark.value)
    before = facts.sentence.words[max(0, mark.start - _NEGATION_REACH) : mark.start]
    return turned if turned and ("not" in before or "no" in before or "never" in before) else None


def _negation(facts: Facts, mark: Mark) -> Fact:
    tokens = facts.sentence.tokens
    head = []
    for at in range(mark.end, min(len(tokens), mark.end + 9)):
        if tokens[at].text in _SCOPE_ENDS or (tokens[at].text == "," and not _lists(tokens, at)):
            break
        if tokens[at].content and not _in_quantity(tokens[at], facts):
            head.append(tokens[at].keys)
    start, end = facts.span(mark)
    near = near_words(tokens, mark.start, mark.end)
    return Fact("negation", mark.value, mark.start, start, end, near, tuple(head[:3]))


def _lists(tokens: tuple[Token, ...], at: int) -> bool:
    """Return whether a comma separates members of a list: "no fever, chills or cough"."""
    following = [t.text for t in tokens[at + 1 : at + 7]]
    return not {"or", "nor"}.isdisjoint(following)


def _absorbed(facts: Facts, mark: Mark) -> bool:
    """Return whether a negation is read as part of a comparator."""
    if facts.sentence.tokens[mark.start].text not in ("not", "no", "never"):
        return False
    return any(
        m.kind == "comparator"
        and 0 < m.start - mark.end + 1 <= _NEGATION_REACH
        and _under_negation(facts, m)
        and any(m.end <= q.at <= m.end + 1 for q in facts.quantities)
        for m in facts.marks
    )


def _less(facts: Facts, at: int) -> Fact:
    """Return the negation of "harmless": of the word without its ending."""
    token = facts.sentence.tokens[at]
    head = (word_keys(token.text.removesuffix("less")),)
    return Fact("negation", "like", at, token.start, token.end, (), head)


def _denied(facts: Facts) -> frozenset[str]:
    """Return the keys of the words in the clauses of all negations, on both sides."""
    tokens = facts.sentence.tokens
    ends = [-1, *(i for i, t in enumerate(tokens) if t.text in _SCOPE_ENDS), len(tokens)]
    places = [n.at for n in facts.negations if n.value != "like"]
    places += [m.start for m in facts.marks if m.kind == "force" and m.value in ("none", "forbid")]
    places += [m.start for m in facts.marks if m.kind == "condition" and m.value == "unless"]
    found: set[str] = set()
    for first, last in pairwise(ends):
        if any(first <= at <= last for at in places):
            found.update(key for token in tokens[first + 1 : last] for key in token.keys)
    for like in (n for n in facts.negations if n.value == "like"):
        segment = tokens[like.at].segment
        around = (t for i, t in enumerate(tokens) if t.segment == segment and i != like.at)
        found.update(key for token in around for key in token.keys)
    for negation in facts.negations:  # "unfair" and "harmless" deny their own root
        word = tokens[negation.at].text
        root = _NEGATED_ROOT.match(word)
        found.update(word_keys(root[1] or root[2]) if root else ())
    return frozenset(found)


def _side(facts: Facts, mark: Mark) -> Fact | None:
    tokens = facts.sentence.tokens
    following = tokens[mark.end : mark.end + 3]
    before = tokens[mark.start - 1].text if mark.start else ""
    named = [
        t for t in following
        if contrasts().get(stem(t.text)) == "body" or t.text in _SIDED or t.text in ("one", "ones")
    ]  # fmt: skip
    ends = not following or following[0].text in _AFTER_SIDE_ENDS
    paired = mark.end < len(tokens) - 1 and {"left", "right"} & {t.text for t in following[:2]}
    thing = bool(
        following
        and before in _DETERMINERS
        and following[0].content
        and following[0].text not in _RIGHT_THINGS
    )
    if not named and not (ends and before in _BEFORE_SIDE) and not paired and not thing:
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
        comma = text == "," and fronted and not _lists(tokens, at)
        if text in ";:)" or comma or text in ("but", "then", "otherwise"):
            stop = at
            break
    if fronted and stop == len(tokens):
        pronouns = ("i", "you", "he", "she", "they", "we", "it", "please")
        stop = next(
            (i for i in range(mark.end + 2, len(tokens)) if tokens[i].text in pronouns), stop
        )
    under = frozenset(
        k
        for t in tokens[mark.end : stop]
        if _is_named(t) and not _in_quantity(t, facts)
        for k in t.keys
    )
    if not under and mark.end - mark.start > 1:  # "with our consent" names what it asks for
        under = frozenset(k for t in tokens[mark.start : mark.end] if t.content for k in t.keys)
    rest = (*tokens[: mark.start], *tokens[stop:])
    main = frozenset(k for t in rest if _is_named(t) for k in t.keys)
    return Condition(mark.value, start, end, under, main)
