"""Find the sentences of a draft that stand without what they refer to, or without who says so.

`It`, `there` or `he` says nothing of itself: a sentence before it in the record says what is meant.
A draft has that sentence before it, too. What a record quotes in several sentences is not its own
word: a draft quotes it, or leaves it out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from sage_rag.common.questions import asks
from sage_rag.common.quotations import in_quotation
from sage_rag.privacy.gate.changes import Change, change_at
from sage_rag.privacy.gate.exchanges import MEN, WOMEN
from sage_rag.privacy.gate.facts.facts import Facts
from sage_rag.privacy.gate.facts.references import PERSON, THING, names_something, references
from sage_rag.privacy.gate.provenance import Link, Reading

_SHE, _HE = frozenset({"she", "her", "hers"}), frozenset({"he", "him", "his"})
_BODIES = frozenset(
    "judge police prosecution employer insurer lender company municipality association agency"
    " authority hospital contractor subcontractor carrier".split()
)
"""Parties that are no persons, or seldom."""


class _Person(NamedTuple):
    """A person by role, kinship or placeholder, and the earlier sentences back to the name."""

    name: str
    sentences: frozenset[int]


def displaced(
    source: Reading,
    draft: Reading,
    links: Sequence[Link],
    says_nothing: Callable[[Facts], bool],
) -> Iterator[Change]:
    """Yield the draft sentences that refer to another sentence than their source does.

    `says_nothing`: whether a sentence is a courtesy, which nothing refers to.
    """
    yield from _unquoted(source, draft, links)
    theirs = _before(source, says_nothing)
    anywhere = {n for link in links for n in link.sources}
    for at, before in _before(draft, says_nothing).items():
        facts = draft.sentences[at]
        own = next((n for n in links[at].sources if n in theirs), None)
        if own is None:
            continue
        original = _references(source.sentences[own])
        known = {n for place in (at, *before) for n in links[place].sources} - {own}
        for kind, place in _references(facts).items():
            if kind not in original:
                continue
            if kind == PERSON:
                here = _person(draft, (at, *before), place)
                there = _person(source, (own, *theirs[own]), original[kind])
                moved = _differ(here.name, there.name) and known.isdisjoint(there.sentences)
            else:
                meant = _meant(source, theirs[own], kind)
                moved = bool(meant) and meant.isdisjoint(anywhere if kind == THING else known)
            if moved:
                yield change_at(facts, "changes", "reference", facts.sentence.tokens[place])
                break


def _unquoted(source: Reading, draft: Reading, links: Sequence[Link]) -> Iterator[Change]:
    """Yield the draft sentences that say as their own what the source quotes."""
    theirs, own = quoted_sentences(source), quoted_sentences(draft)
    for at, link in enumerate(links):
        if link.sources and link.sources[0] in theirs and at not in own:
            facts = draft.sentences[at]
            yield change_at(facts, "drops", "speaker", facts.sentence.tokens[0])


def quoted_sentences(reading: Reading) -> frozenset[int]:
    """Return the sentences in a quotation of several sentences, field by field."""
    fields: dict[str, list[int]] = {}
    for number, facts in enumerate(reading.sentences):
        fields.setdefault(facts.sentence.field, []).append(number)
    return frozenset(
        number
        for numbers in fields.values()
        for number, quoted in zip(
            numbers,
            in_quotation([reading.sentences[n].sentence.text for n in numbers]),
            strict=True,
        )
        if quoted
    )


def _references(facts: Facts) -> dict[str, int]:
    asking = facts.sentence.asks or asks(facts.sentence.text)
    return references(facts.sentence.tokens, asking=asking)


def _before(reading: Reading, says_nothing: Callable[[Facts], bool]) -> dict[int, tuple[int, ...]]:
    """Return the sentences before each one in its field, the nearest first, without courtesies."""
    found: dict[int, tuple[int, ...]] = {}
    fields: dict[str, tuple[int, ...]] = {}
    for number, facts in enumerate(reading.sentences):
        if not says_nothing(facts):
            field = facts.sentence.field
            found[number] = fields.get(field, ())
            fields[field] = (number, *found[number])
    return found


def _meant(source: Reading, before: Sequence[int], kind: str) -> set[int]:
    """Return the sentences that a reference can mean: the one before it, or that one's own.

    `It hurts` may follow `My knee is swollen` without `It is warm` between them.
    """
    found = set[int]()
    for number in before:
        found.add(number)
        facts = source.sentences[number]
        if kind not in _references(facts) and names_something(facts.sentence.tokens):
            break
    return found


def _person(reading: Reading, numbers: Sequence[int], place: int) -> _Person:
    """Return the person whom a pronoun means: the first of the nearest sentence with a fitting one.

    `numbers`: the sentence of the pronoun, which is its word at `place`, and those before it. A
    sentence with the same pronoun before any person is about the one before.
    """
    tokens = reading.sentences[numbers[0]].sentence.tokens
    own, others = (_SHE, _BODIES | MEN) if tokens[place].text in _SHE else (_HE, _BODIES | WOMEN)
    passed: list[int] = []
    for number in numbers:
        passed.append(number)
        facts = reading.sentences[number]
        named = {mark.start: p for p, mark in facts.persons.items() if p not in others}
        for at, token in enumerate(facts.sentence.tokens[: None if passed[1:] else place]):
            if token.text in own:
                break
            if at in named or token.text.startswith("[PERSON"):
                return _Person(named.get(at, token.text), frozenset(passed[1:]))
    return _Person("", frozenset())


def _differ(one: str, other: str) -> bool:
    """Return whether two persons are not the same one; a name may be that of any role."""
    both = one and other and one.startswith("[") == other.startswith("[")
    return bool(both) and one != other
