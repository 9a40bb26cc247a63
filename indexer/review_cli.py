"""`sage-rag review`: what the pipeline refused, for a person to decide about."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from sage_rag.common.exceptions import InputError
from sage_rag.indexer.options import (
    Home,
    PolicyName,
    RecipeName,
    TextFields,
    default_embedder,
    keyset_of,
    parsed_fields,
    recognizer_named,
)
from sage_rag.privacy.cli.options import KeysetFile, KeysetSecret, PassphraseFile, Recognizers

if TYPE_CHECKING:
    from sage_rag.indexer.job import IndexJob
    from sage_rag.indexer.review import QuarantinedRecord, ReviewSession

_WARNING = "warning: what follows is the owner's plain text; keep it off shared screens and logs"


def review(
    name: Annotated[str, typer.Argument(help="The corpus's name.")],
    corpus: Annotated[Path, typer.Option(help="The corpus that was indexed.")],
    home: Home = Path("home"),
    keyset: KeysetFile = None,
    passphrase_file: PassphraseFile = None,
    keyset_secret: KeysetSecret = None,
    text_fields: TextFields = None,
    recipe: RecipeName = "sage",
    policy: PolicyName = None,
    recognizer: Recognizers = None,
    accept: Annotated[str | None, typer.Option(help="Publish this document's draft.")] = None,
    edit: Annotated[str | None, typer.Option(help="Give this document another draft.")] = None,
    file: Annotated[
        Path | None, typer.Option(help="The draft, as JSON. Without it $EDITOR opens.")
    ] = None,
    drop: Annotated[str | None, typer.Option(help="Leave this document out for good.")] = None,
    show_original: Annotated[
        bool, typer.Option("--show-original", help="Also print the plain text of each document.")
    ] = False,
) -> None:
    """List documents that the last run quarantined, or decide about one of them by its id.

    A draft is accepted or edited only if it passes the gate; keep placeholders such as [PERSON_1]
    as they are. The next `sage-rag index` follows the decisions. Give the recipe, policy and
    recognizers that the corpus is indexed with.

    Example: sage-rag review clinic --corpus notes.jsonl --keyset clinic.keyset
    """
    from sage_rag.indexer.job import IndexJob
    from sage_rag.indexer.recipes import recipe_called

    chosen = recipe_called(recipe, policy)
    given = [d for d in (accept, edit, drop) if d is not None]
    if len(given) > 1 or (file is not None and edit is None):
        raise InputError("give one of --accept, --edit and --drop; --file belongs to --edit")
    job = IndexJob(
        corpus=corpus,
        text_fields=parsed_fields(text_fields),
        name=name,
        home=home,
        recipe=chosen,
        keyset=keyset_of(keyset, passphrase_file, keyset_secret) if chosen.policy else None,
        recognizer=recognizer_named(recognizer or [], chosen.policy, None),
        embedder=default_embedder(),
    )
    with _opened(job) as opened:
        if accept is not None:
            opened.accept(accept)
        elif edit is not None:
            opened.edit(edit, _read(file) if file else _edited(opened.start_of(edit)))
        elif drop is not None:
            opened.drop(drop)
        else:
            _list(opened, show_original)
            return
    typer.echo(f"recorded for `{given[0]}`: the next run of `sage-rag index` follows it", err=True)


@contextmanager
def _opened(job: IndexJob) -> Iterator[ReviewSession]:
    from sage_rag.indexer.ledger import Ledger, locked_corpus
    from sage_rag.indexer.review import ReviewSession
    from sage_rag.indexer.versions import corpus_folder

    corpus_folder(job.home, job.name)
    path = job.owner_folder / "ledger.sqlite"
    if not path.exists():
        raise InputError(f"`{job.name}` was never indexed in `{job.home}`")
    with locked_corpus(job.owner_folder):
        ledger = Ledger(path)
        try:
            yield ReviewSession(job, ledger)
        finally:
            ledger.close()


def _list(opened: ReviewSession, show_original: bool) -> None:
    if show_original:
        typer.echo(_WARNING, err=True)
    count = 0
    for quarantined in opened:
        count += 1
        typer.echo(json.dumps(_shown(quarantined, show_original), ensure_ascii=False))
    typer.echo(f"{count} documents in quarantine", err=True)


def _shown(quarantined: QuarantinedRecord, show_original: bool) -> dict[str, Any]:
    shown: dict[str, Any] = {
        "id": quarantined.document.id,
        "reasons": quarantined.reasons,
        "rounds": quarantined.rounds,
        "decision": quarantined.decision,
        "draft": quarantined.draft,
    }
    if show_original:
        shown["original"] = dict(quarantined.document.fields)
    return shown


def _read(file: Path) -> dict[str, str]:
    try:
        fields = json.loads(file.read_text("utf-8"))
    except OSError as error:
        raise InputError(f"cannot read `{file}`: {error.strerror}") from None
    except (ValueError, RecursionError):
        raise InputError(f"`{file}` is not JSON") from None
    if not isinstance(fields, dict) or not all(isinstance(t, str) for t in fields.values()):
        raise InputError(f"`{file}` is not a draft", hint='write {"field": "text", ...}')
    return fields


def _edited(fields: dict[str, str]) -> dict[str, str]:
    """Let a person change a draft in their editor, in a folder that only they can read."""
    editor = os.environ.get("VISUAL") or os.environ.get("EDITOR")
    if not editor:
        raise InputError("no editor is named", hint="set EDITOR, or give --file draft.json")
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "draft.json"
        file.write_text(json.dumps(fields, ensure_ascii=False, indent=2) + "\n", "utf-8")
        if subprocess.run([*shlex.split(editor), str(file)], check=False).returncode:
            raise InputError("the editor ended with an error, so nothing was recorded")
        return _read(file)
