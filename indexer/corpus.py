"""Read a corpus: jsonl records, text and Markdown files, or one csv, pdf, docx or html file."""

from __future__ import annotations

import hashlib
import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from sage_rag.common.counting import counted
from sage_rag.common.exceptions import InputError
from sage_rag.common.files import reading
from sage_rag.common.jsonl import numbered_rows
from sage_rag.common.tables import table_rows
from sage_rag.common.unicode_text import well_formed
from sage_rag.indexer.chunking import chunk_spans
from sage_rag.privacy.protect import join_fields

CHUNK_CHARS = 1500
"""Longest chunk of running text. Source: Zeng et al. (2024), arXiv 2406.14773, A.9."""
WHOLE_RECORD_CHARS = 4000
"""Longest record of one field that stays whole. A note of a visit names its patient at its head
alone: in pieces, only the first one is found by the name."""
_MAX_RECORD_CHARS = 1_000_000
_MAX_TEXT_BYTES = 100_000_000
"""Of a txt or md file: it is in memory as a whole, several times."""
_MAX_ID_CHARS = 500
_FOLDER_SUFFIXES = (".jsonl", ".txt", ".md")
_TABLE_SUFFIXES = (".csv", ".tsv")
"""Read only if the source is the file itself: a folder of records often holds other tables."""
_DOCUMENT_SUFFIXES = (".pdf", ".docx", ".html", ".htm")
"""Need the extra `readers`; read only if the source is the file itself."""
_SINGLE_SUFFIXES = (*_TABLE_SUFFIXES, *_DOCUMENT_SUFFIXES)
_LONE_SURROGATE = re.compile("[\ud800-\udfff]")
_KNOWN_FIELDS = (("text",), ("question", "answer"))


@dataclass(frozen=True)
class Document:
    """One record of the owner's corpus, in plain text. `fields` keep their order.

    `subject`: what the record names as its subject, or for a piece of a longer text the hash of
    the whole; empty where the record is its own subject. `piece_of`: the id of the longer text that
    this is a piece of.
    """

    id: str
    fields: Mapping[str, str]
    subject: str = ""
    piece_of: str = ""

    @property
    def text(self) -> str:
        """All fields joined."""
        return join_fields(self.fields)

    @cached_property
    def content_hash(self) -> str:
        """SHA-256 of the fields."""
        content = json.dumps(list(self.fields.items()), ensure_ascii=False)
        return hashlib.sha256(content.encode()).hexdigest()

    @property
    def subject_hash(self) -> str:
        """SHA-256 of the subject; equal texts without a named subject have one subject.

        A text that a corpus contains twice is thus never counted as two people's.
        """
        return hashlib.sha256((self.subject or self.content_hash).encode()).hexdigest()

    def __repr__(self) -> str:
        return f"Document(fields={list(self.fields)})"


def read_corpus(
    path: Path,
    text_fields: Sequence[str] | None = None,
    subject: str | None = None,
    *,
    on_blank: Callable[[], None] | None = None,
) -> Iterator[Document]:
    """Yield the documents of a file, or of the jsonl, txt and md files of a folder.

    `text_fields` are the fields of a jsonl record, or the columns of a table, that make up a
    document; the default is `text`, or `question` and `answer`. Running text of more than
    `CHUNK_CHARS` is split between sentences, and so is a record of one field of more than
    `WHOLE_RECORD_CHARS`; one of several fields (a dialogue) stays whole. `subject`: the field of a
    record that names its subject. Records and files without text are left out; `on_blank` is
    called for each.

    Raises:
        InputError: for anything that cannot be read, with file and line.
        MissingExtraError: for a pdf, docx or html file without the extra `readers`.
    """
    files = corpus_files(path)
    if text_fields and not any(map(_has_records, files)):
        raise InputError(f"`{path}` has no fields: only jsonl and tables have some")
    root = path if path.is_dir() else path.parent
    seen: dict[str, tuple[Path, int]] = {}
    for file in files:
        most = WHOLE_RECORD_CHARS if _has_records(file) else CHUNK_CHARS
        for number, document in _read_file(file, root, text_fields, subject):
            if not document.text.strip():
                if on_blank is not None:
                    on_blank()
                continue
            for piece in _chunks(document, most):
                if piece.id in seen:
                    raise _repeated((file, number), seen[piece.id])
                seen[piece.id] = file, number
                yield piece
    if not seen:
        raise InputError(f"`{path}` contains no text")


def skipped_line(path: Path) -> str | None:
    """Return in one line which files of a folder are not read; `None` where there are none."""
    if not path.is_dir():
        return None
    suffixes = [f.suffix.lower() for f in _visible(path)]
    counts = Counter(s for s in suffixes if s not in _FOLDER_SUFFIXES)
    alone = ", ".join(f"{counts[s]} {s[1:]}" for s in sorted(counts) if s in _SINGLE_SUFFIXES)
    others = sum(n for suffix, n in counts.items() if suffix not in _SINGLE_SUFFIXES)
    said = [f"{alone}: index them singly"] if alone else []
    said += [f"{counted(others, 'file')} of other formats"] if others else []
    return f"skipped in `{path}`: {'; '.join(said)}" if said else None


def _repeated(place: tuple[Path, int], first: tuple[Path, int]) -> InputError:
    """Return the error for an id that occurs twice; ids often contain names."""
    here, there = (f"`{file}` line {n}" if n else f"`{file}`" for file, n in (place, first))
    return InputError(
        f"{here} has the document id of {there}",
        hint="give each record its own `id`; without one, the file's name and the line are its id",
    )


def corpus_files(path: Path) -> list[Path]:
    """Return the files of a corpus: the one given, or those of a folder that are read.

    Raises:
        InputError: when there is none.
    """
    if path.is_file():
        if path.suffix.lower() not in (*_FOLDER_SUFFIXES, *_SINGLE_SUFFIXES):
            raise InputError(
                f"cannot read `{path}`", hint="a corpus is jsonl, csv, txt, md, pdf, docx or html"
            )
        return [path]
    if not path.is_dir():
        raise InputError(f"there is no corpus at `{path}`")
    files = sorted(f for f in _visible(path) if f.suffix.lower() in _FOLDER_SUFFIXES)
    if not files:
        raise InputError(f"`{path}` contains no jsonl, txt or md file", hint=skipped_line(path))
    return files


def _visible(folder: Path) -> Iterator[Path]:
    """Yield the files of a folder, except hidden ones and those in hidden folders."""
    for file in folder.rglob("*"):
        hidden = any(part.startswith(".") for part in file.relative_to(folder).parts)
        if not hidden and file.is_file():
            yield file


def _read_file(
    file: Path, root: Path, text_fields: Sequence[str] | None, subject: str | None
) -> Iterator[tuple[int, Document]]:
    """Yield each document with the number of its line; 0 for the text of a whole file."""
    if file.suffix.lower() == ".jsonl":
        return _read_records(file, numbered_rows(file), text_fields, subject)
    if file.suffix.lower() in _TABLE_SUFFIXES:
        return _read_records(file, table_rows(file), text_fields, subject)
    if subject is not None:
        raise InputError(f"`{file}` has no field `{subject}`: only records have a subject")
    with reading(file):
        name = well_formed(file.relative_to(root).as_posix())
        return iter([(0, Document(name, {"text": _file_text(file)}))])


def _has_records(file: Path) -> bool:
    return file.suffix.lower() in (".jsonl", *_TABLE_SUFFIXES)


def _file_text(file: Path) -> str:
    if file.suffix.lower() not in _DOCUMENT_SUFFIXES:
        if (size := file.stat().st_size) > _MAX_TEXT_BYTES:
            most = _MAX_TEXT_BYTES // 10**6
            raise InputError(
                f"`{file}` is one text of {size // 10**6} MB; {most} are allowed",
                hint="split it into files of a folder, or write its records as jsonl",
            )
        return file.read_text("utf-8-sig").strip()
    from sage_rag.indexer.backends.llamaindex import read_text

    return read_text(file)


def _read_records(
    file: Path,
    records: Iterable[tuple[int, Mapping[str, Any]]],
    text_fields: Sequence[str] | None,
    subject: str | None,
) -> Iterator[tuple[int, Document]]:
    for number, record in records:
        place = f"`{file}` line {number}"
        fields = {name: _text(record, name, place) for name in text_fields or _guess(record)}
        if not fields:
            raise InputError(
                f"{place} has none of the fields `text` or `question` and `answer`",
                hint=f"name its text with --text-fields; it has: {', '.join(record)[:200]}",
            )
        name = _identity(record, place) or f"{well_formed(file.stem)}:{number}"
        about = _subject(record, subject, place) if subject else ""
        yield number, Document(name, fields, about)


def _identity(record: Mapping[str, Any], place: str) -> str:
    """Return the id of a record, or an empty string; it must fit into one token."""
    identity = record.get("id")
    if isinstance(identity, bool) or not isinstance(identity, str | int | float | None):
        raise InputError(f"{place}: its `id` is neither a string nor a number")
    name = "" if identity is None else str(identity)
    if len(name) > _MAX_ID_CHARS or _LONE_SURROGATE.search(name):
        raise InputError(
            f"{place}: its `id` is longer than {_MAX_ID_CHARS} characters, or no Unicode text",
            hint="name the field otherwise, if it is no id; records without one are numbered",
        )
    return name


def _subject(record: Mapping[str, Any], name: str, place: str) -> str:
    value = record.get(name)
    if isinstance(value, bool) or not isinstance(value, str | int):
        problem = f"has no subject `{name}`" if value is None else f"has a subject `{name}` that"
        kind = "" if value is None else " is neither a string nor a whole number"
        hint = f"each record names whom it is about; it has {', '.join(record) or 'no field'}"
        raise InputError(f"{place} {problem}{kind}", hint=f"{hint}; to unset it: --set subject=")
    if not str(value).strip():
        raise InputError(f"{place}: the subject `{name}` is empty")
    if _LONE_SURROGATE.search(str(value)):
        raise InputError(f"{place}: the subject `{name}` contains half of a surrogate pair")
    return str(value).strip()


def _guess(record: Mapping[str, Any]) -> tuple[str, ...]:
    return next((fields for fields in _KNOWN_FIELDS if all(f in record for f in fields)), ())


def _text(record: Mapping[str, Any], name: str, place: str) -> str:
    if name not in record:
        hint = f"it has: {', '.join(record)[:200]}"
        raise InputError(f"{place} has no field `{name}`", hint=hint)
    value = record[name]
    if value is None:
        hint = 'write an empty text: ""'
        raise InputError(f"{place}: field `{name}` is null", hint=hint)
    if not isinstance(value, str):
        raise InputError(f"{place}: field `{name}` is not a string")
    if len(value) > _MAX_RECORD_CHARS:
        raise InputError(f"{place}: field `{name}` is longer than {_MAX_RECORD_CHARS} characters")
    if _LONE_SURROGATE.search(value):
        raise InputError(f"{place}: field `{name}` contains half of a surrogate pair")
    return value.strip()


def _chunks(document: Document, most: int) -> Iterator[Document]:
    """Yield a document whole, or in chunks if it is one text of more than `most` characters."""
    if len(document.fields) > 1 or len(document.text) <= most:
        yield document
        return
    ((name, text),) = document.fields.items()
    for number, (start, end) in enumerate(chunk_spans(text, CHUNK_CHARS), 1):
        whole = document.subject or document.content_hash
        part = {name: text[start:end]}
        yield Document(f"{document.id}#{number}", part, whole, piece_of=document.id)
