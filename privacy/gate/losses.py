"""Find what a draft drops of a sentence that it keeps: facts that govern what it keeps."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from sage_rag.privacy.gate.alterations import agrees, opposed, same_word
from sage_rag.privacy.gate.changes import Change, keys_of
from sage_rag.privacy.gate.facts.facts import Facts
from sage_rag.privacy.gate.governing import CONDITION_SOURCES, DOUBTS, forces, is_alike
from sage_rag.privacy.gate.speakers import names_speaker, reports

_OPEN_WORDS = frozenset(
    "whether if or ask asks asked unclear unknown open unsure uncertain".split()
)
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
    yield from _negations(source, drafts)
    yield from _sides(source, drafts)
    yield from _conditions(source, drafts)
    yield from _force(source, drafts)
    yield from _persons(source, drafts)
    if reports(source) and not any(map(names_speaker, drafts)):
        yield "speaker"


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
