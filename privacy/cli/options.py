"""Options that several verbs share."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from sage_rag.common.exceptions import InputError

KeysetFile = Annotated[Path | None, typer.Option(help="The sealed keyset.", show_default=False)]
PassphraseFile = Annotated[
    Path | None,
    typer.Option(
        help="File with its passphrase. Default: SAGE_RAG_PASSPHRASE or a prompt.",
        show_default=False,
    ),
]
KeysetSecret = Annotated[
    Path | None,
    typer.Option(
        help="Instead: a file with raw keys, as secret managers mount.", show_default=False
    ),
]
Recognizers = Annotated[
    list[str] | None,
    typer.Option(
        help="In addition to the default, KIND:MODEL, e.g. spacy:en_core_web_lg. Repeatable.",
        show_default=False,
    ),
]
Languages = Annotated[
    str | None,
    typer.Option(
        help="ISO codes of what added recognizers cover besides English and Chinese, e.g. es,fr.",
        show_default=False,
    ),
]
Jsonl = Annotated[bool, typer.Option("--jsonl", help="Read standard input as jsonl.")]
Out = Annotated[Path | None, typer.Option(help="Where to write. Default: to the screen.")]


def split_names(listed: str, option: str) -> list[str]:
    """Return the names of a comma-separated option.

    Raises:
        InputError: when there is no name, or one occurs twice.
    """
    names = [name.strip() for name in listed.split(",") if name.strip()]
    if not names or len(set(names)) < len(names):
        raise InputError(f"{option} needs different names, separated by commas")
    return names
