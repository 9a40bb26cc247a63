"""Make training examples from the views of records."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from sage_rag.agents.reading.pairs import Pair, pair_of
from sage_rag.common.sentences import sentence_spans
from sage_rag.common.stems import stem
from sage_rag.privacy.tokens import PLACEHOLDER
from sage_rag.training.reading.questions import RecordQuestion
from sage_rag.training.reading.views import ViewedRecord

_HIDDEN = 0.8
"""Share of the examples whose values are hidden, as in an encrypted index."""
_CUT = 0.8
"""Share of the examples that read a part of their record."""
_WITHOUT_ANSWER = 0.25
"""Share of answered questions that are also asked of their record without the answer's sentence."""
_OF_ANOTHER = 0.45
"""Share of answered questions that are also asked of another record."""
_TYPED = 0.1
"""Share of the questions in lower case and without a question mark, as many users type."""
_SHORTEST = 60
"""Characters of a record without a sentence."""


@dataclass(frozen=True, slots=True)
class AskedText:
    """A question, a text, and where the text answers it, in code points; `None`: nowhere."""

    question: str
    text: str
    answer: tuple[int, int] | None


@dataclass(frozen=True, slots=True)
class ReadingExample:
    """A pair, and the places of the answer's first and last piece; `None`: there is none."""

    pair: Pair
    answer: tuple[int, int] | None


def asked_texts(records: Sequence[ViewedRecord], chance: random.Random) -> Iterator[AskedText]:
    """Yield the questions of one epoch: each once, some also of a record that is cut.

    Which form, part of the record and spelling each has is drawn.
    """
    for record in records:
        view = record.hidden if chance.random() < _HIDDEN else record.plain
        for question in view.questions:
            if question.answer is not None and chance.random() < _WITHOUT_ANSWER:
                text = _without(view.text, question.answer)
                if len(text) >= _SHORTEST:
                    yield _asked(question.text, text, None, chance)
            yield _asked(question.text, view.text, question.answer, chance)


def asked_of_others(records: Sequence[ViewedRecord], chance: random.Random) -> Iterator[AskedText]:
    """Yield some of the questions that have an answer, each asked of another record.

    Half of those are of the same file, of one kind. They are taken to have no answer.
    """
    of_kind: dict[str, list[ViewedRecord]] = {}
    for record in records:
        of_kind.setdefault(record.plain.source, []).append(record)
    for record in records:
        hides = chance.random() < _HIDDEN
        for question in (record.hidden if hides else record.plain).questions:
            if question.answer is None or chance.random() >= _OF_ANOTHER:
                continue
            other = chance.choice(chance.choice((of_kind[record.plain.source], records)))
            if other is not record:
                text = (other.hidden if hides else other.plain).text
                yield _asked(question.text, text, None, chance)


def numbered(question: RecordQuestion, record: str) -> AskedText:
    """Return a question and a text as a server reads them: `readable_view` of both.

    Placeholders get numbers in order of appearance.
    """
    numbers: dict[str, int] = {}
    counts: dict[str, int] = {}

    def name(match: re.Match[str]) -> str:
        if match.group() not in numbers:
            counts[match[1]] = counts.get(match[1], 0) + 1
            numbers[match.group()] = counts[match[1]]
        return f"{match[1].lower().replace('_', ' ')} {numbers[match.group()]}"

    asked = PLACEHOLDER.sub(name, question.text)
    if question.answer is None:
        return AskedText(asked, PLACEHOLDER.sub(name, record), None)
    start, end = question.answer
    parts = (record[:start], record[start:end], record[end:])
    before, answer, after = (PLACEHOLDER.sub(name, part) for part in parts)
    first = len(before)
    return AskedText(asked, before + answer + after, (first, first + len(answer)))


def reading_example(asked: AskedText) -> ReadingExample | None:
    """Return the network's input; `None` when the answer is beyond what it reads at once."""
    pair = pair_of(asked.question, asked.text)
    places = pair.places(*asked.answer) if asked.answer else None
    if asked.answer is not None and places is None:
        return None
    return ReadingExample(pair, places)


def _asked(
    question: str, text: str, answer: tuple[int, int] | None, chance: random.Random
) -> AskedText:
    """Return a question on a text, or on a part of it, as a user may type it."""
    if chance.random() < _CUT:
        text, answer = _part(question, text, answer, chance)
    asked = numbered(RecordQuestion(question, answer), text)
    if chance.random() < _TYPED:
        return replace(asked, question=asked.question.rstrip("?").lower())
    return asked


def _part(
    question: str, text: str, answer: tuple[int, int] | None, chance: random.Random
) -> tuple[str, tuple[int, int] | None]:
    """Return some sentences in a row: those of the answer, or else the one nearest to the question,
    so that a short text is no sign of an answer."""
    spans = sentence_spans(text)
    if answer is not None:
        kept = [i for i, (a, b) in enumerate(spans) if a < answer[1] and b > answer[0]]
    else:
        asked = _stems(question)
        shared = [len(asked & _stems(text[a:b])) + chance.random() for a, b in spans]
        kept = [shared.index(max(shared))] if shared else []
    if not kept:
        return text, answer
    first, last = chance.randint(0, kept[0]), chance.randint(kept[-1], len(spans) - 1)
    start, end = spans[first][0], spans[last][1]
    return text[start:end], answer and (answer[0] - start, answer[1] - start)


def _stems(text: str) -> set[str]:
    return {stem(word) for word in re.findall(r"\w+", text)}


def _without(text: str, answer: tuple[int, int]) -> str:
    """Return a text without the sentences of an answer."""
    kept = [text[a:b] for a, b in sentence_spans(text) if b <= answer[0] or a >= answer[1]]
    return " ".join(kept)
