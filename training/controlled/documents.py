"""Read the real documents: with annotated spans (TAB's form), or as a recognizer finds values."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

from sage_rag.common.exceptions import InputError, ProtectionError
from sage_rag.common.jsonl import Row, line_error, numbered_rows, read_jsonl
from sage_rag.common.unicode_text import well_formed
from sage_rag.privacy.labels import Scheme, type_of_label
from sage_rag.privacy.languages import uncovered_language
from sage_rag.privacy.protocols import Recognizer
from sage_rag.privacy.recognizers.catalog import DEFAULT_LANGUAGES
from sage_rag.privacy.spans import resolve_overlaps
from sage_rag.training.controlled.codes import AnnotatedDocument, PrivateValue, ValueSpan
from sage_rag.training.synthesis.corpus import read_documents

PARAGRAPHS = 6
"""Paragraphs of a piece. Source: Zhao and Field (2025), §3.1."""
PIECES = 2
_BREAK = re.compile(r"\n\s*\n")
_NO_MASK = "NO_MASK"
_CLASSES = ("DIRECT", "QUASI")


def read_annotated(
    path: Path,
    recognizer: Recognizer | None,
    fields: Sequence[str] = (),
    languages: frozenset[str] = DEFAULT_LANGUAGES,
) -> list[AnnotatedDocument]:
    """Return the documents of a corpus with their private values.

    Without a recognizer, each line of the jsonl file has `text` and `spans` of TAB:
    `{start, end, label, identifier_type}`; this is the paper's setting "entity known". With one, it
    finds the values ("entity unknown"), and annotated spans are not read.

    Raises:
        InputError: for a corpus that cannot be read, or has no spans where they are needed, or
            fields besides the annotated one.
        ProtectionError: for a document in a language that the recognizer does not cover.
    """
    if recognizer is None:
        if set(fields) - {"text"}:
            raise InputError(
                "annotated spans belong to the field `text`, so no other field is read",
                hint="leave out --text-fields, or add --entities recognized",
            )
        return list(_gold(path))
    found = []
    for document in read_documents(path, fields or text_fields(path)):
        if language := uncovered_language([document.text], languages):
            raise ProtectionError(
                f"no recognizer covers the language of document `{document.id}`, `{language}`",
                hint="docs/privacy.md, Languages",
            )
        found.append(recognized(document.id, document.text, recognizer))
    return found


def recognized(name: str, text: str, recognizer: Recognizer) -> AnnotatedDocument:
    """Return a document with the values that a recognizer finds."""
    spans = resolve_overlaps(recognizer.recognize(text))
    return AnnotatedDocument(
        name,
        text,
        tuple(
            ValueSpan(s.start, s.end, PrivateValue.of(text[s.start : s.end], s.entity_type))
            for s in spans
        ),
    )


def has_spans(path: Path) -> bool:
    """Return whether the first line of a jsonl file has annotated spans."""
    return "spans" in _first_row(path)


def text_fields(path: Path) -> tuple[str, ...]:
    """Return the fields of the text where none is named: `text`; nothing where it is absent."""
    return ("text",) if "text" in _first_row(path) else ()


def _first_row(path: Path) -> Row:
    """Return the first line of a jsonl file; empty for any other path."""
    if not path.is_file() or path.suffix != ".jsonl":
        return {}
    return next((row for _, row in numbered_rows(path)), {})


def _gold(path: Path) -> Iterator[AnnotatedDocument]:
    hint = "--entities recognized lets the recognizer find the values"
    for number, (name, text, rows) in read_jsonl(path, _parse, hint):
        try:
            spans = tuple(
                ValueSpan(row["start"], row["end"], _value(text, row))
                for row in sorted(rows, key=lambda row: (row["start"], row["end"]))
                if row["identifier_type"] != _NO_MASK
            )
        except (KeyError, TypeError, ValueError) as error:
            raise line_error(path, number, f"has a bad span ({type(error).__name__})") from None
        yield AnnotatedDocument(name or f"line {number}", text, spans)


def _parse(row: Row) -> tuple[str, str, list[dict[str, Any]]]:
    if not isinstance(row["text"], str) or not isinstance(row["spans"], list):
        raise ValueError("has no `text` with a list of `spans`")
    return str(row.get("doc_id", row.get("id", ""))), well_formed(row["text"]), row["spans"]


def _value(text: str, row: dict[str, Any]) -> PrivateValue:
    if not 0 <= row["start"] < row["end"] <= len(text) or row["identifier_type"] not in _CLASSES:
        raise ValueError("the span is outside the text")
    entity_type = type_of_label(row["label"], Scheme.TAB)
    if entity_type is None:
        raise ValueError("the label has no type")
    found = text[row["start"] : row["end"]]
    return PrivateValue(found, entity_type, row["identifier_type"] == "DIRECT")


def pieces_of(
    document: AnnotatedDocument, paragraphs: int = PARAGRAPHS, most: int = PIECES
) -> list[AnnotatedDocument]:
    """Split a document into at most `most` pieces of some paragraphs; the rest is left out.

    A paragraph ends at an empty line. A piece keeps the values that lie within it.

    Source: Zhao and Field (2025), §3.1: the first six paragraphs, and the six after them.
    """
    if paragraphs < 1 or most < 1:
        raise InputError("a document is split into at least one piece of one paragraph")
    ends = [match.end() for match in _BREAK.finditer(document.text)] + [len(document.text)]
    borders = [0, *ends[paragraphs - 1 :: paragraphs][:most]]
    if len(borders) <= most and borders[-1] < len(document.text):
        borders.append(len(document.text))
    pieces = [
        _piece(document, number, start, end)
        for number, (start, end) in enumerate(pairwise(borders), 1)
    ]
    return [piece for piece in pieces if piece.text]


def _piece(document: AnnotatedDocument, number: int, start: int, end: int) -> AnnotatedDocument:
    text = document.text[start:end]
    start += len(text) - len(text.lstrip())
    text = text.strip()
    spans = tuple(
        ValueSpan(span.start - start, span.end - start, span.value)
        for span in document.spans
        if start <= span.start and span.end <= start + len(text)
    )
    return AnnotatedDocument(f"{document.id}/{number}", text, spans)
