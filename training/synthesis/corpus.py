"""Read the documents of a corpus: a jsonl, txt or md file, or a folder of txt and md files."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from sage_rag.common.exceptions import InputError
from sage_rag.common.files import reading
from sage_rag.common.jsonl import Row, line_error, read_jsonl
from sage_rag.common.unicode_text import well_formed
from sage_rag.training.synthesis.samples import SourceDocument

_TEXTS = (".txt", ".md")


def read_documents(path: Path, fields: Sequence[str] = ()) -> list[SourceDocument]:
    """Return the documents of a corpus, in order.

    A line of jsonl is a document; its text is the named `fields`, one per line, or all of its
    strings except `id`. Without a field `id` its id is `line N`. A file of another format is one
    document, whose id is its name.

    Raises:
        InputError: for a path that cannot be read, an unknown format, an empty or missing field,
            an id that occurs twice, or a corpus without documents.
    """
    if path.suffix == ".jsonl" or path.suffixes[-2:] == [".jsonl", ".gz"]:
        found = _lines(path, fields)
    elif fields:
        raise InputError("only jsonl has fields", hint="leave out --text-fields")
    else:
        found = _files(path)
    documents = list(found)
    if not documents:
        raise InputError(
            f"`{path}` has no document with text",
            hint="give a jsonl, txt or md file, or a folder of txt and md files",
        )
    return documents


def _lines(path: Path, fields: Sequence[str]) -> Iterator[SourceDocument]:
    seen: set[str] = set()
    for number, (name, text) in read_jsonl(path, lambda row: _text_of(row, fields)):
        document = SourceDocument(name or f"line {number}", text)
        if document.id in seen:
            raise line_error(path, number, "has the `id` of an earlier line")
        seen.add(document.id)
        yield document


def _text_of(row: Row, fields: Sequence[str]) -> tuple[str, str]:
    names = fields or [n for n, value in row.items() if n != "id" and isinstance(value, str)]
    texts = [row[name] for name in names]
    if not all(isinstance(text, str) for text in texts):
        raise ValueError("has a field that is not a text")
    text = "\n".join(part for part in texts if part.strip())
    if not text:
        raise ValueError("has no text")
    return str(row.get("id", "")), well_formed(text)


def _files(path: Path) -> Iterator[SourceDocument]:
    paths = [path]
    if path.is_dir():
        paths = sorted(p for p in path.rglob("*") if p.suffix in _TEXTS and p.is_file())
    for file in paths:
        if file.exists() and file.suffix not in _TEXTS:
            raise InputError(f"cannot read `{file}` in this format", hint="give jsonl, txt or md")
        with reading(file):
            text = file.read_text("utf-8-sig")
        if text.strip():
            name = file.relative_to(path).as_posix() if path.is_dir() else file.name
            yield SourceDocument(well_formed(name), text)
