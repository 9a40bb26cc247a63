"""Compare the meaning of a draft with its original, without a model.

Each draft sentence is compared with the sentences that it comes from. What the draft states is
what they state; what governs a sentence that the draft keeps stays with it. Leaving out a whole
sentence is no change.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from functools import lru_cache

from sage_rag.common.questions import asks, asks_for_another, reports_question
from sage_rag.privacy.gate.alterations import alterations
from sage_rag.privacy.gate.changes import Change
from sage_rag.privacy.gate.facts.facts import Facts
from sage_rag.privacy.gate.facts.words import courtesies, stem
from sage_rag.privacy.gate.findings import Finding, FindingKind
from sage_rag.privacy.gate.losses import losses
from sage_rag.privacy.gate.provenance import Link, Reading, align, read

_KEPT = 0.5
"""A sentence is kept where a draft sentence covers this share of its words."""
_SUPPORT = 0.2
"""A draft sentence with a smaller share of its words in its sources is invented."""
_STRAY = 0.5
"""A sentence with new words is invented where its sources cover at most this share of it, and it
covers at most half this share of them."""
_NEW_WORDS = 3
"""New content words of a draft sentence, beyond those its sources lose, that are an invention."""


def meaning_changes(original: Mapping[str, str], draft: Mapping[str, str]) -> list[Finding]:
    """Return the changes of meaning of a draft, in the order of their places.

    Both are fields with placeholders. Positions are those in the joined draft; no message contains
    a value. The time is linear in both texts for sentences of a common length.

    Does not guarantee: a change of a word that no list names, where a rewording is as likely.
    """
    source, written = reading(original), reading(draft)
    found = {*_changes(source, written, align(source, written))}
    ordered = sorted(found, key=lambda c: (c.start, c.end, c.what, c.verb))
    return [
        Finding(FindingKind.MEANING_CHANGED, _message(c), c.start, c.end) for c in ordered
    ] + list(_lost_questions(original, draft, source, written))


def reading(fields: Mapping[str, str]) -> Reading:
    """Return the sentences of a record with their facts; the last few are kept in memory."""
    return _cached(tuple(fields.items()))


@lru_cache(maxsize=64)
def _cached(fields: tuple[tuple[str, str], ...]) -> Reading:
    """One record is compared with several drafts, and a draft is judged more than once."""
    return read(dict(fields))


def _message(found: Change) -> str:
    if found.what == "sentence":
        return "states what no sentence of the record states"
    return f"{found.verb} a {found.what} of the sentence that it comes from"


def _changes(source: Reading, draft: Reading, links: Sequence[Link]) -> Iterator[Change]:
    invented, altered = set(), set()
    for at, (facts, link) in enumerate(zip(draft.sentences, links, strict=True)):
        sources = [source.sentences[n] for n in link.sources]
        copied = bool(sources) and sources[0].sentence.text == facts.sentence.text
        if copied or _is_courtesy(facts):
            continue
        if _invented(facts, sources, link, source):
            invented.add(at)
            yield Change("adds", "sentence", facts.sentence.start, facts.sentence.end)
            continue
        for found in alterations(facts, sources, source):
            altered.add((at, found.what))
            yield found
    for number, places in kept_sentences(source, draft, links).items():
        drafts = [
            draft.sentences[at]
            for at in places
            if at not in invented and not _is_courtesy(draft.sentences[at])
        ]
        text = source.sentences[number].sentence.text
        if drafts and all(d.sentence.text != text for d in drafts):
            for found in losses(source.sentences[number], drafts):
                if not any((at, found.what) in altered for at in places):
                    yield found


def _is_courtesy(facts: Facts) -> bool:
    """Return whether a sentence is a greeting, thanks or a closing: it has no fact to change."""
    if facts.quantities or any(n.value != "like" for n in facts.negations):
        return False
    content = [t for t in facts.content if t.kind == "word"]
    if not content:
        return not any(facts.values(kind) for kind in ("force", "warning", "side", "person"))
    return all(stem(token.text) in courtesies() for token in content)


def kept_sentences(source: Reading, draft: Reading, links: Sequence[Link]) -> dict[int, list[int]]:
    """Return the draft sentences of each sentence that a draft keeps, by number.

    A sentence is kept where a draft sentence comes from it first, covers half of it, or has a
    quantity that no other of its sources has.
    """
    kept: dict[int, list[int]] = {}
    for at, link in enumerate(links):
        ours = {q.number for q in draft.sentences[at].quantities}
        theirs = [{q.number for q in source.sentences[n].quantities} for n in link.sources]
        for place, (number, covered) in enumerate(zip(link.sources, link.covered, strict=True)):
            others = set[tuple[Fraction, Fraction, str]]().union(
                *theirs[:place], *theirs[place + 1 :]
            )
            if place == 0 or covered >= _KEPT or (ours & theirs[place]) - others:
                kept.setdefault(number, []).append(at)
    return kept


def _invented(facts: Facts, sources: Sequence[Facts], link: Link, record: Reading) -> bool:
    content = facts.content
    new = [t for t in content if t.keys.isdisjoint(record.places.keys())]
    lost = [t for s in sources for t in s.content if t.keys.isdisjoint(facts.keys)]
    if not content:
        return False
    if not sources or (link.support < _SUPPORT and len(new) > 1):
        return len(content) > 2
    stray = link.support <= _STRAY and link.covered[0] <= _STRAY / 2
    copied = any(s.sentence.text.rstrip(" .") in facts.sentence.text for s in sources)
    added = len(new) + copied  # where the whole source is there, nothing is reworded
    return (stray and bool(new)) or added - len(lost) >= _NEW_WORDS


def _lost_questions(
    original: Mapping[str, str], draft: Mapping[str, str], source: Reading, written: Reading
) -> Iterator[Finding]:
    """Yield a finding for each field that asks in the record and not in the draft."""
    start = 0
    for name, text in draft.items():
        end = start + len(text)
        asked = name in original and (_asks(source, name) or asks_for_another(original[name]))
        if asked and not _asks(written, name, also=reports_question):
            message = f"loses the question that the record asks in `{name}`"
            yield Finding(FindingKind.QUESTION_LOST, message, start, end)
        start = end + 1


def _asks(
    reading: Reading, field: str, *, also: Callable[[str], bool] = lambda text: False
) -> bool:
    """Return whether a sentence of a field asks something, or is one that `also` accepts."""
    return any(
        facts.sentence.asks or asks(facts.sentence.text) or also(facts.sentence.text)
        for facts in reading.sentences
        if facts.sentence.field == field
    )
