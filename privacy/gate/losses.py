"""Find what a draft drops of a sentence that it keeps: facts that govern what it keeps."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from sage_rag.privacy.gate.alterations import (
    CONDITION_SOURCES,
    Change,
    agrees,
    forces,
    opposed,
    quantity_name,
    same_quantity,
)
from sage_rag.privacy.gate.facts.facts import Fact, Facts, is_dose

_LOST_WORDS = 2
"""Content words of an instruction or a warning that a draft may drop beyond those it rewords."""
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
    denied = frozenset(k for d in drafts for k in d.denied)
    ours = {v for d in drafts for v in d.values("force")}
    for negation in source.negations:
        if negation.value == "like":
            continue
        if not partners and not ours & {"none", "forbid"}:
            if not any(opposed(d, [source]) for d in drafts):
                yield "negation"
        elif negation.head and not agrees(negation, drafts, denied):
            yield "negation"


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
    ours = {c.value for d in drafts for c in d.conditions}
    if any("only" in d.values("quantity") for d in drafts):
        ours |= {"until_like", "unless_like"}
    words = frozenset(k for d in drafts for k in d.keys)
    advises = source.sentence.instructs or bool(source.values("warning"))
    for found in source.conditions:
        if found.value not in CONDITION_SOURCES:
            continue
        if found.value in ("when", "before") and not advises:
            continue
        strict = found.value in ("if", "unless", "until")
        emptied = strict and found.under and found.under.isdisjoint(words)
        if emptied or not ours & CONDITION_SOURCES[found.value]:
            yield "condition"


def _force(source: Facts, drafts: Sequence[Facts]) -> Iterator[str]:
    if source.sentence.asks or any(d.sentence.asks for d in drafts):
        return
    theirs, ours = forces(source), {v for d in drafts for v in forces(d)}
    if "none" in theirs and "none" not in ours and "can" not in ours:
        yield "force"
    for value in ("must", "should"):
        accepted = {"must", "should", "directed", "instruction", "forbid"}
        if value in source.values("force") and not ours & accepted:
            yield "force"
    hedges = source.values("certainty")
    if "hedged" in hedges and not theirs & {"negation"}:
        certain = {v for d in drafts for v in d.values("certainty")}
        if "hedged" not in certain and not ours & {"can", "directed", "should"}:
            yield "certainty"


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
    """Yield the loss of a part of an instruction or a warning, by its content words.

    A reworded word is lost in the source and new in the draft: the two counts balance.
    """
    warns = bool(source.values("warning"))
    if not (source.sentence.instructs or warns):
        return
    ours = frozenset(k for d in drafts for k in d.keys)
    lost = [t for t in source.content if t.keys.isdisjoint(ours)]
    new = {t.text for d in drafts for t in d.content if t.keys.isdisjoint(source.keys)}
    if len(lost) - len(new) >= max(_LOST_WORDS, len(source.content) / 4):
        yield "warning" if warns else "instruction"
