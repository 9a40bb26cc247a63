"""`sage-rag keys`: make, show and change keysets, and grant parts of them."""

from __future__ import annotations

import json
import sys
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from sage_rag.common.counting import counted
from sage_rag.common.exceptions import InputError, ProtectionError
from sage_rag.privacy.cli.options import PassphraseFile, split_names
from sage_rag.privacy.entities import EntityType, Identifiability, identifiability
from sage_rag.privacy.exceptions import KeysetError
from sage_rag.privacy.keyset import register
from sage_rag.privacy.keyset.files import (
    StoredKeyset,
    change_keyset,
    describe_keyset,
    now,
    read_stored,
    write_keyset,
    write_private,
)
from sage_rag.privacy.keyset.keyset import Grant, Keyset
from sage_rag.privacy.keyset.raw import export_raw, parse_raw
from sage_rag.privacy.keyset.sources import prompt_passphrase, read_passphrase, read_secret_file

keys = typer.Typer(help="Make, inspect, rotate and grant keysets.", no_args_is_help=True)

File = Annotated[Path, typer.Argument(help="A sealed keyset.", show_default=False)]
_REKEY = "next: sage-rag rekey NAME --home HOME --keyset"


def _status(line: str) -> None:
    typer.echo(line, err=True)


@keys.command(epilog="Example: sage-rag keys new --out keys/clinic.keyset")
def new(
    out: Annotated[Path, typer.Option(help="Where to write the sealed keyset; never overwritten.")],
    passphrase_file: PassphraseFile = None,
) -> None:
    """Make a keyset with one new 256-bit key, sealed under a passphrase.

    Without the keyset no one, you included, can restore an index made with it: keep a backup.
    """
    keyset = Keyset.generate()
    write_keyset(out, keyset, read_passphrase(passphrase_file, confirm=True))
    _status(f"made keyset {keyset.primary} in {out}")
    typer.echo(keyset.primary)


@keys.command(epilog="Example: sage-rag keys show keys/clinic.keyset")
def show(
    file: Annotated[Path, typer.Argument(help="A sealed keyset or grant.", show_default=False)],
    verify: Annotated[
        bool, typer.Option(help="Also open it with the passphrase, and list its grants.")
    ] = False,
    passphrase_file: PassphraseFile = None,
) -> None:
    """Print the public part of a file: kind, primary, key ids, types of a grant. Never a key.

    The grants are in the sealed part: --verify prints them.
    """
    described = describe_keyset(file)
    if verify:
        stored = read_stored(file, read_passphrase(passphrase_file))
        described["opens"] = True
        if not isinstance(stored.keyset, Grant):
            described["grants"] = [r.model_dump(mode="json") for r in stored.grants]
    typer.echo(json.dumps(described, indent=2, ensure_ascii=False))


@keys.command(epilog="Example: sage-rag keys rotate keys/clinic.keyset")
def rotate(file: File, passphrase_file: PassphraseFile = None) -> None:
    """Add a new primary key; old keys stay, so that their tokens still open.

    Prints the new key id. The file is replaced atomically; no copy of the old file stays.
    """
    stored = change_keyset(file, read_passphrase(passphrase_file), _rotated)
    _status(f"rotated {file}: the primary is {stored.keyset.primary}; old keys still open tokens")
    _print_next_steps(file, stored)
    typer.echo(stored.keyset.primary)


@keys.command(
    epilog="Example: sage-rag keys grant clinic.keyset --types PERSON --to desk --out desk.grant"
)
def grant(
    file: File,
    types: Annotated[str, typer.Option(help="Entity types, separated by commas.")],
    to: Annotated[str, typer.Option(help="Who it is for; kept in the register.")],
    out: Annotated[Path, typer.Option(help="Where to write the sealed grant.")],
    key_ids: Annotated[
        str | None, typer.Option(help="Key ids, separated by commas. Default: all.")
    ] = None,
    source: Annotated[
        bool, typer.Option(help="Whether the grant can read the names of cited documents.")
    ] = True,
    passphrase_file: PassphraseFile = None,
    out_passphrase_file: Annotated[
        Path | None, typer.Option(help="The grant's own passphrase. Default: a prompt.")
    ] = None,
) -> None:
    """Seal the keys of some entity types for one reader: "may read names, not account numbers".

    With a grant, an edge hides and shows values of these types only, in every corpus made with
    the keyset. A grant has its own passphrase.
    """
    granted_types = _types(types)
    wanted = None if key_ids is None else split_names(key_ids, "--key-ids")
    register.check_label(to)
    if out.exists():
        raise InputError(f"`{out}` exists; a grant is never overwritten")
    passphrase = read_passphrase(passphrase_file)
    if out_passphrase_file is not None:
        own = read_passphrase(out_passphrase_file)
    else:
        own = prompt_passphrase(
            f"the grant for {to}", confirm=True, otherwise="give --out-passphrase-file FILE"
        )
    if own == passphrase:
        raise InputError("a grant needs a passphrase of its own, not the keyset's")

    def recorded(stored: StoredKeyset) -> StoredKeyset:
        _require_whole(stored)
        made = stored.keyset.grant(granted_types, key_ids=wanted, source=source)
        record = register.GrantRecord(
            label=to, types=tuple(sorted(made.types)), key_ids=made.key_ids, created=now()
        )
        return replace(stored, grants=(*stored.grants, record))

    # The register first: a record without a grant is better than a grant without a record.
    changed = change_keyset(file, passphrase, recorded)
    record = changed.grants[-1]
    made = changed.keyset.grant(record.types, key_ids=record.key_ids, source=source)
    write_keyset(out, made, own, label=to)
    _status(f"granted {', '.join(granted_types)} to `{to}` in {out}")


@keys.command(epilog="Example: sage-rag keys revoke keys/clinic.keyset --grant desk")
def revoke(
    file: File,
    label: Annotated[str, typer.Option("--grant", help="The label of the grant.")],
    passphrase_file: PassphraseFile = None,
) -> None:
    """Mark the grants of one label as revoked, and rotate, so that they do not open new tokens.

    The file of a grant keeps working: it opens what was sealed under its key ids until
    `sage-rag rekey` has replaced each index and no server has the old versions.
    """

    def revoked(stored: StoredKeyset) -> StoredKeyset:
        _require_whole(stored)
        return _rotated(replace(stored, grants=register.revoke(stored.grants, label, now())))

    stored = change_keyset(file, read_passphrase(passphrase_file), revoked)
    _status(f"revoked `{label}` and rotated {file}: the primary is {stored.keyset.primary}")
    _status(
        "WARNING: the grant opens every index under the old key ids until `rekey` has replaced "
        "them, servers have only the new versions, and old copies are deleted"
    )
    _print_next_steps(file, stored)
    typer.echo(stored.keyset.primary)


@keys.command(epilog="Example: sage-rag keys prune keys/clinic.keyset --key-id 1f2e3d4c")
def prune(
    file: File,
    key_id: Annotated[str, typer.Option(help="An old key id; never the primary.")],
    passphrase_file: PassphraseFile = None,
) -> None:
    """Delete an old key for good: later grants and exports do not contain it.

    Old versions and backups that only this key opens can never be restored. Existing grants that
    contain the key keep it.
    """

    def pruned(stored: StoredKeyset) -> StoredKeyset:
        return replace(stored, keyset=stored.keyset.without(key_id))

    stored = change_keyset(file, read_passphrase(passphrase_file), pruned)
    _status(f"deleted key {key_id}; {file} contains {', '.join(stored.keyset.key_ids)}")


@keys.command(
    epilog="Example: sage-rag keys export keys/clinic.keyset --out raw.json --yes-reveal-keys"
)
def export(
    file: Annotated[Path, typer.Argument(help="A sealed keyset or grant.", show_default=False)],
    out: Annotated[
        Path | None, typer.Option(help="Where to write the raw keys, mode 0600.")
    ] = None,
    stdout: Annotated[bool, typer.Option("--stdout", help="Print them instead.")] = False,
    reveal: Annotated[
        bool, typer.Option("--yes-reveal-keys", help="Needed: the output is not protected.")
    ] = False,
    passphrase_file: PassphraseFile = None,
) -> None:
    """Write raw keys for a secret manager. Anyone who has them reads everything they open.

    The register of grants is not exported: keep the sealed file to revoke them by their labels.
    """
    if not reveal:
        raise ProtectionError(
            "this writes keys in clear", hint="if you want this, add --yes-reveal-keys"
        )
    if (out is None) != stdout:
        raise InputError("give either --out FILE or --stdout")
    stored = read_stored(file, read_passphrase(passphrase_file))
    raw = export_raw(stored.keyset)
    if out is None:
        typer.echo(raw, nl=False)
    else:
        write_private(out, raw)
        _status(f"wrote raw keys to {out}; move them to the secret manager and delete the file")
    if stored.grants:
        grants = counted(len(stored.grants), "grant")
        _status(f"the register of {grants} is not exported: keep {file} to revoke them by label")


@keys.command("import", epilog="Example: sage-rag keys import raw.json --out clinic.keyset")
def import_(
    raw: Annotated[
        Path,
        typer.Argument(help="Raw keys, mode 0600, or - for standard input.", show_default=False),
    ],
    out: Annotated[Path, typer.Option(help="Where to write the sealed keyset; never overwritten.")],
    passphrase_file: PassphraseFile = None,
) -> None:
    """Seal raw keys: output of `keys export`, or 256-bit keys in hex or Base64, primary first.

    Raw keys come without a register of grants. Earlier grants still open what they did; `keys
    rotate` and `rekey` end them.
    """
    keyset = parse_raw(_standard_input()) if str(raw) == "-" else read_secret_file(raw)
    write_keyset(out, keyset, read_passphrase(passphrase_file, confirm=True))
    _status(f"sealed keyset {keyset.primary} in {out}; delete the raw keys")
    if not isinstance(keyset, Grant):
        _status("its register is empty: grants made before still open tokens, but are not listed")
    typer.echo(keyset.primary)


def _standard_input() -> str:
    try:
        return sys.stdin.read()
    except UnicodeDecodeError:
        raise KeysetError("standard input contains no raw keys") from None


def _rotated(stored: StoredKeyset) -> StoredKeyset:
    return replace(stored, keyset=stored.keyset.rotate())


def _require_whole(stored: StoredKeyset) -> None:
    """Refuse a grant: only the keyset's register lists all grants."""
    if isinstance(stored.keyset, Grant):
        raise KeysetError("this is a grant; the verb needs the whole keyset, which its owner has")


def _print_next_steps(file: Path, stored: StoredKeyset) -> None:
    _status("until each index is rekeyed, questions under the new key find no record by name")
    _status(f"{_REKEY} {file}")
    if labels := register.outdated_labels(stored.grants, stored.keyset.primary):
        _status(f"then grant again, with the new key: {', '.join(labels)}")


def _types(listed: str) -> list[EntityType]:
    types = []
    for name in split_names(listed, "--types"):
        if name not in EntityType.__members__:
            technical = Identifiability.TECHNICAL
            grantable = ", ".join(t for t in EntityType if identifiability(t) is not technical)
            raise InputError("there is no such entity type", hint=f"one of: {grantable}")
        types.append(EntityType(name))
    return types
