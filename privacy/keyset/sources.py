"""Read keys and passphrases from a sealed file, a secret file, the environment or a prompt."""

from __future__ import annotations

import getpass
import os
import sys
from pathlib import Path

from sage_rag.common.exceptions import InputError
from sage_rag.privacy.exceptions import KeysetError
from sage_rag.privacy.keyset.files import read_keyset, read_private
from sage_rag.privacy.keyset.keyset import Grant, Keyset
from sage_rag.privacy.keyset.raw import parse_raw

VARIABLE = "SAGE_RAG_PASSPHRASE"
FILE_VARIABLE = "SAGE_RAG_PASSPHRASE_FILE"
RAW_VARIABLE = "SAGE_RAG_KEYSET_RAW"
"""Raw keys in the environment, set by a secret manager: an export or bare keys."""


def open_keyset(
    path: Path | None = None,
    passphrase_file: Path | None = None,
    *,
    secret_file: Path | None = None,
) -> Keyset:
    """Open the keyset or grant of the only source given.

    `path` is a sealed file, opened with a passphrase from `read_passphrase`; `secret_file`
    contains raw keys (a Docker or Kubernetes secret, mode 0400), or SAGE_RAG_KEYSET_RAW does.

    Raises:
        InputError: for no source, or more than one, which would be ambiguous.
        KeysetError: when the source contains no keyset.
    """
    raw = os.environ.get(RAW_VARIABLE)
    given = {"--keyset": path, "--keyset-secret": secret_file, RAW_VARIABLE: raw or None}
    named = [name for name, value in given.items() if value is not None]
    if len(named) > 1:
        raise InputError(f"{' and '.join(named)} both give keys", hint="give only one of them")
    if path is not None:
        if not path.exists():
            return read_keyset(path, "")  # fails before it prompts
        return read_keyset(path, read_passphrase(passphrase_file))
    if secret_file is not None:
        return read_secret_file(secret_file)
    if raw:
        return parse_raw(raw)
    raise InputError("--keyset is missing", hint="make one: sage-rag keys new --out FILE")


def open_whole_keyset(
    path: Path | None = None,
    passphrase_file: Path | None = None,
    *,
    secret_file: Path | None = None,
) -> Keyset:
    """Open a keyset as `open_keyset` does, but refuse a grant.

    Raises:
        KeysetError: also for a grant.
    """
    keyset = open_keyset(path, passphrase_file, secret_file=secret_file)
    if isinstance(keyset, Grant):
        raise KeysetError(
            "this is a grant of some entity types; the whole keyset is needed",
            hint="ask the owner of the corpus",
        )
    return keyset


def read_secret_file(path: Path) -> Keyset:
    """Return the keyset of a file with raw keys.

    Raises:
        KeysetError: if the file is missing, readable by other users, or contains no keys.
    """
    try:
        text = read_private(path).decode("ascii").strip()
    except UnicodeDecodeError:
        text = ""
    try:
        return parse_raw(text)
    except KeysetError as error:
        raise KeysetError(f"`{path}`: {error.message}", hint=error.hint) from None


def read_passphrase(
    path: Path | None = None, *, confirm: bool = False, of: str = "the keyset"
) -> str:
    """Return the passphrase from `path`, else the environment, else a prompt.

    `confirm`: whether a prompt asks twice. `of`: what the passphrase opens.

    Raises:
        KeysetError: when there is no source, or the two entries differ.
        InputError: when the file cannot be read.
    """
    file = path or (Path(os.environ[FILE_VARIABLE]) if os.environ.get(FILE_VARIABLE) else None)
    if file is not None:
        return _from_file(file)
    if passphrase := os.environ.get(VARIABLE):
        return passphrase
    return prompt_passphrase(of, confirm=confirm)


def prompt_passphrase(
    of: str,
    *,
    confirm: bool,
    otherwise: str = f"set {VARIABLE} or {FILE_VARIABLE}, or give --passphrase-file FILE",
) -> str:
    """Ask for a passphrase at the terminal. `otherwise`: the hint where there is no terminal.

    Raises:
        KeysetError: without a terminal, or when the two entries differ.
    """
    if not sys.stdin.isatty():
        raise KeysetError(f"no passphrase for {of}", hint=otherwise)
    passphrase = getpass.getpass(f"passphrase of {of}: ")
    if confirm and getpass.getpass("once more: ") != passphrase:
        raise KeysetError("the two passphrases differ")
    return passphrase


def _from_file(path: Path) -> str:
    try:
        passphrase = path.read_text("utf-8").rstrip("\r\n")
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "not UTF-8"
        raise InputError(f"cannot read the passphrase file `{path}`: {reason}") from None
    if not passphrase:
        raise KeysetError(f"the passphrase file `{path}` is empty")
    return passphrase
