"""Read annotated texts in JSON Lines: the public sets and an owner's own.

An owner's line contains `text` and `spans` with `start`, `end` (code points, end exclusive) and
`label`. It may contain `document` (texts of one document belong to one split; by default each line
is a document) and `annotated` (types of which every value is marked; by default all types in the
file). Labels are our entity types, or those of the scheme after `#` in the command line's path
(`notes.jsonl#tab`).

No message quotes a text: annotations are as private as the texts.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from sage_rag.common.exceptions import InputError
from sage_rag.common.jsonl import line_error, numbered_rows
from sage_rag.privacy.entities import TAGGED, EntityType, Identifiability, identifiability
from sage_rag.privacy.labels import Scheme, type_of_label
from sage_rag.privacy.spans import Span
from sage_rag.training.recognition.examples import Example

LINE_HINT = 'each line is {"text": ..., "spans": [{"start": ..., "end": ..., "label": ...}]}'
_FOUND_BY_PATTERNS = frozenset(
    {
        EntityType.USERNAME,
        EntityType.EMAIL_ADDRESS,
        EntityType.PHONE_NUMBER,
        EntityType.URL,
        EntityType.IP_ADDRESS,
        EntityType.MAC_ADDRESS,
        EntityType.CRYPTO,
        EntityType.SECRET,
    }
)


def tagged_type(kind: EntityType) -> EntityType | None:
    """Return the type under which a tagger learns a value; `None` if only patterns find it."""
    if kind in _FOUND_BY_PATTERNS or identifiability(kind) is Identifiability.TECHNICAL:
        return None
    return kind if kind in TAGGED else EntityType.ID


def damaged(path: Path, number: int, what: str, hint: str | None = None) -> InputError:
    """Return the error for one line."""
    return line_error(path, number, what, hint or LINE_HINT)


def checked_text(path: Path, number: int, row: Mapping[str, Any]) -> str:
    """Return a record's text."""
    text = row.get("text")
    if not isinstance(text, str) or not text.strip():
        raise damaged(path, number, "has no `text`")
    return text


def checked_spans(path: Path, number: int, row: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """Return a record's spans: each a range inside the text, with a label."""
    text, spans = row["text"], row.get("spans")
    if not isinstance(spans, list):
        raise damaged(path, number, "has no list `spans`")
    for place, span in enumerate(spans, 1):
        if not isinstance(span, dict) or not isinstance(span.get("label"), str):
            raise damaged(path, number, f"span {place} has no `label`")
        start, end = span.get("start"), span.get("end")
        if type(start) is not int or type(end) is not int or not 0 <= start < end <= len(text):
            raise damaged(
                path,
                number,
                f"span {place} is not a range of its text",
                "`start` and `end` count code points from 0, `end` is exclusive: "
                f"0 <= start < end <= {len(text)}",
            )
    return spans


def annotations_argument(argument: str) -> tuple[Path, Scheme | None]:
    """Parse `FILE` or `FILE#SCHEME`.

    Raises:
        InputError: for a scheme that `privacy.labels` does not contain.
    """
    name, mark, scheme = argument.rpartition("#")
    if not mark:
        return Path(argument), None
    if scheme not in set(Scheme):
        raise InputError(
            f"there is no label scheme `{scheme}`", hint=f"one of: {', '.join(sorted(Scheme))}"
        )
    return Path(name), Scheme(scheme)


def read_annotations(path: Path, scheme: Scheme | None = None) -> list[Example]:
    """Read an owner's annotations.

    Values that only patterns find (e-mail addresses, telephone numbers) become `unsure`.

    Raises:
        InputError: names the first unusable line, and how to correct it.
    """
    found: list[Example] = []
    unspecified: set[int] = set()
    for number, row in numbered_rows(path, LINE_HINT):
        example = _example(path, number, row, scheme)
        if row.get("annotated") is None:
            unspecified.add(len(found))
        found.append(example)
    if not found:
        raise InputError(f"`{path}` contains no annotated text", hint="one JSON object per line")
    occurring = frozenset(span.entity_type for example in found for span in example.spans)
    return [
        replace(example, annotated=occurring) if place in unspecified else example
        for place, example in enumerate(found)
    ]


def _example(path: Path, number: int, row: Mapping[str, Any], scheme: Scheme | None) -> Example:
    text = checked_text(path, number, row)
    spans, unsure = [], []
    end = 0
    for span in sorted(checked_spans(path, number, row), key=lambda s: (s["start"], s["end"])):
        if span["start"] < end:
            raise damaged(
                path, number, f"has overlapping spans at {span['start']}", "keep one of the two"
            )
        end = span["end"]
        kind = _kind(path, number, span["label"], scheme)
        tagged = kind and tagged_type(kind)
        if tagged:
            spans.append(Span(span["start"], end, tagged))
        elif kind:
            unsure.append((span["start"], end))
    annotated = _types(path, number, row, scheme)
    if annotated is not None and not {span.entity_type for span in spans} <= annotated:
        raise damaged(
            path,
            number,
            "has a span of a type that is not in its `annotated`",
            "add the type there",
        )
    return Example(
        text=text,
        spans=tuple(spans),
        annotated=annotated or frozenset(),
        source=path.name,
        document=_document(path, number, row),
        unsure=tuple(unsure),
    )


def _kind(path: Path, number: int, label: str, scheme: Scheme | None) -> EntityType | None:
    """Return the type of a label; `None` for a scheme's label of public values."""
    if scheme is not None:
        try:
            return type_of_label(label, scheme)
        except InputError as error:
            raise damaged(
                path, number, f"has a label that {scheme} does not contain", error.hint
            ) from None
    try:
        return EntityType(label)
    except ValueError:
        known = ", ".join(EntityType)
        raise damaged(
            path, number, "has a label that is not an entity type", f"one of: {known}"
        ) from None


def _types(
    path: Path, number: int, row: Mapping[str, Any], scheme: Scheme | None
) -> frozenset[EntityType] | None:
    named = row.get("annotated")
    if named is None:
        return None
    if not isinstance(named, list) or not all(isinstance(name, str) for name in named):
        raise damaged(path, number, "has an `annotated` that is not a list", "a list of labels")
    kinds = (_kind(path, number, name, scheme) for name in named)
    return frozenset(t for kind in kinds if kind and (t := tagged_type(kind)))


def _document(path: Path, number: int, row: Mapping[str, Any]) -> str:
    document = row.get("document", f"{path.name}:{number}")
    if not isinstance(document, str) or not document:
        raise damaged(
            path, number, "has a `document` that is not a name", "use a string, or omit it"
        )
    return document
