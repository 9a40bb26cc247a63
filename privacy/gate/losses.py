"""Find what a draft drops of a sentence that it keeps: facts that govern what it keeps."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

from sage_rag.privacy.gate.alterations import agrees, opposed, same_word
from sage_rag.privacy.gate.changes import Change, keys_of, quantity_name, same_quantity
from sage_rag.privacy.gate.facts.facts import Fact, Facts, is_dose
from sage_rag.privacy.gate.governing import CONDITION_SOURCES, DOUBTS, forces, is_alike

_LOST_WORDS = 2
"""Content words of an instruction or a warning that a draft may drop beyond those it rewords."""
_GOVERNING = frozenset("complaint disease drug body weekday month action [DATE_TIME".split())
"""Closed sets whose member belongs to its instruction or warning."""
_OPEN_WORDS = frozenset(
    "whether if or ask asks asked unclear unknown open unsure uncertain".split()
)
_NARRATIVE = frozenset("i my me was were had did ago".split())
_FIRST_PERSON = frozenset("i me my we our us".split())
_RESTRICTING = frozenset(
    "who that where only except provided with without under against subject unless if".split()
)
_AUXILIARIES = frozenset("is are be been being get gets not when if once unless until as".split())
_SUBJECT_END = 3
"""A person whose first word stands by here begins the sentence: it is its subject."""
_KIN_PRONOUNS = frozenset("he she they him her his their them hers it its this that who".split())
_KIN = frozenset(
    "mother father parents wife husband spouse son daughter child brother sister sibling"
    " grandmother grandfather aunt uncle cousin nephew niece girlfriend boyfriend fiance friend"
    " neighbour colleague brother_in_law sister_in_law father_in_law mother_in_law".split()
)


def losses(source: Facts, drafts: Sequence[Facts]) -> Iterator[Change]:
    """Yield the facts of a kept sentence that its draft sentences lack.

    `drafts`: the draft sentences that come from it. A change has the range of the first of them.
    """
    start, end = drafts[0].sentence.start, drafts[0].sentence.end
    seen = set[str]()
    for what in _lost(source, drafts):
        if what not in seen:
            seen.add(what)
            yield Change("drops", what, start, end)


def _lost(source: Facts, drafts: Sequence[Facts]) -> Iterator[str]:
    yield from _quantities(source, drafts)
    yield from _negations(source, drafts)
    yield from _sides(source, drafts)
    yield from _conditions(source, drafts)
    yield from _force(source, drafts)
    yield from _amounts(source, drafts)
    yield from _persons(source, drafts)
    yield from _matter(source, drafts)


def _quantities(source: Facts, drafts: Sequence[Facts]) -> Iterator[str]:
    ours = [q for d in drafts for q in d.quantities]
    keys = frozenset(k for d in drafts for k in d.keys)
    for fact in source.quantities:
        if any(same_quantity(q, fact, [source]) or q.number == fact.number for q in ours):
            continue
        governs = is_dose(fact) or fact.number[2] == "frequency"
        governs = governs or (source.sentence.instructs and fact.comparator != "")
        governs = governs or (source.sentence.instructs and fact.number[2] in ("hour", "month"))
        if governs and (source.sentence.instructs or _has_words(fact, keys)):
            yield quantity_name(fact)


def _has_words(fact: Fact, keys: frozenset[str]) -> bool:
    return any(not near.isdisjoint(keys) for near, _ in fact.near)


def _negations(source: Facts, drafts: Sequence[Facts]) -> Iterator[str]:
    partners = [n for d in drafts for n in d.negations]
    ours = {v for d in drafts for v in d.values("force")}
    known = keys_of(drafts)
    for negation in source.negations:
        if negation.value == "like" or agrees(negation, drafts):
            continue
        if same_word(negation, source, drafts) or _cancels(source, drafts):
            continue
        named = any(not keys.isdisjoint(known) for keys in negation.head[:3])
        if not (named or negation.head or partners or ours & {"none", "forbid"}):
            yield "negation"
        gone = not partners and not ours & {"none", "forbid"} and _shortened(source, drafts)
        if gone or (named and not any(opposed(d, [source]) for d in drafts)):
            yield "negation"


def _cancels(source: Facts, drafts: Sequence[Facts]) -> bool:
    """Return whether two negations became none: "not without consent", "only with consent"."""
    words = {t.text for t in source.sentence.tokens}
    double = bool(words & {"without", "unless"}) and len(source.negations) > 1
    return double and not any(n.value != "like" for d in drafts for n in d.negations)


def _shortened(source: Facts, drafts: Sequence[Facts], by: int = 1) -> bool:
    """Return whether a draft lost more content words of a sentence than it has new ones.

    A reworded word is lost in the source and new in the draft.
    """
    known = keys_of(drafts)
    lost = [t for t in source.content if t.keys.isdisjoint(known)]
    new = {t.text for d in drafts for t in d.content if t.keys.isdisjoint(source.keys)}
    return len(lost) - len(new) >= by


def _sides(source: Facts, drafts: Sequence[Facts]) -> Iterator[str]:
    ours = {s.value for d in drafts for s in d.sides}
    words = {t.text for d in drafts for t in d.sentence.tokens}
    keys = frozenset(k for d in drafts for k in d.keys)
    for side in source.sides:
        if side.value in ours or side.value in words:
            continue
        if not side.head or any(not head.isdisjoint(keys) for head in side.head):
            yield "side"


def _conditions(source: Facts, drafts: Sequence[Facts]) -> Iterator[str]:
    ours = [c for d in drafts for c in d.conditions]
    only = any("only" in d.values("quantity") for d in drafts)
    words = frozenset(k for d in drafts for k in d.keys)
    advises = source.sentence.instructs or bool(source.values("warning"))
    advises |= "only" in source.sentence.words
    advises |= bool(source.values("force") & {"can", "none"}) and "i" not in source.sentence.words
    for found in source.conditions:
        if found.value not in CONDITION_SOURCES or not found.under:
            continue
        if found.value in ("when", "before") and not advises:
            continue
        strict = found.value in ("if", "unless", "until")
        emptied = strict and found.under.isdisjoint(words) and _shortened(source, drafts)
        allowed = CONDITION_SOURCES[found.value]
        met = any(c.value in allowed and is_alike(c, found) for c in ours)
        met |= only and found.value in ("until", "unless")
        if emptied or not met:
            yield "condition"
    if _loses_exception(source, drafts):
        yield "condition"


def _loses_exception(source: Facts, drafts: Sequence[Facts]) -> bool:
    """Return whether a prohibition is without its exception: "not without asking us"."""
    words = source.sentence.words
    if "without" not in words or not source.values("force") & {"forbid", "none"}:
        return False
    ours = {t.text for d in drafts for t in d.sentence.tokens}
    return ours.isdisjoint(
        {"without", "unless", "until", "before", "except", "only", "first", "if"}
    )


def _force(source: Facts, drafts: Sequence[Facts]) -> Iterator[str]:
    if source.sentence.asks or any(d.sentence.asks for d in drafts):
        return
    theirs, ours = forces(source), {v for d in drafts for v in forces(d)}
    if "none" in theirs and "none" not in ours and "can" not in ours:
        yield "force"
    if _forbids(source) and not any(map(_denies, drafts)):
        yield "force"
    for value in ("must", "should"):
        accepted = {"must", "should", "directed", "instruction", "forbid"}
        accepted |= {"wish"} if value == "should" else set()
        mark = source.first("force", value)
        if mark is None or ours & accepted:
            continue
        evidence = source.sentence.tokens[mark.start].text.startswith("suggest")
        if not (evidence and "hedged" in ours):  # "the scan suggests gout" is no advice
            yield "force"
    written = {t.text for d in drafts for t in d.sentence.tokens}
    if "whether" in source.sentence.words and not written & _OPEN_WORDS:
        yield "certainty"
    doubts = [t for t in source.sentence.tokens if t.text in DOUBTS]
    doubted = {v for d in drafts for v in d.values("certainty")} & {"hedged", "weak"}
    if (
        doubts
        and not doubted
        and all(t.text not in DOUBTS for d in drafts for t in d.sentence.tokens)
    ):
        yield "certainty"
    hedges = source.values("certainty")
    if "hedged" in hedges and not theirs & {"negation"}:
        certain = {v for d in drafts for v in d.values("certainty")}
        if not certain & {"hedged", "weak"} and not ours & {"can", "directed", "should"}:
            yield "certainty"


def _forbids(facts: Facts) -> bool:
    """Return whether a sentence is a prohibition."""
    hard = any(n.value == "hard" for n in facts.negations)
    return hard and facts.sentence.instructs and "none" not in facts.values("force")


def _denies(facts: Facts) -> bool:
    """Return whether a sentence denies, forbids or restricts anything, in whatever words."""
    limits = bool(facts.values("force") & {"none", "forbid"}) or "only" in facts.values("quantity")
    turning = any(c.value in ("unless", "until", "before", "unless_like") for c in facts.conditions)
    return bool(facts.negations) or limits or turning or any(q.comparator for q in facts.quantities)


def _amounts(source: Facts, drafts: Sequence[Facts]) -> Iterator[str]:
    ours = {v for d in drafts for v in d.values("quantity")}
    mark = source.first("quantity", "only")
    if mark is None or "only" in ours:
        return
    words = {t.text for d in drafts for t in d.sentence.tokens}
    written = source.sentence.tokens[mark.start].text
    restricts = written in ("only", "solely", "exclusively", "merely")
    if restricts and not words & {"no", "not", "unless", "until", "nothing"}:
        yield "restriction"


def _persons(source: Facts, drafts: Sequence[Facts]) -> Iterator[str]:
    ours = {p for d in drafts for p in d.persons}
    words = {t.text for d in drafts for t in d.sentence.tokens}
    keys = frozenset(k for d in drafts for k in d.keys)
    for person, mark in source.persons.items():
        if person not in _KIN or person in ours or words & _KIN_PRONOUNS:
            continue
        named = source.sentence.tokens[mark.start : mark.end]
        if mark.start <= _SUBJECT_END and all(t.keys.isdisjoint(keys) for t in named):
            yield "person"


def _matter(source: Facts, drafts: Sequence[Facts]) -> Iterator[str]:
    """Yield the loss of a part of an instruction, a warning or a general statement.

    What is cut from such a sentence restricts it, as a condition does. A story may be shortened.
    """
    warns = bool(source.values("warning"))
    if source.sentence.instructs or warns:
        many = max(_LOST_WORDS, len(source.content) // 4)
        if _shortened(source, drafts, many) or _loses_governing_name(source, drafts):
            yield "warning" if warns else "instruction"
            return
    written = {t.text for d in drafts for t in d.sentence.tokens}
    otherwise = {"otherwise", "if", "else", "because", "failing"}
    if "otherwise" in source.sentence.words and not written & otherwise:
        yield "warning"
    if _is_cut(source, drafts) and (not _narrates(source) or _restricts(source, drafts)):
        yield "restriction"


def _loses_governing_name(source: Facts, drafts: Sequence[Facts]) -> bool:
    known = keys_of(drafts)
    lost = any(n.head[0].isdisjoint(known) and n.kind in _GOVERNING for n in source.names)
    return lost and _shortened(source, drafts)


def _narrates(source: Facts) -> bool:
    """Return whether a sentence reports what was, or speaks of its writer."""
    words = source.sentence.words
    if not _NARRATIVE.isdisjoint(words):
        return True
    passive = not {"is", "are"}.isdisjoint(words)
    return any(
        word.endswith("ed")
        and before not in _AUXILIARIES
        and not (passive and before in ("and", ","))
        for before, word in pairwise(["", *words])
    )


def _restricts(source: Facts, drafts: Sequence[Facts]) -> bool:
    """Return whether a lost word of a report about others stands after a restricting one."""
    known, tokens = keys_of(drafts), source.sentence.tokens
    if not _FIRST_PERSON.isdisjoint(source.sentence.words):
        return False
    segments = {t.segment for t in source.content if t.keys.isdisjoint(known)}
    return any(t.text in _RESTRICTING and t.segment in segments for t in tokens)


def _is_cut(source: Facts, drafts: Sequence[Facts]) -> bool:
    """Return whether a draft sentence is the source without some of its content words.

    Its words, except one, follow each other as in the source. A salutation may go.
    """
    known = keys_of(drafts)
    theirs = source.sentence.tokens
    greeting = theirs[0].text in ("dear", "hello", "hi", "good")
    lost = [
        t
        for t in source.content
        if t.kind == "word" and t.keys.isdisjoint(known) and not (greeting and t.segment == 0)
    ]
    at = strange = 0
    for word in (t for t in drafts[0].sentence.tokens if t.kind != "mark"):
        found = next((i for i in range(at, len(theirs)) if theirs[i].keys & word.keys), None)
        if found is None and any(q.start <= word.start < q.end for q in drafts[0].quantities):
            continue  # a number that is written otherwise, or changed: judged as a quantity
        strange += found is None
        at = at if found is None else found + 1
    return len(drafts) == 1 and strange <= 1 and len(lost) > strange
