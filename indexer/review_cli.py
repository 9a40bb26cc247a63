"""`sage-rag review`: a person decides about documents that the pipeline refused."""

from __future__ import annotations

import asyncio
import json
import os
import shlex
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from sage_rag.common.counting import counted
from sage_rag.common.exceptions import InputError
from sage_rag.common.files import reading
from sage_rag.indexer.options import CorpusName, Home, keyset_of
from sage_rag.privacy.cli.options import KeysetFile, KeysetSecret, PassphraseFile

if TYPE_CHECKING:
    from sage_rag.indexer.corpus_file import CorpusFile
    from sage_rag.indexer.review import QuarantinedRecord, ReviewSession
    from sage_rag.privacy.keyset.keyset import Keyset

_WARNING = "warning: the owner's plain text follows; keep it off shared screens and logs"


def review(
    name: CorpusName,
    document: Annotated[
        str | None,
        typer.Argument(help="A document by its id: show how it was reviewed.", show_default=False),
    ] = None,
    home: Home = Path("home"),
    keyset: KeysetFile = None,
    passphrase_file: PassphraseFile = None,
    keyset_secret: KeysetSecret = None,
    accept: Annotated[str | None, typer.Option(help="Publish this document's draft.")] = None,
    edit: Annotated[str | None, typer.Option(help="Give this document another draft.")] = None,
    file: Annotated[
        Path | None, typer.Option(help="The draft, as JSON. Without it $EDITOR opens.")
    ] = None,
    drop: Annotated[
        str | None,
        typer.Option(help="Never publish this document, even if it changes, until --undo."),
    ] = None,
    undo: Annotated[
        str | None, typer.Option(help="Take back what was decided about this document.")
    ] = None,
    show_original: Annotated[
        bool, typer.Option("--show-original", help="Also print the plain text of each document.")
    ] = False,
) -> None:
    """List documents that the last run quarantined, or decide about one of them by its id.

    A draft is accepted or edited only if it passes the gate; keep placeholders such as [PERSON_1]
    unchanged. […] stands for a private value of the refused draft: accepting publishes the draft
    without the value, as shown. The next `sage-rag index` follows the decisions.

    Example: sage-rag review clinic --accept note-17
    """
    from sage_rag.indexer.corpus_file import corpus_file_path, read_corpus_file

    given = [d for d in (accept, edit, drop, undo) if d is not None]
    if len(given) + (document is not None) > 1 or (file is not None and edit is None):
        raise InputError(
            "give one of a document, --accept, --edit, --drop and --undo; --file needs --edit"
        )
    corpus = read_corpus_file(corpus_file_path(home, name))
    keys = partial(keyset_of, keyset, passphrase_file, keyset_secret, corpus)
    with _session(corpus, name, home, keys) as session:
        if accept is not None:
            session.accept(accept)
        elif edit is not None:
            session.edit(edit, _read(file) if file else _edited(session.start_of(edit)))
        elif drop is not None:
            session.drop(drop)
        elif undo is not None:
            session.undo(undo)
        elif document is not None:
            _print_transcript(session, document)
            return
        else:
            _list(session, show_original)
            return
    typer.echo(f"recorded for `{given[0]}`: the next run of `sage-rag index` follows it", err=True)


@contextmanager
def _session(
    corpus: CorpusFile, name: str, home: Path, keys: Callable[[], Keyset]
) -> Iterator[ReviewSession]:
    """Open the ledger; a model is built only for a recognizer that asks one."""
    from sage_rag.indexer.ledger import Ledger, locked_corpus
    from sage_rag.indexer.review import ReviewSession
    from sage_rag.indexer.versions import corpus_folder, list_versions
    from sage_rag.indexer.wiring import asks_a_model, index_job, model_of, recipe_of

    path = home / "owner" / name / "ledger.sqlite"
    if not path.exists() and not list_versions(corpus_folder(home, name)):
        raise InputError(f"`{name}` was never indexed in `{home}`")
    keyset = keys() if recipe_of(corpus).policy else None
    reads = any(map(asks_a_model, corpus.recognizers))
    model = model_of(corpus, path.parent, keep=False) if reads else None
    try:
        job = index_job(corpus, name, home, keyset, model=model, agents=False)
        with locked_corpus(path.parent), closing(Ledger(path)) as ledger:
            yield ReviewSession(job, ledger)
    finally:
        if model:
            asyncio.run(model.close())


def _print_transcript(session: ReviewSession, document: str) -> None:
    """Print one JSON line for each turn; private values are cut out when it is stored."""
    for turn in json.loads(session.transcript(document)):
        typer.echo(json.dumps(turn, ensure_ascii=False))


def _list(session: ReviewSession, show_original: bool) -> None:
    if show_original:
        typer.echo(_WARNING, err=True)
    count = 0
    for quarantined in session:
        count += 1
        typer.echo(json.dumps(_described(quarantined, show_original), ensure_ascii=False))
    typer.echo(f"{counted(count, 'document')} in quarantine", err=True)


def _described(quarantined: QuarantinedRecord, show_original: bool) -> dict[str, Any]:
    described: dict[str, Any] = {
        "id": quarantined.document.id,
        "reasons": quarantined.refusal.reasons,
        "rounds": quarantined.rounds,
        "decision": quarantined.decision,
        "draft": quarantined.draft,
    }
    if show_original:
        described["original"] = dict(quarantined.document.fields)
    return described


def _read(file: Path) -> dict[str, str]:
    with reading(file):
        text = file.read_text("utf-8-sig")
    try:
        fields = json.loads(text)
    except (ValueError, RecursionError):
        raise InputError(f"`{file}` is not JSON") from None
    if not isinstance(fields, dict) or not all(isinstance(t, str) for t in fields.values()):
        raise InputError(f"`{file}` is not a draft", hint='write {"field": "text", ...}')
    return fields


def _edited(fields: dict[str, str]) -> dict[str, str]:
    """Open the owner's editor on a draft, in a folder that only the owner can read."""
    editor = os.environ.get("VISUAL") or os.environ.get("EDITOR")
    if not editor:
        raise InputError("no editor is configured", hint="set EDITOR, or give --file draft.json")
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "draft.json"
        file.write_text(json.dumps(fields, ensure_ascii=False, indent=2) + "\n", "utf-8")
        if subprocess.run([*shlex.split(editor), str(file)], check=False).returncode:
            raise InputError("the editor failed; nothing was recorded")
        return _read(file)
