"""Read pdf, docx and html files with LlamaIndex's readers."""

from __future__ import annotations

import logging
from pathlib import Path
from typing import Any

from sage_rag.common.exceptions import InputError, extra

with extra("readers", needed_by="reading pdf, docx and html files"):
    import docx2txt  # noqa: F401 - `DocxReader` needs it
    from llama_index.readers.file import DocxReader, HTMLTagReader, PDFReader

_READERS = {
    ".pdf": lambda: PDFReader(return_full_document=True),
    ".docx": DocxReader,
    ".html": lambda: HTMLTagReader(tag="body"),
    ".htm": lambda: HTMLTagReader(tag="body"),
}


def read_text(file: Path) -> str:
    """Return the text of a pdf, docx or html file.

    Raises:
        InputError: when the file is damaged.
    """
    # Its warnings about a damaged file may quote it; ours is one line.
    logging.getLogger("pypdf").setLevel(logging.CRITICAL)
    reader: Any = _READERS[file.suffix.lower()]()
    try:
        nodes = reader.load_data(file)
    except OSError:
        raise
    except Exception:  # noqa: BLE001 - each parser has exceptions of its own
        raise InputError(
            f"`{file}` is damaged, locked by a password, or no {file.suffix[1:].lower()} file",
            hint="open it in a program that reads it, and save it again",
        ) from None
    return "\n".join(node.text for node in nodes).strip()
