"""Options of `index`, `review` and `rekey`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from sage_rag.indexer.corpus_file import CorpusFile
    from sage_rag.privacy.keyset.keyset import Keyset

Home = Annotated[Path, typer.Option(help="The owner's home: corpus files, ledgers, versions.")]
CorpusName = Annotated[str, typer.Argument(help="The corpus's name.", show_default=False)]
CorpusOrFile = Annotated[
    str | None,
    typer.Argument(
        help="A corpus; with --name: a jsonl, csv, txt, md, pdf, docx or html file, or a folder.",
        show_default=False,
    ),
]


def _option(kind: Any, help_text: str, *names: str, **more: Any) -> Any:
    return Annotated[kind, typer.Option(*names, help=help_text, show_default=False, **more)]


NewName = _option(str | None, "The corpus's name; clients see it as the model.")
RecipeName = _option(
    str | None, "How to treat records; default: sage with a model, consensus without."
)
TextFields = _option(str | None, "Fields of a jsonl record, e.g. question,answer.")
Subject = _option(
    str | None, "Field of a jsonl record that names whom it is about; default: each has its own."
)
Subjects = _option(int | None, "Subjects that say a statement of consensus; default: 3.", "--k")
Layers = _option(str | None, "consensus, records, or both with a comma; default: by recipe.")
BaseUrl = _option(str | None, "OpenAI-compatible endpoint of the agents, ending in /v1.")
ModelName = _option(str | None, "Model of the agents; default: rules.")
Settings = _option(
    list[str] | None,
    "Any key of the corpus file, e.g. model.price=0.15,0.60. Repeatable.",
    "--set",
    metavar="KEY=VALUE",
)
Workers = _option(int | None, "Processes that recognise and embed.", min=1)
DryRun = _option(bool, "Only estimate documents, calls, cost and time.", "--dry-run")
AllowRemoval = _option(
    bool, "Needed where most published documents are no longer in the corpus.", "--allow-removal"
)
AllowPlaintext = _option(bool, "Needed for recipe origin.", "--allow-plaintext")


def names_in(listed: str | None) -> list[str] | None:
    """Return the names in a list with commas; `None` where the option is not given."""
    return None if listed is None else [name.strip() for name in listed.split(",")]


def keyset_of(
    path: Path | None,
    passphrase_file: Path | None,
    secret_file: Path | None,
    corpus: CorpusFile | None,
) -> Keyset:
    """Return the whole keyset; the corpus file's one where no other source is given."""
    import os

    from sage_rag.privacy.keyset.sources import RAW_VARIABLE, open_whole_keyset

    if corpus and not (path or secret_file or os.environ.get(RAW_VARIABLE)):
        path = corpus.keyset
    return open_whole_keyset(path, passphrase_file, secret_file=secret_file)
