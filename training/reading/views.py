"""Records and questions as a server reads them: values hidden, headings before their lines."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from difflib import SequenceMatcher

from sage_rag.agents.reading.headings import headed_sentences, labelled
from sage_rag.common.sentences import without_bullet
from sage_rag.privacy.ciphers.default import default_cipher
from sage_rag.privacy.keyset.keyset import Keyset
from sage_rag.privacy.policy import preset
from sage_rag.privacy.protect import Protector
from sage_rag.privacy.recognizers.default import default_recognizer
from sage_rag.privacy.tokens import PLACEHOLDER
from sage_rag.training.reading.questions import QuestionedRecord, RecordQuestion

_WORD = re.compile(rf"{PLACEHOLDER.pattern}|\w+|[^\w\s]")


@dataclass(frozen=True, slots=True)
class ViewedRecord:
    """A record in plain text, and with placeholders for its values, both as a server reads them."""

    plain: QuestionedRecord
    hidden: QuestionedRecord


def throwaway_protector() -> Protector:
    """Return what hides values under a key that is not kept: only the placeholders are read."""
    cipher = default_cipher(Keyset.generate(), "reader")
    return Protector(default_recognizer(), preset("soe-all"), cipher)


def viewed(record: QuestionedRecord, protector: Protector) -> ViewedRecord:
    """Hide the values of a record and of its questions; one value has one placeholder in all.

    A question is left out where its answer cannot be found again in the view.
    """
    fields = {"": record.text, **{str(n): q.text for n, q in enumerate(record.questions)}}
    hidden = protector.protect(fields).protected.fields
    questions = []
    for number, question in enumerate(record.questions):
        answer = question.answer and _aligned(record.text, hidden[""], question.answer)
        if answer is not None or question.answer is None:
            questions.append(RecordQuestion(hidden[str(number)], answer))
    closed = replace(record, text=hidden[""], questions=tuple(questions))
    return ViewedRecord(
        _as_read(record, lambda sentence: False),
        _as_read(closed, lambda sentence: PLACEHOLDER.search(sentence) is not None),
    )


def _as_read(record: QuestionedRecord, holds_value: Callable[[str], bool]) -> QuestionedRecord:
    """Return a record as an answer reads it, a sentence a line: without headings and bullets, a
    label before the first sentence that stands below it."""
    spans = [(s.label, s.start, s.end) for s in headed_sentences(record.text, holds_value)]
    bare = [without_bullet(record.text[start:end]) for _, start, end in spans]
    texts = labelled((label, text) for (label, _, _), text in zip(spans, bare, strict=True))
    kept: list[tuple[int, int, int]] = []  # start and end in the record, and how far it is moved
    place = 0
    for (_, _, end), text, shown in zip(spans, bare, texts, strict=True):
        place += len(shown)
        kept.append((end - len(text), end, place - end))
        place += 1
    questions = []
    for question in record.questions:
        if question.answer is None:
            questions.append(question)
        elif inside := _moved(question.answer, kept):
            questions.append(replace(question, answer=inside))
    lines = "\n".join(text.replace("\n", " ") for text in texts)
    return replace(record, text=lines, questions=tuple(questions))


def _moved(stretch: tuple[int, int], kept: list[tuple[int, int, int]]) -> tuple[int, int] | None:
    """Return where a stretch of a record stands in its view; `None` where it is left out."""
    found = [
        (max(start, stretch[0]) + by, min(end, stretch[1]) + by)
        for start, end, by in kept
        if start < stretch[1] and end > stretch[0]
    ]
    return (found[0][0], found[-1][1]) if found else None


def _aligned(text: str, hidden: str, stretch: tuple[int, int]) -> tuple[int, int] | None:
    """Return the stretch of a hidden text that stands for one of its plain text."""
    own, others = list(_WORD.finditer(text)), list(_WORD.finditer(hidden))
    inside = {i for i, m in enumerate(own) if m.start() < stretch[1] and m.end() > stretch[0]}
    matcher = SequenceMatcher(None, [m[0] for m in own], [m[0] for m in others], autojunk=False)
    found: list[int] = []
    for operation, first, last, start, end in matcher.get_opcodes():
        if operation == "equal":
            found += [start + i - first for i in range(first, last) if i in inside]
        elif operation == "replace" and not inside.isdisjoint(range(first, last)):
            found += range(start, end)
    return (others[min(found)].start(), others[max(found)].end()) if found else None
