"""`sage-rag keys`: make and look at keysets."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from privacy.keyset.files import describe_keyset, write_keyset
from privacy.keyset.keyset import Keyset
from privacy.keyset.passphrase import open_keyset, read_passphrase

keys = typer.Typer(help="Make and inspect keysets.", no_args_is_help=True)

PassphraseFile = Annotated[
    Path | None,
    typer.Option(help="File whose content is the passphrase. Default: SAGE_RAG_PASSPHRASE."),
]


@keys.command(epilog="Example: sage-rag keys new --out keys/clinic.keyset")
def new(
    out: Annotated[Path, typer.Option(help="Where to write the sealed keyset; never overwritten.")],
    passphrase_file: PassphraseFile = None,
) -> None:
    """Make a keyset with one fresh 256-bit key, sealed under a passphrase.

    Without it nobody, you included, can restore an index made with it: keep a backup.
    """
    keyset = Keyset.generate()
    write_keyset(out, keyset, read_passphrase(passphrase_file, confirm=True))
    typer.echo(f"made keyset {keyset.primary} in {out}", err=True)
    typer.echo(keyset.primary)


@keys.command(epilog="Example: sage-rag keys show keys/clinic.keyset")
def show(
    file: Annotated[Path, typer.Argument(help="A sealed keyset.")],
    verify: Annotated[bool, typer.Option(help="Also open it with the passphrase.")] = False,
    passphrase_file: PassphraseFile = None,
) -> None:
    """Print what a keyset file tells in public: format, primary, key ids. Never a key."""
    described = describe_keyset(file)
    if verify:
        open_keyset(file, passphrase_file)
        described["opens"] = True
    typer.echo(json.dumps(described, indent=2))
