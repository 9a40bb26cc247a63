"""Find what a draft sentence states and its sources do not: facts that are added or changed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from sage_rag.privacy.gate.facts.facts import Condition, Fact, Facts, binding, is_dose
from sage_rag.privacy.gate.facts.marks import Mark
from sage_rag.privacy.gate.facts.sentences import Token
from sage_rag.privacy.gate.provenance import Reading

_MARGIN = 0.35
"""How much nearer a fact must be to another fact's words than to its own to count as exchanged."""
_STRICT = {"more": "more", "least": "least", "less": "less", "most": "most"}
_UPWARD = frozenset({"more", "least", "beyond"})
_DOWNWARD = frozenset({"less", "most", "below"})
FORCE_SOURCES = {
    "none": frozenset({"none"}),
    "forbid": frozenset({"forbid", "negation"}),
    "can": frozenset({"can", "none", "hedged"}),
    "should": frozenset({"should", "directed", "instruction", "forbid"}),
    "must": frozenset({"must", "directed", "instruction", "forbid"}),
    "instruction": frozenset({"must", "should", "directed", "instruction", "forbid", "none"}),
}
"""The forces that a source may have for a draft sentence of a force."""
CONDITION_SOURCES = {
    "if": frozenset({"if", "when", "like", "unless"}),
    "when": frozenset({"if", "when", "like", "until", "until_like", "before", "unless"}),
    "unless": frozenset({"unless", "unless_like"}),
    "until": frozenset({"until", "until_like", "before"}),
    "before": frozenset({"before", "until", "until_like", "when", "unless"}),
}
"""The conditions that a source may have for a draft sentence's condition, and the reverse."""


@dataclass(frozen=True, slots=True)
class Change:
    """A change of meaning; `[start, end)` is a range of the joined draft.

    `what` names the kind of fact; `verb`: adds, drops or changes.
    """

    verb: str
    what: str
    start: int
    end: int


def alterations(draft: Facts, sources: Sequence[Facts], record: Reading) -> Iterator[Change]:
    """Yield the facts of a draft sentence that are not those of its sources.

    `record`: all sentences, which may name a person or a thing that a source only refers to.
    """
    yield from _quantities(draft, sources, record)
    yield from _sides(draft, sources)
    yield from _negations(draft, sources)
    yield from _conditions(draft, sources)
    yield from _force(draft, sources)
    yield from _certainty(draft, sources)
    yield from _amounts(draft, sources)
    yield from _opposites(draft, sources)
    yield from _members(draft, sources, record)
    yield from _persons(draft, sources, record)


def change(draft: Facts, verb: str, what: str, found: Fact | Mark | Token | Condition) -> Change:
    """Return a change at the place of a fact in its draft sentence."""
    at = draft.sentence.start
    start, end = draft.span(found) if isinstance(found, Mark) else (found.start, found.end)
    return Change(verb, what, at + start, at + end)


def quantity_name(fact: Fact) -> str:
    """Return what a quantity is: a dose, a frequency, a duration or a number."""
    unit = fact.number[2]
    if unit in ("hour", "month"):
        return "duration"
    return "frequency" if unit == "frequency" else "dose" if is_dose(fact) else "number"


def same_quantity(one: Fact, other: Fact, sources: Sequence[Facts]) -> bool:
    """Return whether two quantities are the same number with the same unit, or one without."""
    low, high, unit = one.number
    their_low, their_high, their_unit = other.number
    if (low, high) != (their_low, their_high):
        return False
    if unit == their_unit:
        return True
    loose = {unit, their_unit}
    if loose <= {"am", "pm", "", "times"} or loose == {"milligram", "milligram/"}:
        return loose != {"am", "pm"}
    # "5 mg, then 10": the unit of the second number is that of the first.
    units = {q.number[2] for s in sources for q in s.quantities}
    return "" in loose and unit in {"", *units} and unit != "" and their_unit == ""


def _quantities(draft: Facts, sources: Sequence[Facts], record: Reading) -> Iterator[Change]:
    theirs = [q for s in sources for q in s.quantities]
    for fact in draft.quantities:
        equal = [q for q in theirs if same_quantity(fact, q, sources)]
        if not equal:
            equal = [
                q for s in record.sentences for q in s.quantities
                if q.number == fact.number and binding(fact, q) > _MARGIN
            ]  # fmt: skip
        if not equal:
            if not _implied(fact, draft, sources):
                yield change(draft, "changes", quantity_name(fact), fact)
            continue
        own = max(equal, key=lambda q: binding(fact, q))
        if _exchanged(fact, own, theirs, draft.quantities):
            yield change(draft, "exchanges", quantity_name(fact), fact)
        elif not any(_compares_alike(fact, q) for q in equal):
            yield change(draft, "changes", "comparator", fact)


def _implied(fact: Fact, draft: Facts, sources: Sequence[Facts]) -> bool:
    """Return whether a number is one that its source writes as a word: a, single, both."""
    low, high, unit = fact.number
    words = {t.text for s in sources for t in s.sentence.tokens}
    if unit == "frequency":
        return False
    if low == high == 1 or (unit in ("hour", "month") and low in (24, 168, 12)):
        return not words.isdisjoint({"a", "an", "one", "single", "once", "per", "each", "every"})
    return low == high == 2 and not words.isdisjoint({"both", "couple", "pair", "twice"})


def _exchanged(fact: Fact, own: Fact, theirs: Sequence[Fact], ours: Sequence[Fact]) -> bool:
    """Return whether a quantity has taken the words of another one of the same unit."""
    mine = binding(fact, own)
    for other in theirs:
        if other.number == fact.number or other.number[2] != fact.number[2]:
            continue
        gain = binding(fact, other) - mine
        for each in ours:
            if each.number == other.number:
                gain += binding(each, own) - binding(each, other)
        if gain > _MARGIN:
            return True
    return False


def _compares_alike(fact: Fact, own: Fact) -> bool:
    here, there = fact.comparator, own.comparator
    if here == there:
        return True
    if {here, there} <= _UPWARD or {here, there} <= _DOWNWARD:
        return not (here in _STRICT and there in _STRICT)
    if not here or not there:
        return (here or there) not in _STRICT
    return False


def _sides(draft: Facts, sources: Sequence[Facts]) -> Iterator[Change]:
    theirs = [s for source in sources for s in source.sides]
    for side in draft.sides:
        equal = [s for s in theirs if s.value == side.value]
        words = {t.text for s in sources for t in s.sentence.tokens}
        if not equal:
            if side.value not in words:
                yield change(draft, "changes", "side", side)
            continue
        own = max(binding(side, s) for s in equal)
        others = [binding(side, s) for s in theirs if s.value != side.value]
        if others and max(others) > own + _MARGIN:
            yield change(draft, "exchanges", "side", side)


def _negations(draft: Facts, sources: Sequence[Facts]) -> Iterator[Change]:
    partners = [n for s in sources for n in s.negations]
    denied = frozenset(k for s in sources for k in s.denied)
    forces = {v for s in sources for v in s.values("force")}
    for negation in draft.negations:
        if negation.value == "like":
            continue
        if not partners and not forces & {"none", "forbid"}:
            if not opposed(draft, sources):
                yield change(draft, "adds", "negation", negation)
        elif not agrees(negation, sources, denied):
            yield change(draft, "changes", "negation", negation)


def agrees(negation: Fact, others: Sequence[Facts], denied: frozenset[str]) -> bool:
    """Return whether the first shared word that a negation governs is denied in `others`, too."""
    known = frozenset(k for s in others for k in s.keys)
    shared = [keys for keys in negation.head[:2] if not keys.isdisjoint(known)]
    return not shared or any(not keys.isdisjoint(denied) for keys in shared)


def opposed(one: Facts, others: Sequence[Facts]) -> bool:
    """Return whether a sentence has the opposite of a word of the others ("dry", "not wet")."""
    theirs = {pole for s in others for pole in s.poles}
    return any((number, 1 - side) in theirs for number, side in one.poles)


def _conditions(draft: Facts, sources: Sequence[Facts]) -> Iterator[Change]:
    theirs = [c for s in sources for c in s.conditions]
    for found in draft.conditions:
        allowed = CONDITION_SOURCES.get(found.value)
        if allowed is None:
            continue
        alike = [c for c in theirs if c.value in allowed]
        if not alike:
            if found.value in ("if", "unless", "until"):
                yield change(draft, "adds", "condition", found)
            continue
        strict = [c for c in alike if c.value not in ("like", "until_like", "unless_like")]
        turned = bool(strict) and all(_turned(found, c) for c in strict)
        if turned or _parity(draft, found, sources, alike):
            yield change(draft, "reverses", "condition", found)


def _turned(one: Condition, other: Condition) -> bool:
    """Return whether condition and consequence, or earlier and later, have changed places."""
    same = len(one.under & other.under) + len(one.main & other.main)
    crossed = len(one.under & other.main) + len(one.main & other.under)
    flips = {one.value, other.value} == {"before", "when"} or (
        {one.value, other.value} == {"until", "when"}
    )
    if flips:  # "A before B" is "B after A"
        same, crossed = crossed, same
    return crossed > same


def _parity(
    draft: Facts, found: Condition, sources: Sequence[Facts], alike: Sequence[Condition]
) -> bool:
    """Return whether a condition changed its kind without the negation that makes up for it."""
    if any(c.value == found.value for c in alike):
        return False
    turning = {"unless", "until"}
    if found.value not in turning and not any(c.value in turning for c in alike):
        return False

    def count(facts: Sequence[Facts]) -> int:
        denials = sum(n.value in ("hard", "soft") for f in facts for n in f.negations)
        only = sum(m.kind == "quantity" and m.value == "only" and m.end - m.start == 1
                   and f.sentence.tokens[m.start].text in ("only", "just", "solely")
                   for f in facts for m in f.marks)  # fmt: skip
        return denials + 2 * only + sum(c.value in turning for f in facts for c in f.conditions)

    return count([draft]) % 2 != count(sources) % 2


def forces(facts: Facts) -> set[str]:
    """Return the forces of a sentence: its marks, its being an instruction or a negation."""
    found = facts.values("force")
    if facts.sentence.instructs and not found & {"can"}:
        found.add("instruction")
    if any(n.value == "hard" for n in facts.negations):
        found.add("negation")
    if "hedged" in facts.values("certainty"):
        found.add("hedged")
    return found


def _force(draft: Facts, sources: Sequence[Facts]) -> Iterator[Change]:
    if draft.sentence.asks or any(s.sentence.asks for s in sources):
        return
    theirs = {v for s in sources for v in forces(s)}
    ours = draft.values("force")
    for value in ("none", "forbid", "must", "should", "can"):
        if value not in ours or FORCE_SOURCES[value] & theirs:
            continue
        if value == "can" and ours & theirs:
            continue
        mark = draft.first("force", value)
        if mark is not None:
            yield change(draft, "changes", "force", mark)
            return


def _certainty(draft: Facts, sources: Sequence[Facts]) -> Iterator[Change]:
    if draft.sentence.asks:
        return
    theirs = {v for s in sources for v in s.values("certainty")}
    mark = draft.first("certainty", "sure")
    if mark is not None and "sure" not in theirs:
        yield change(draft, "changes", "certainty", mark)


def _amounts(draft: Facts, sources: Sequence[Facts]) -> Iterator[Change]:
    theirs = {v for s in sources for v in s.values("quantity")}
    ours = draft.values("quantity")
    for value, against in (("all", {"some", "most"}), ("some", {"all"}), ("most", {"some", "all"})):
        mark = draft.first("quantity", value)
        if mark is not None and value not in theirs and theirs & against and not ours & theirs:
            yield change(draft, "changes", "quantity", mark)
    mark = draft.first("quantity", "only")
    if mark is not None and "only" not in theirs and draft.sentence.tokens[mark.start].text in (
        "only", "solely", "exclusively", "sole", "merely",
    ):  # fmt: skip
        yield change(draft, "adds", "restriction", mark)


def _opposites(draft: Facts, sources: Sequence[Facts]) -> Iterator[Change]:
    theirs = {pole for s in sources for pole in s.poles}
    words = frozenset(k for s in sources for k in s.keys)
    for (number, side), token in draft.poles.items():
        if (number, side) in theirs or (number, 1 - side) not in theirs:
            continue
        if (number, 1 - side) in draft.poles or not token.keys.isdisjoint(words):
            continue
        ours = sum(n.value in ("hard", "soft") for n in draft.negations)
        if ours == sum(n.value in ("hard", "soft") for s in sources for n in s.negations):
            yield change(draft, "reverses", "word", token)


def _members(draft: Facts, sources: Sequence[Facts], record: Reading) -> Iterator[Change]:
    own = frozenset(k for s in sources for k in s.keys)
    named = {"drug": list(draft.drugs.values()), **draft.members}
    for name, tokens in named.items():
        theirs = [
            t
            for s in sources
            for t in (s.drugs.values() if name == "drug" else s.members.get(name, ()))
        ]
        lost = [t for t in theirs if t.keys.isdisjoint(draft.keys)]
        for token in tokens:
            if not token.keys.isdisjoint(own):
                continue
            if token.keys.isdisjoint(record.places.keys()) or lost:
                yield change(draft, "changes", "substance" if name == "drug" else "term", token)
                break


def _persons(draft: Facts, sources: Sequence[Facts], record: Reading) -> Iterator[Change]:
    own = {p for s in sources for p in s.persons}
    persons, keys = record.persons, record.places.keys()
    for person, mark in draft.persons.items():
        if person in own:
            continue
        tokens = draft.sentence.tokens[mark.start : mark.end]
        if person not in persons and all(t.keys.isdisjoint(keys) for t in tokens):
            yield change(draft, "changes", "person", mark)
