"""`sage-rag rekey`: a published index under the keyset's new primary key."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from sage_rag.privacy.cli.options import KeysetFile, KeysetSecret, PassphraseFile


def rekey(
    corpus: Annotated[str, typer.Option(help="The corpus's name.", show_default=False)],
    home: Annotated[Path, typer.Option(help="The owner's home, with corpora/ in it.")] = Path(
        "home"
    ),
    keyset: KeysetFile = None,
    passphrase_file: PassphraseFile = None,
    keyset_secret: KeysetSecret = None,
) -> None:
    """Publish a corpus's current version again, encrypted under the keyset's primary key.

    Runs after `keys rotate` or `keys revoke`, with the keyset that holds the old keys and the new;
    needs no originals, models or embeddings. Old
    versions stay until you delete them, here and wherever they were copied to: old keys and
    revoked grants open them.

    Example: sage-rag rekey --corpus clinic --home home --keyset keys/clinic.keyset
    """
    from sage_rag.indexer.rekey import rekey as run
    from sage_rag.privacy.keyset.sources import open_whole_keyset

    opened = open_whole_keyset(keyset, passphrase_file, secret_file=keyset_secret)
    done = run(home, corpus, opened)
    if done.tokens:
        message = f"rekeyed {done.passages} passages to key {opened.primary}: {done.tokens} tokens"
        typer.echo(f"{message}, {done.words} blind words", err=True)
    else:
        typer.echo(f"the current version is under key {opened.primary} already", err=True)
    if done.outdated:
        where = done.path.parent
        typer.echo(f"old keys still open, in {where}: {', '.join(done.outdated)}", err=True)
    typer.echo(
        json.dumps(
            {
                "version": str(done.path),
                "passages": done.passages,
                "tokens": done.tokens,
                "words": done.words,
                "outdated": done.outdated,
            }
        )
    )
