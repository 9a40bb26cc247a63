"""Overviews: what a record is about, for a question that asks for a record and no fact of it."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import takewhile

from sage_rag.indexer.passages import Passage
from sage_rag.privacy.entities import EntityType
from sage_rag.privacy.tokens import TOKEN
from sage_rag.rag_server.answering.formalities import is_formality, states_origin
from sage_rag.rag_server.answering.sentences import Sentence, read_passage, replying_fields
from sage_rag.rag_server.answering.values import holds_mark

_TIMES = 2
"""An overview ends with the sentence that makes it this many times `most_words`, or once as many at
the end of a section."""
_NAMED = "PERSON_["
_TRAITS = (EntityType.DEMOGRAPHIC, EntityType.MISC, EntityType.SPECIAL_CATEGORY)
_MOST_LAST = 3
"""Sentences of the end of a case."""


def ranks_that_ask(
    passages: Iterable[tuple[int, Passage]], answer_fields: Sequence[str], named: Collection[str]
) -> set[int]:
    """Return the ranks of passages with one of the `named` tokens in a field that asks."""

    def asks(passage: Passage) -> bool:
        replies = replying_fields(passage, answer_fields)
        asking = [text for name, text in passage.fields.items() if name not in replies]
        return any(token in text for text in asking for token in named)

    return {rank for rank, passage in passages if asks(passage)}


def introduction(
    sentences: Sequence[Sentence],
    named: Collection[str],
    most_words: int,
    asking: Collection[int] = (),
) -> list[Sentence]:
    """Return the first sentence with one of the `named` tokens, and what follows in its field.

    Where a dialogue names someone first, it mostly says who that is: "my wife Ada". Of a passage
    that asks (`asking`, by rank) and has the name below it alone, it is how the passage begins.
    Empty where nothing names them.
    """
    signed = set(asking) - {s.rank for s in sentences if not s.answers and _names(s, named)}
    starts = (
        n
        for n, s in enumerate(sentences)
        if _names(s, named) or (s.rank in signed and not s.answers)
    )
    if (start := next(starts, None)) is None:
        return []
    first = sentences[start]
    own = [s for s in sentences[start:] if (s.rank, s.answers) == (first.rank, first.answers)]
    # Who represents someone is a formality of the case, and says who that is.
    kept = [first] if not states_origin(first.text) else []
    told = [s for s in own if s in kept or not is_formality(s.text)]
    return list(fitting(told or own, most_words))


def traits(
    rank: int, passage: Passage, answer_fields: Sequence[str], most_words: int
) -> list[Sentence]:
    """Return the first sentences with a token of a condition, a group or the like.

    What a question asks in clear may be what such a token hides.
    """
    hidden = {m.group() for m in TOKEN.finditer(passage.text) if m.group(1) in _TRAITS}
    sentences = read_passage(rank, passage, answer_fields, hidden) if hidden else []
    return list(fitting([s for s in sentences if holds_mark(s.text, hidden)], most_words))


def only_signs(record: Sequence[Sentence], named: Collection[str]) -> bool:
    """Return whether an overview has none of the `named` tokens: they only sign a reply.

    One that begins with what is asked is of who asks.
    """
    return record[0].answers and not any(_names(sentence, named) for sentence in record)


def with_owner(
    chosen: Sequence[Sentence], record: Iterable[Sentence], marks: Collection[str]
) -> list[Sentence]:
    """Return an answer to "whose is ...?" with a name before the value, one of the `marks`.

    That is the first one of its field: a record names the person first whom it is about.
    """
    held = next((s for s in chosen if holds_mark(s.text, marks)), None)
    if held is None or _NAMED in held.text[: _first_mark(held.text, marks)]:
        return list(chosen)
    own = (s for s in record if s.answers == held.answers and s.place < held.place)
    first = next((s for s in own if _NAMED in s.text), None)
    return list(chosen) if first is None or first in chosen else [first, *chosen]


def lacks_owner(chosen: Sequence[Sentence], marks: Collection[str]) -> bool:
    """Return whether an answer to "whose is ...?" lacks the value, one of the `marks`, or a name.

    Without marks it lacks nothing.
    """
    holds = any(holds_mark(s.text, marks) for s in chosen)
    return bool(marks) and not (holds and any(_NAMED in s.text for s in chosen))


def _first_mark(text: str, marks: Collection[str]) -> int:
    """Return where the first of the tokens in a text begins, or its length: a code in clear."""
    found = (text.find(mark) for mark in marks)
    return min((place for place in found if place >= 0), default=len(text))


def overview(
    sentences: Sequence[Sentence],
    named: Collection[str],
    most_words: int,
    *,
    is_whole: bool,
    asks_outcome: bool = False,
    asking: Collection[int] = (),
) -> list[Sentence]:
    """Return how a record begins, from the sentence on that has one of the `named` tokens.

    Of several pieces of a record, it is the first one with the name: the others are about the
    same person, and do not say who that is. Of a dialogue, it is also who asks and for what
    (`asking`: as for an introduction). Of a judgment it is the complaint and the facts, without the
    formalities, and how the case ended, if the piece is the whole record (`is_whole`); the end
    alone, if the question asks for it.
    """
    own = [sentence for sentence in sentences if sentence.answers]
    asked = introduction([s for s in sentences if not s.answers], named, most_words // 2, asking)
    if asked:
        told = [sentence for sentence in own if sentence.rank == asked[0].rank]
        return [*asked, *_beginning(told, most_words)]
    start = next((n for n, s in enumerate(own) if _names(s, named)), 0)
    record = [s for s in own[start:] if s.rank == own[start].rank]
    labels = {s.label for s in record}
    told = [s for s in record if not is_formality(s.text) and s.text.rstrip(".") not in labels]
    if not told or not any(is_formality(s.text) for s in record):
        return _beginning(record, most_words)
    last = _end(told, most_words) if is_whole else []
    if asks_outcome and last:
        return last
    size = sum(s.size for s in last)
    # The complaint stands in another section than the facts.
    first = list(takewhile(lambda s: s not in last, fitting(told, _TIMES * most_words - size)))
    return [*first, *last]


def _names(sentence: Sentence, named: Collection[str]) -> bool:
    return not set(named).isdisjoint(sentence.stems)


def _beginning(sentences: Sequence[Sentence], most_words: int) -> list[Sentence]:
    """Return the first sentences, up to the end of a section once they are long enough."""
    found: list[Sentence] = []
    for sentence in fitting(sentences, _TIMES * most_words):
        if sum(s.size for s in found) >= most_words and sentence.topic != found[-1].topic:
            break
        found.append(sentence)
    return found


def fitting(sentences: Sequence[Sentence], most: int) -> Iterator[Sentence]:
    """Yield the first sentences, up to the one that makes them `most` words."""
    size = 0
    for sentence in sentences:
        if size >= most:
            return
        size += sentence.size
        yield sentence


def _end(sentences: Sequence[Sentence], most_words: int) -> list[Sentence]:
    """Return the last sentence with those that it refers to; empty where that is too much."""
    last = list(sentences[-1:])
    while last[0].refers and len(last) < len(sentences):
        last = list(sentences[-len(last) - 1 :])
    fits = len(last) <= _MOST_LAST and sum(s.size for s in last) <= most_words
    return last if fits else []
