"""`sage-rag token`: make, list and revoke the API keys of a server or edge."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Annotated

import typer

from sage_rag.common.exceptions import InputError
from sage_rag.rag_server.access.keys import (
    Scope,
    add_key,
    default_file,
    make_key,
    read_keys,
    revoke_key,
)

_MOST_DAYS = 36_500
"""A century: a date after the year 9999 cannot be stored."""

token = typer.Typer(help="Make, list and revoke API keys.", no_args_is_help=True)

Home = Annotated[
    Path | None, typer.Option(help="The server's home; its keys are in access/tokens.json.")
]
Tokens = Annotated[
    Path | None, typer.Option(help="Instead of --home: a file of API keys.", show_default=False)
]


def _file(home: Path | None, tokens: Path | None) -> Path:
    if (home is None) == (tokens is None):
        raise InputError("give either --home or --tokens", hint="for example --home home")
    if home is not None and not home.is_dir():
        raise InputError(f"there is no home `{home}`", hint="give the server's, or make the folder")
    return tokens or default_file(home or Path())


@token.command(epilog="Example: sage-rag token new --home home --name edge --out edge.key")
def new(
    name: Annotated[str, typer.Option(help="Who will use it; shown in lists and audit logs.")],
    home: Home = None,
    tokens: Tokens = None,
    scopes: Annotated[
        str, typer.Option(help="Of chat, research (scores), index (download) and admin (metrics).")
    ] = "chat",
    requests_per_minute: Annotated[
        int | None, typer.Option(help="Default: no limit.", show_default=False)
    ] = None,
    tokens_per_day: Annotated[
        int | None, typer.Option(help="Budget per UTC day. Default: no limit.", show_default=False)
    ] = None,
    days: Annotated[
        int | None,
        typer.Option(
            min=1, max=_MOST_DAYS, help="Until it expires. Default: never.", show_default=False
        ),
    ] = None,
    out: Annotated[
        Path | None, typer.Option(help="Write the key to a new file. Default: to the screen.")
    ] = None,
) -> None:
    """Make an API key; it is shown once, and only its hash is stored."""
    from sage_rag.common.files import create_file

    file = _file(home, tokens)
    known = {scope.value: scope for scope in Scope}
    asked = [part.strip() for part in scopes.split(",") if part.strip()]
    if unknown := [part for part in asked if part not in known]:
        raise InputError(f"there is no scope `{unknown[0]}`", hint=f"one of {', '.join(known)}")
    plain, stored = make_key(
        name,
        frozenset(known[part] for part in asked),
        requests_per_minute=requests_per_minute,
        tokens_per_day=tokens_per_day,
        expires=datetime.now(UTC) + timedelta(days=days) if days else None,
    )
    if out is not None:
        try:
            create_file(out, plain + "\n")
        except OSError as error:
            raise InputError(f"cannot write `{out}`: {error.strerror}") from None
    try:
        add_key(file, stored)
    except InputError:
        if out is not None:
            out.unlink()  # no server knows this key
        raise
    typer.echo(f"made API key {stored.id} ({', '.join(sorted(stored.scopes))})", err=True)
    if out is None:
        typer.echo(plain)


@token.command("list", epilog="Example: sage-rag token list --home home")
def list_keys(home: Home = None, tokens: Tokens = None) -> None:
    """List the API keys: id, name, scopes, limits, times. The keys themselves are not stored."""
    for key in read_keys(_file(home, tokens)):
        rate = f"{key.requests_per_minute}/min" if key.requests_per_minute else "-"
        budget = f"{key.tokens_per_day}/day" if key.tokens_per_day else "-"
        scopes = ",".join(sorted(key.scopes))
        until = "" if key.expires is None else f"  until {key.expires:%Y-%m-%d %H:%M} UTC"
        line = f"{key.id}  {key.name:<16}  {scopes:<20}  {rate:>8}  {budget:>10}  {key.created}"
        typer.echo(line + (f"{until}, expired" if key.has_expired else until))


@token.command(epilog="Example: sage-rag token revoke 1f0c9a52 --home home")
def revoke(
    key: Annotated[str, typer.Argument(help="Its id or name.", show_default=False)],
    home: Home = None,
    tokens: Tokens = None,
) -> None:
    """Revoke an API key; a running server refuses it from the next request on."""
    revoked = revoke_key(_file(home, tokens), key)
    typer.echo(f"revoked API key {revoked.id} ({revoked.name})", err=True)
