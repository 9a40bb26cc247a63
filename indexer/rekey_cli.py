"""`sage-rag rekey`: encrypt a published index under the keyset's new primary key."""

from __future__ import annotations

import json
from pathlib import Path

import typer

from sage_rag.common.counting import counted
from sage_rag.indexer.options import CorpusName, Home, keyset_of
from sage_rag.privacy.cli.options import KeysetFile, KeysetSecret, PassphraseFile


def rekey(
    name: CorpusName,
    home: Home = Path("home"),
    keyset: KeysetFile = None,
    passphrase_file: PassphraseFile = None,
    keyset_secret: KeysetSecret = None,
) -> None:
    """Publish a corpus's current version again, encrypted under the keyset's primary key.

    Run it after `keys rotate` or `keys revoke`, with the keyset that holds the old and the new
    keys; and once for a version of an earlier sage-rag, which did not sign what edges read
    questions with. It needs no originals, models or embeddings. Old versions stay until you delete
    them, here and in every copy: old keys and revoked grants open them.

    Example: sage-rag rekey clinic --keyset keys/clinic.keyset
    """
    from sage_rag.indexer.corpus_file import corpus_file_path, read_corpus_file
    from sage_rag.indexer.rekey import rekey as run

    path = corpus_file_path(home, name)
    corpus = read_corpus_file(path) if path.exists() else None
    opened = keyset_of(keyset, passphrase_file, keyset_secret, corpus)
    done = run(home, name, opened)
    if done.tokens:
        passages, tokens = counted(done.passages, "passage"), counted(done.tokens, "token")
        message = f"rekeyed {passages} to key {opened.primary}: {tokens}"
        typer.echo(f"{message}, {counted(done.words, 'blind word')}", err=True)
    else:
        typer.echo(f"the current version already has key {opened.primary}", err=True)
    if done.outdated:
        where = done.path.parent
        listed = ", ".join(done.outdated)
        typer.echo(f"versions in {where} made under other keys: {listed}", err=True)
        typer.echo(
            "hint: those keys, also of another keyset, open them until you delete them", err=True
        )
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
