"""Options that several verbs share: where keys come from, and what else recognises."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

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
        help="Beside the default, KIND:MODEL, e.g. spacy:en_core_web_lg. Repeatable.",
        show_default=False,
    ),
]
