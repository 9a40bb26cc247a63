"""Compare the meaning of a draft with its original, without a model.

Each draft sentence is compared with the sentences that it comes from. What the draft states is
what they state; what governs a sentence that the draft keeps stays with it. Leaving out a whole
sentence is no change.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from functools import lru_cache

from sage_rag.common.questions import asks, asks_for_another, reports_question
from sage_rag.common.quotations import unquoted
from sage_rag.privacy.gate.alterations import alterations
from sage_rag.privacy.gate.changes import Change
from sage_rag.privacy.gate.displaced import displaced, quoted_sentences
from sage_rag.privacy.gate.facts.facts import Facts
from sage_rag.privacy.gate.facts.words import courtesies, stem
from sage_rag.privacy.gate.findings import Finding, FindingKind
from sage_rag.privacy.gate.form import MARGINAL_TOKENS
from sage_rag.privacy.gate.losses import losses
from sage_rag.privacy.gate.provenance import Link, Reading, align, read
from sage_rag.privacy.gate.restrictions import left_out_restrictions
from sage_rag.privacy.gate.verification import (
    loses_quantity,
    lost_words,
    unverified_relations,
    unverified_words,
)
from sage_rag.privacy.words import tokenize

_UNVERIFIED = FindingKind.UNVERIFIED_REWORDING
_NEW_WORD = "has a word that the sentence that it comes from does not have, in any form"
_CUT = "keeps a part of a sentence whose other words can restrict it"
_GREETING = 4
"""The most tokens of a greeting such as "Dear patient."."""
_KEPT = 0.5
"""A sentence is kept where a draft sentence covers this share of its words."""


def meaning_changes(
    original: Mapping[str, str], draft: Mapping[str, str], *, unverified: int | None = 0
) -> list[Finding]:
    """Return the changes of meaning of a draft, then its unverified words, then lost questions.

    Both are fields with placeholders. Positions are those in the joined draft; no message contains
    a value. `unverified`: the most words of a draft sentence that its sources may lack, and of a
    rule that its draft may lack; `None` verifies no word. The time is linear in both texts for
    sentences of a common length.

    Does not guarantee: to find a change that consists of words of the source alone, such as an
    exchange of roles that no check names.
    """
    source, written = reading(original), reading(draft)
    links = align(source, written)
    found = {*_changes(source, written, links)}
    ordered = sorted(found, key=lambda c: (c.start, c.end, c.what, c.verb))
    return [
        *(Finding(FindingKind.MEANING_CHANGED, _message(c), c.start, c.end) for c in ordered),
        *(() if unverified is None else _unverified(source, written, links, unverified)),
        *_lost_questions(original, draft, source, written),
    ]


def silent_fields(original: Mapping[str, str], draft: Mapping[str, str]) -> Iterator[Finding]:
    """Yield a finding for each field of a draft that only greets, where the record says more."""
    said = {f.sentence.field for f in reading(draft).sentences if not _is_courtesy(f)}
    meant = {f.sentence.field for f in reading(original).sentences if not _is_courtesy(f)}
    for name, text in draft.items():
        if (
            text.strip()
            and name in meant - said
            and len(tokenize(original[name])) >= MARGINAL_TOKENS
        ):
            yield Finding(FindingKind.EMPTY, f"only greets in `{name}`, where the record says more")


def reading(fields: Mapping[str, str]) -> Reading:
    """Return the sentences of a record with their facts; the last few are kept in memory."""
    return _cached(tuple(fields.items()))


@lru_cache(maxsize=64)
def _cached(fields: tuple[tuple[str, str], ...]) -> Reading:
    """One record is compared with several drafts, and a draft is judged more than once."""
    return read(dict(fields))


def _message(found: Change) -> str:
    return f"{found.verb} a {found.what} of the sentence that it comes from"


def _changes(source: Reading, draft: Reading, links: Sequence[Link]) -> Iterator[Change]:
    altered = set()
    for at, (facts, link) in enumerate(zip(draft.sentences, links, strict=True)):
        sources = [source.sentences[n] for n in link.sources]
        if _is_copy(facts, sources) or _is_courtesy(facts):
            continue
        for found in alterations(facts, sources, source):
            altered.add((at, found.what))
            yield found
    for number, places in kept_sentences(source, draft, links).items():
        drafts = [draft.sentences[at] for at in places if not _is_courtesy(draft.sentences[at])]
        text = source.sentences[number].sentence.text
        if drafts and all(d.sentence.text != text for d in drafts):
            for found in losses(source.sentences[number], drafts):
                if not any((at, found.what) in altered for at in places):
                    yield found
    yield from displaced(source, draft, links, _is_courtesy)
    yield from left_out_restrictions(source, draft, links, _is_courtesy)


def _unverified(
    source: Reading, draft: Reading, links: Sequence[Link], allowed: int
) -> Iterator[Finding]:
    """Yield a finding for each unverified word, and for each draft sentence of a cut one."""
    copies = set[int]()
    for at, (facts, link) in enumerate(zip(draft.sentences, links, strict=True)):
        sources = [source.sentences[n] for n in link.sources]
        if _is_courtesy(facts) or _is_copy(facts, sources):
            copies.add(at)
            continue
        found = (*unverified_words(facts, sources), *unverified_relations(facts, sources))
        words = dict.fromkeys(found)
        for word in words if len(words) > allowed else ():
            start = facts.sentence.start
            yield Finding(_UNVERIFIED, _NEW_WORD, start + word.start, start + word.end)
    for number, places in kept_sentences(source, draft, links).items():
        if copies.isdisjoint(places):
            drafts = [draft.sentences[at] for at in places]
            kept = source.sentences[number]
            if loses_quantity(kept, drafts) or len(lost_words(kept, drafts)) > allowed:
                first = drafts[0].sentence
                yield Finding(_UNVERIFIED, _CUT, first.start, first.end)


def _is_copy(draft: Facts, sources: Sequence[Facts]) -> bool:
    """Return whether a draft sentence is its first source, word for word."""
    return bool(sources) and draft.sentence.text == sources[0].sentence.text


def _is_courtesy(facts: Facts) -> bool:
    """Return whether a sentence is a greeting, thanks or a closing: it has no fact to change."""
    if facts.quantities or any(n.value != "like" for n in facts.negations):
        return False
    if facts.sentence.words[0] == "dear" and len(facts.sentence.tokens) <= _GREETING:
        return True
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


def _lost_questions(
    original: Mapping[str, str], draft: Mapping[str, str], source: Reading, written: Reading
) -> Iterator[Finding]:
    """Yield a finding for each field that asks in the record and not in the draft.

    A question that the record quotes is not its own, unless the whole field is one quotation.
    """
    asking = _asking_fields(source)
    start = 0
    for name, text in draft.items():
        end = start + len(text)
        asked = name in original and (name in asking or asks_for_another(original[name]))
        if asked and not _asks(written, name):
            message = f"loses the question that the record asks in `{name}`"
            yield Finding(FindingKind.QUESTION_LOST, message, start, end)
        start = end + 1


def _asking_fields(source: Reading) -> set[str]:
    """Return the fields that ask something in words of their own."""
    quoted = quoted_sentences(source)
    own: dict[str, list[str]] = {}
    whole: dict[str, list[str]] = {}
    for number, facts in enumerate(source.sentences):
        sentence = facts.sentence
        whole.setdefault(sentence.field, []).append(sentence.text)
        own.setdefault(sentence.field, [])
        if number not in quoted and (text := unquoted(sentence.text).strip()):
            own[sentence.field].append(text)
    return {
        field
        for field, texts in own.items()
        if any("?" in text or asks(text) for text in texts or whole[field])
    }


def _asks(reading: Reading, field: str) -> bool:
    """Return whether a sentence of a field asks something, or reports that someone does."""
    return any(
        facts.sentence.asks or asks(facts.sentence.text) or reports_question(facts.sentence.text)
        for facts in reading.sentences
        if facts.sentence.field == field
    )
