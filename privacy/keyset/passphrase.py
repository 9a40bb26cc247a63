"""Where a passphrase comes from: environment, secret file or prompt."""

from __future__ import annotations

import getpass
import os
import sys
from pathlib import Path

from privacy.exceptions import InputError, KeysetError
from privacy.keyset.files import read_keyset
from privacy.keyset.keyset import Keyset

VARIABLE = "SAGE_RAG_PASSPHRASE"
FILE_VARIABLE = "SAGE_RAG_PASSPHRASE_FILE"


def read_passphrase(path: Path | None = None, *, confirm: bool = False) -> str:
    """Return the passphrase from `path`, else the environment, else a prompt.

    `confirm` asks twice at a prompt. Raises `KeysetError` when there is no source, and
    `InputError` when the file cannot be read.
    """
    file = path or (Path(os.environ[FILE_VARIABLE]) if os.environ.get(FILE_VARIABLE) else None)
    if file is not None:
        return _from_file(file)
    if passphrase := os.environ.get(VARIABLE):
        return passphrase
    if not sys.stdin.isatty():
        raise KeysetError(
            "no passphrase for the keyset",
            hint=f"set {VARIABLE} or {FILE_VARIABLE}, or give --passphrase-file FILE",
        )
    return _from_prompt(confirm)


def open_keyset(path: Path, passphrase_file: Path | None = None) -> Keyset:
    """Open a sealed keyset with the passphrase from wherever it is to be had."""
    if not path.exists():
        return read_keyset(path, "")  # fails with its own message before anyone is asked
    return read_keyset(path, read_passphrase(passphrase_file))


def _from_file(path: Path) -> str:
    try:
        passphrase = path.read_text("utf-8").rstrip("\r\n")
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "not UTF-8"
        raise InputError(f"cannot read the passphrase file `{path}`: {reason}") from None
    if not passphrase:
        raise KeysetError(f"the passphrase file `{path}` is empty")
    return passphrase


def _from_prompt(confirm: bool) -> str:
    passphrase = getpass.getpass("passphrase of the keyset: ")
    if confirm and getpass.getpass("once more: ") != passphrase:
        raise KeysetError("the two passphrases differ")
    return passphrase
