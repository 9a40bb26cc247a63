"""Read the public annotated sets, each text with its split.

Neither texts of a held-out document train, nor texts that also occur in one.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate, groupby
from pathlib import Path
from typing import Any

from sage_rag.common.exceptions import InputError
from sage_rag.common.jsonl import numbered_rows
from sage_rag.privacy.entities import EntityType as T
from sage_rag.privacy.labels import matching_types, type_of_label
from sage_rag.privacy.recognizers.scores import GoldText, GoldValue
from sage_rag.privacy.spans import Span, resolve_overlaps
from sage_rag.training.recognition.annotations import (
    LINE_HINT,
    checked_spans,
    checked_text,
    damaged,
    tagged_type,
)
from sage_rag.training.recognition.documents import Split, split_of
from sage_rag.training.recognition.examples import Example
from sage_rag.training.recognition.sets import ENGLISH, SETS, DataSet

_TITLE = re.compile(r"(?:Mr|Mrs|Ms|Miss|Dr|Prof|Sir|Judge)\b\.?\s+", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class AnnotatedText:
    """One text of a set, in the form for training (`example`) and for measuring (`gold`).

    `gold` holds every private value under the set's label, also of types that a tagger does not
    learn.
    """

    example: Example
    gold: GoldText
    split: Split


def load(name: str, directory: Path) -> list[AnnotatedText]:
    """Read a set from the folder of all sets.

    Raises:
        InputError: for a missing file, or a line that is not an annotated text.
    """
    chosen = SETS[name]
    path = directory / chosen.path
    if not path.is_file():
        raise InputError(
            f"no set `{name}`: `{path}` is missing",
            hint="--data is the folder that contains the sets' folders",
        )
    records = list(_records(path, chosen))
    try:
        named = chosen.document([row for _, row in records])
    except KeyError as error:
        lacking = next(number for number, row in records if error.args[0] not in row)
        raise damaged(path, lacking, f"has no `{error.args[0]}`") from None
    return [
        _annotated(name, path, number, row, document)
        for (number, row), document in zip(records, named, strict=True)
        if document is not None
    ]


def examples(directory: Path, split: Split, sets: Iterable[str] = ENGLISH) -> list[Example]:
    """Return the texts of one split, from the sets whose licence allows training.

    A text that also occurs in a held-out document belongs to no other split.
    """
    texts = [text for name in sets if SETS[name].may_train for text in load(name, directory)]
    held_out = {t.example.text.casefold() for t in texts if t.split is Split.HELD_OUT}
    return [
        text.example
        for text in texts
        if text.split is split
        and (split is Split.HELD_OUT or text.example.text.casefold() not in held_out)
    ]


def joined_documents(name: str, texts: Iterable[AnnotatedText]) -> list[AnnotatedText]:
    """Join the sentences of a set to documents; a set without sentences returns an empty list.

    They serve to measure, because mails and articles come whole. With training on them, too, the
    tagger had fewer false alarms but missed more names.
    """
    if not SETS[name].sentences:
        return []
    by_document = groupby(texts, key=lambda text: (text.example.document, text.split))
    return [_joined(list(sentences)) for _, sentences in by_document]


def _joined(sentences: Sequence[AnnotatedText]) -> AnnotatedText:
    """Return sentences of one document as one text."""
    lengths = [len(sentence.example.text) + 1 for sentence in sentences]
    starts = list(accumulate(lengths[:-1], initial=0))
    placed = list(zip(starts, sentences, strict=True))
    text = " ".join(sentence.example.text for sentence in sentences)
    spans = [
        replace(span, start=span.start + at, end=span.end + at)
        for at, sentence in placed
        for span in sentence.example.spans
    ]
    values = [
        replace(value, start=value.start + at, end=value.end + at)
        for at, sentence in placed
        for value in sentence.gold.values
    ]
    return AnnotatedText(
        replace(
            sentences[0].example,
            text=text,
            spans=tuple(spans),
            unsure=_moved((at, s.example.unsure) for at, s in placed),
        ),
        replace(
            sentences[0].gold,
            text=text,
            values=tuple(values),
            unsure=_moved((at, s.gold.unsure) for at, s in placed),
        ),
        sentences[0].split,
    )


def _moved(
    placed: Iterable[tuple[int, Sequence[tuple[int, int]]]],
) -> tuple[tuple[int, int], ...]:
    return tuple((start + at, end + at) for at, ranges in placed for start, end in ranges)


def _records(path: Path, chosen: DataSet) -> Iterator[tuple[int, Mapping[str, Any]]]:
    for number, record in numbered_rows(path, LINE_HINT):
        if any(record.get(field) != value for field, value in chosen.fields):
            continue
        for row in chosen.texts_of(record) if chosen.texts_of else [record]:
            checked_text(path, number, row)
            checked_spans(path, number, row)
            yield number, row


def _annotated(
    name: str, path: Path, number: int, row: Mapping[str, Any], document: str
) -> AnnotatedText:
    chosen, text = SETS[name], row["text"]
    try:
        values = [_value(span, text, chosen) for span in row["spans"]]
    except InputError as error:
        what = f"has a label that {chosen.scheme} does not contain"
        raise damaged(path, number, what, error.hint) from None
    marks = [(gold.start, gold.end, gold.label) for gold, _ in values]
    unknown = [*row.get("unsure", ()), *(r for rule in chosen.unsure for r in rule(text, marks))]
    unknown = merged(
        (start, end)
        for start, end in unknown
        if not any(start < e and s < end for s, e, _ in marks)
    )
    spans = [
        Span(_after_title(text, gold.start, gold.end), gold.end, t)
        for gold, kind in values
        if (t := _learnt(kind, chosen))
    ]
    left = [(g.start, g.end) for g, kind in values if kind and not tagged_type(kind)]
    judged = None if T.ID in chosen.annotated else chosen.annotated
    return AnnotatedText(
        Example(
            text=text,
            spans=tuple(resolve_overlaps(spans)),
            annotated=chosen.annotated,
            source=name,
            document=document,
            unsure=tuple(merged([*unknown, *left])),
        ),
        GoldText(text, tuple(gold for gold, _ in values if gold.accepted), judged, tuple(unknown)),
        Split.HELD_OUT if chosen.held_out else split_of(document),
    )


def _value(span: Mapping[str, Any], text: str, chosen: DataSet) -> tuple[GoldValue, T | None]:
    label, start, end = span["label"], span["start"], span["end"]
    kind, accepted = type_of_label(label, chosen.scheme), matching_types(label, chosen.scheme)
    risk, entity = str(span.get("identifier_type", "")), str(span.get("entity_id", ""))
    corrected = chosen.types_of(label, text[start:end]) if chosen.types_of else None
    if corrected is not None:
        kind, accepted = next(iter(corrected), None), corrected
    if kind and (tagged := tagged_type(kind)):
        accepted |= {tagged}
    return GoldValue(start, end, label, accepted, risk, entity), kind


def _learnt(kind: T | None, chosen: DataSet) -> T | None:
    tagged = tagged_type(kind) if kind else None
    return tagged if tagged in chosen.annotated else None


def _after_title(text: str, start: int, end: int) -> int:
    """Return the start of a name without its title; some sets include it, most do not."""
    title = _TITLE.match(text, start, end)
    return title.end() if title and title.end() < end else start


def merged(ranges: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return the ranges in order, with touching ranges joined."""
    joined: list[tuple[int, int]] = []
    for start, end in sorted(ranges):
        if joined and start <= joined[-1][1]:
            joined[-1] = (joined[-1][0], max(end, joined[-1][1]))
        else:
            joined.append((start, end))
    return joined
