"""Conditions, the force of advice, and certainty: what governs a sentence of a draft."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from sage_rag.privacy.gate.changes import Change, change_at
from sage_rag.privacy.gate.facts.facts import Condition, Facts
from sage_rag.privacy.gate.provenance import Reading

CONDITION_SOURCES = {
    "if": frozenset({"if", "when", "like", "unless"}),
    "when": frozenset({"if", "when", "like", "until", "until_like", "before", "unless"}),
    "unless": frozenset({"unless", "unless_like"}),
    "until": frozenset({"until", "until_like", "before"}),
    "before": frozenset({"before", "until", "until_like", "when", "unless"}),
}
"""The conditions that a source may have for a draft sentence's condition, and the reverse."""
_LOOSE = frozenset({"like", "until_like", "unless_like"})
_LATER = frozenset({"when"})
_EARLIER = frozenset({"before", "until"})
_ONLY = frozenset({"only", "just", "solely"})
_CONCEDING = ("even if", "even when", "even where", "even without", "whether or not")
_CONCESSIVE = frozenset(
    "even although though despite regardless whether nonetheless nevertheless still always".split()
)
DOUBTS = frozenset(
    "possible possibly perhaps maybe probable probably likely suspected suspicion suspects might"
    " seems seemed appears appeared apparently presumably thought believed presumed".split()
)


def changed_conditions(draft: Facts, sources: Sequence[Facts], record: Reading) -> Iterator[Change]:
    """Yield conditions of a draft sentence that its sources do not have, or that it turns round.

    `record`: all sentences; the same condition may stand in another one.
    """
    theirs = [c for s in sources for c in s.conditions]
    words = {t.text for s in sources for t in s.sentence.tokens}
    for found in draft.conditions:
        concedes = draft.sentence.text.startswith(_CONCEDING, found.start)
        if concedes and words.isdisjoint(_CONCESSIVE) and any(c.value == "if" for c in theirs):
            yield change_at(draft, "reverses", "condition", found)
            continue
        allowed = CONDITION_SOURCES.get(found.value)
        if allowed is None or not found.under:
            continue
        alike = [c for c in theirs if c.value in allowed and is_alike(c, found)]
        if not alike:
            if found.value in ("if", "unless", "until") and not _elsewhere(found, record, allowed):
                yield change_at(draft, "adds", "condition", found)
            continue
        strict = [c for c in alike if c.value not in _LOOSE and found.under & (c.under | c.main)]
        single = len(strict) == 1 == sum(c.value == found.value for c in draft.conditions)
        turned = single and _turned(found, strict[0])
        turned |= (
            single
            and found.value == strict[0].value == "if"
            and (_is_denied(found, [draft]) != _is_denied(strict[0], sources))
        )
        if turned or _miscounted(draft, found, sources, alike):
            yield change_at(draft, "reverses", "condition", found)


def is_alike(one: Condition, other: Condition) -> bool:
    """Return whether a condition can say the same as another: a loose word needs a common word."""
    loose = one.value in _LOOSE or other.value in _LOOSE
    return not loose or not one.under.isdisjoint(other.under)


def _elsewhere(found: Condition, record: Reading, allowed: frozenset[str]) -> bool:
    numbers = {n for key in found.under for n in record.places.get(key, ())}
    return any(
        c.value in allowed and c.under & found.under
        for n in numbers
        for c in record.sentences[n].conditions
    )


def _turned(one: Condition, other: Condition) -> bool:
    """Return whether condition and consequence, or earlier and later, have changed places."""
    same = (len(one.under & other.under), len(one.main & other.main))
    crossed = (len(one.under & other.main), len(one.main & other.under))
    if {one.value, other.value} <= _LATER | _EARLIER and (
        (one.value in _LATER) != (other.value in _LATER)
    ):  # "A before B" is "B after A"
        return sum(same) > sum(crossed)
    return sum(crossed) > sum(same) and all(crossed)


def _is_denied(condition: Condition, sentences: Sequence[Facts]) -> bool:
    """Return whether what a condition supposes is denied: "if it does not run clear"."""
    return any(
        n.value == "hard" and n.head and not n.head[0].isdisjoint(condition.under)
        for facts in sentences
        for n in facts.negations
    )


def _miscounted(
    draft: Facts, found: Condition, sources: Sequence[Facts], alike: Sequence[Condition]
) -> bool:
    """Return whether a condition changed its kind without the negation that makes up for it.

    "Not A until B" is "A only after B"; "A unless B" is "A if not B".
    """
    if any(c.value == found.value for c in alike):
        return False
    values = {found.value, *(c.value for c in alike)}
    # "Not before" is "not until", but "A before B" is "B after A".
    turning = {"unless", "until"} | ({"before"} if "until" in values else set())
    if not values & turning:
        return False
    related = [s for s in sources if any(c in alike for c in s.conditions)]
    return _turns([draft], turning) % 2 != _turns(related, turning) % 2


def _turns(sentences: Sequence[Facts], turning: set[str]) -> int:
    denials = sum(n.value != "like" for f in sentences for n in f.negations)
    conditions = sum(c.value in turning for f in sentences for c in f.conditions)
    only = any(t.text in _ONLY for f in sentences for t in f.sentence.tokens)
    return denials + conditions + 2 * only


def forces(facts: Facts) -> set[str]:
    """Return the forces of a sentence: its marks, its being an instruction or a negation."""
    found = facts.values("force")
    if facts.sentence.instructs and "can" not in found:
        found.add("instruction")
    if any(n.value == "hard" for n in facts.negations):
        found.add("negation")
    if facts.values("certainty") & {"hedged", "weak"}:
        found.add("hedged")
    return found
