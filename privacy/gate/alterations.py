"""Find the facts of a draft sentence that are not those of its sources."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from sage_rag.privacy.gate.changes import (
    Change,
    change_at,
    exchanged,
    keys_of,
    quantity_name,
    same_quantity,
)
from sage_rag.privacy.gate.copies import copy_changes
from sage_rag.privacy.gate.exchanges import CONVERSE, exchanges, flipped, turned_comparison
from sage_rag.privacy.gate.facts.facts import Fact, Facts, binding
from sage_rag.privacy.gate.facts.sentences import Token
from sage_rag.privacy.gate.governing import CONDITION_SOURCES, changed_conditions
from sage_rag.privacy.gate.near_copies import near_copies
from sage_rag.privacy.gate.provenance import Reading
from sage_rag.privacy.gate.word_by_word import word_changes

_STRICT = frozenset({"more", "least", "less", "most"})
_UPWARD = frozenset({"more", "least", "beyond", "over"})
_DOWNWARD = frozenset({"less", "most", "below"})


def alterations(draft: Facts, sources: Sequence[Facts], record: Reading) -> Iterator[Change]:
    """Yield the facts of a draft sentence that are not those of its sources.

    `record`: all sentences. A fact that no source has may come from another one, if it belongs to
    the same words there.
    """
    yield from _quantities(draft, sources, record)
    yield from _negations(draft, sources, record)
    yield from _parity(draft, sources)
    yield from changed_conditions(draft, sources, record)
    yield from _opposites(draft, sources)
    yield from exchanges(draft, sources)
    yield from near_copies(draft, sources, record)
    yield from copy_changes(draft, sources)
    if sources:
        yield from word_changes(draft, sources[0])


def _quantities(draft: Facts, sources: Sequence[Facts], record: Reading) -> Iterator[Change]:
    theirs = [q for s in sources for q in s.quantities]
    for fact in draft.quantities:
        equal = [q for q in theirs if same_quantity(fact, q, sources)]
        if not equal:
            equal = [
                q
                for s in record.sentences
                for q in s.quantities
                if same_quantity(fact, q, [s]) and (not sources or binding(fact, q) > 0)
            ]
        if not equal:
            if not _implied(fact, sources):
                yield change_at(draft, "changes", quantity_name(fact), fact)
            continue
        own = max(equal, key=lambda q: binding(fact, q))
        alike = [q for q in theirs if q.number[2] == fact.number[2]]
        ours = [q for q in draft.quantities if q.number[2] == fact.number[2]]
        if exchanged(fact, own, alike, ours):
            yield change_at(draft, "exchanges", quantity_name(fact), fact)
        elif not any(_compares_alike(fact, q) for q in equal) and not _limits(fact, draft, sources):
            yield change_at(draft, "changes", "comparator", fact)


def _implied(fact: Fact, sources: Sequence[Facts]) -> bool:
    """Return whether a number is one that its source writes as a word: a, single, both."""
    low, high, unit = fact.number
    if _other_length(fact, sources):
        return False
    words = {t.text for s in sources for t in s.sentence.tokens}
    if unit == "frequency":
        daily = low == high and low * 24 == 1
        times = {"morning", "evening", "night", "noon", "midday", "bedtime", "breakfast", "daily"}
        return daily and not words.isdisjoint(times)
    if low == high == 1 or (unit in ("hour", "month") and fact.written == 1):
        return not words.isdisjoint({"a", "an", "one", "single", "once", "per", "each", "every"})
    if low == high == 2 and not words.isdisjoint({"both", "couple", "pair", "twice", "second"}):
        return True
    return fact.number[2] == "" and f"{fact.written}" in words


def _other_length(fact: Fact, sources: Sequence[Facts]) -> bool:
    """Return whether the best source has one such number of another unit: a month, one year."""
    lengths = ("hour", "month")
    if fact.number[2] not in lengths or not sources:
        return False
    theirs = [q for q in sources[0].quantities if q.number[2] in lengths]
    return len(theirs) == 1 and theirs[0].written == fact.written


def _limits(fact: Fact, draft: Facts, sources: Sequence[Facts]) -> bool:
    """Return whether other words say the same: "can take 48 hours", "up to 48 hours".

    "Not better after a week" is "no better within a week".
    """
    if fact.comparator == "most":
        return any("can" in s.values("force") for s in sources)
    denied = bool(draft.negations) and any(s.negations for s in sources)
    return denied and fact.comparator in ("below", "beyond")


def _compares_alike(fact: Fact, own: Fact) -> bool:
    here, there = fact.comparator, own.comparator
    if here == there:
        return True
    if {here, there} <= _UPWARD or {here, there} <= _DOWNWARD:
        return not (here in _STRICT and there in _STRICT)
    if not here or not there:
        return (here or there) not in _STRICT
    return False


def _negations(draft: Facts, sources: Sequence[Facts], record: Reading) -> Iterator[Change]:
    partners = [n for s in sources for n in s.negations]
    forces = {v for s in sources for v in s.values("force")}
    for negation in draft.negations:
        if negation.value == "like" or agrees(negation, sources):
            continue
        if same_word(negation, draft, sources) or _unknown(negation, record):
            continue
        if not partners and not forces & {"none", "forbid"}:
            if not opposed(draft, sources) and not _elsewhere(negation, record):
                yield change_at(draft, "adds", "negation", negation)
        elif not _elsewhere(negation, record):
            yield change_at(draft, "changes", "negation", negation)


def _parity(draft: Facts, sources: Sequence[Facts]) -> Iterator[Change]:
    """Yield a negation more or less where all other words stay: "none left", "one left"."""
    if len(sources) != 1 or draft.sentence.asks != sources[0].sentence.asks:
        return
    source = sources[0]
    ours, theirs = ([t for t in f.content if t not in _negating(f)] for f in (draft, source))
    known = [{k for t in part for k in t.keys} for part in (ours, theirs)]
    new = any(t.keys.isdisjoint(known[1]) for t in ours)
    lost = any(t.keys.isdisjoint(known[0]) for t in theirs)
    counts = [sum(n.value != "like" for n in f.negations) for f in (draft, source)]
    governed = any(
        any(c.value in CONDITION_SOURCES for c in f.conditions) or "only" in f.values("quantity")
        for f in (draft, source)
    )
    if not (new or lost or governed) and (counts[0] - counts[1]) % 2:
        yield Change("changes", "negation", draft.sentence.start, draft.sentence.end)


def _negating(facts: Facts) -> list[Token]:
    return [facts.sentence.tokens[n.at] for n in facts.negations if n.value == "hard"]


def same_word(negation: Fact, facts: Facts, others: Sequence[Facts]) -> bool:
    """Return whether a verb such as "refused" is one of the others' negations, too."""
    keys = facts.sentence.tokens[negation.at].keys
    return negation.value == "soft" and any(
        not keys.isdisjoint(s.sentence.tokens[n.at].keys) for s in others for n in s.negations
    )


def _unknown(negation: Fact, record: Reading) -> bool:
    """Return whether the record has no word that a negation governs, so that nothing is known."""
    known = record.places.keys()
    return bool(negation.head) and all(keys.isdisjoint(known) for keys in negation.head[:3])


def agrees(negation: Fact, others: Sequence[Facts]) -> bool:
    """Return whether a negation is one of `others`, too.

    The first word that it governs and they have is denied there. If they have no such word, they
    deny something.
    """
    known = keys_of(others)
    denied = frozenset(k for s in others for k in s.denied)
    shared = [keys for keys in negation.head[:3] if not keys.isdisjoint(known)]
    if shared:
        return any(not keys.isdisjoint(denied) for keys in shared[:2])
    return bool(denied)


def _elsewhere(negation: Fact, record: Reading) -> bool:
    """Return whether another sentence of the record denies the first words of a negation."""
    head = frozenset(key for keys in negation.head[:2] for key in keys)
    numbers = {n for key in head for n in record.places.get(key, ())}
    return any(not head.isdisjoint(record.sentences[n].denied) for n in numbers)


def opposed(one: Facts, others: Sequence[Facts]) -> bool:
    """Return whether a sentence has the opposite of a word of the others ("dry", "not wet")."""
    theirs = {pole for s in others for pole in s.poles}
    return any((number, 1 - side) in theirs for number, side in one.poles)


def _opposites(draft: Facts, sources: Sequence[Facts]) -> Iterator[Change]:
    theirs = {pole: fact for s in sources for pole, fact in s.poles.items()}
    ours = sum(n.value == "hard" for n in draft.negations)
    equal = ours == sum(n.value == "hard" for s in sources for n in s.negations)
    words = keys_of(sources)
    yield from _endings(draft, sources)
    for (number, side), fact in draft.poles.items():
        own, other = theirs.get((number, side)), theirs.get((number, 1 - side))
        if other is None:
            continue
        if own is None:
            known = not fact.head[0].isdisjoint(words) or (number, 1 - side) in draft.poles
            if equal and not known and not _is_converse(draft, sources):
                yield change_at(draft, "reverses", "word", fact)
        elif exchanged(fact, own, [own, other], [fact]):
            yield change_at(draft, "exchanges", "word", fact)


def _endings(draft: Facts, sources: Sequence[Facts]) -> Iterator[Change]:
    """Yield "harmful" for "harmless", and the reverse."""
    theirs = {t.text for s in sources for t in s.sentence.tokens}
    own = set(draft.sentence.words)
    for token in draft.sentence.tokens:
        for ending, other in (("ful", "less"), ("less", "ful")):
            turned = token.text.removesuffix(ending) + other
            if token.text.endswith(ending) and turned in theirs - own and token.text not in theirs:
                yield change_at(draft, "reverses", "word", token)


def _is_converse(draft: Facts, sources: Sequence[Facts]) -> bool:
    """Return whether two persons, or the sides of a comparison, change places with the word."""
    text = " ".join(f.sentence.text for f in (draft, *sources))
    if CONVERSE.search(text) and any(flipped(draft, s) for s in sources):
        return True
    return any(turned_comparison(draft, s) is not None for s in sources)
