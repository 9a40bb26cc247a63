"""Sealed keyset files: scrypt over a passphrase, AES-256-GCM over the keys, mode 0600."""

from __future__ import annotations

import base64
import json
import os
from pathlib import Path
from typing import Any

from Crypto.Cipher import AES
from Crypto.Protocol.KDF import scrypt

from privacy.exceptions import InputError, KeysetError
from privacy.keyset.keyset import Keyset, export_master_keys

FORMAT = "sage-rag-keyset-1"
_SCRYPT = {"n": 2**15, "r": 8, "p": 1}
"""RFC 7914 interactive cost doubled: 32 MiB and under half a second on one core."""
_MAX_FILE_BYTES = 64 * 1024


def write_keyset(path: Path, keyset: Keyset, passphrase: str) -> None:
    """Seal a keyset into a new file that only its owner may read.

    Raises:
        InputError: if the file exists or cannot be written; an existing keyset is never replaced.
        KeysetError: for an empty passphrase.
    """
    content = _seal(keyset, passphrase)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        raise InputError(
            f"`{path}` exists; a keyset is never overwritten",
            hint="choose another --out: without its keyset an index cannot be restored",
        ) from None
    except OSError as error:
        raise InputError(f"cannot write `{path}`: {error.strerror}") from error
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())


def read_keyset(path: Path, passphrase: str) -> Keyset:
    """Open a sealed keyset.

    Raises:
        KeysetError: if the file is missing, readable by others, damaged, or the passphrase wrong.
    """
    envelope = _read_envelope(path)
    try:
        salt, nonce, tag, body = (
            base64.b64decode(envelope[name], validate=True)
            for name in ("salt", "nonce", "tag", "ciphertext")
        )
        cost = {name: int(envelope["scrypt"][name]) for name in ("n", "r", "p")}
        if cost["n"] > 2**20 or cost["r"] > 16 or cost["p"] > 4:
            raise KeysetError(f"`{path}` asks for an unreasonable scrypt cost")
        cipher = AES.new(_stretch(passphrase, salt, cost), AES.MODE_GCM, nonce=nonce)
        cipher.update(_header(envelope["primary"], envelope["key_ids"]))
    except KeysetError:
        raise
    except (KeyError, TypeError, ValueError):
        raise KeysetError(f"`{path}` is damaged", hint="restore it from a backup") from None
    try:
        keys = json.loads(cipher.decrypt_and_verify(body, tag))
    except ValueError:
        raise KeysetError(
            f"`{path}` does not open: wrong passphrase or damaged file",
            hint="the passphrase is read from SAGE_RAG_PASSPHRASE, --passphrase-file or a prompt",
        ) from None
    return Keyset({k: base64.b64decode(v) for k, v in keys.items()}, envelope["primary"])


def describe_keyset(path: Path) -> dict[str, Any]:
    """Return what a sealed file tells without a passphrase: format, primary, key ids."""
    envelope = _read_envelope(path)
    return {name: envelope.get(name) for name in ("format", "primary", "key_ids")}


def is_keyset_file(path: Path) -> bool:
    """Return whether a file holds a keyset, sealed or not, by its format mark."""
    try:
        with path.open("rb") as file:
            return FORMAT.encode() in file.read(_MAX_FILE_BYTES)
    except OSError:
        return False


def _seal(keyset: Keyset, passphrase: str) -> str:
    if not passphrase:
        raise KeysetError("an empty passphrase protects nothing")
    salt, nonce = os.urandom(16), os.urandom(12)
    cipher = AES.new(_stretch(passphrase, salt, _SCRYPT), AES.MODE_GCM, nonce=nonce)
    cipher.update(_header(keyset.primary, list(keyset.key_ids)))
    keys = {k: base64.b64encode(v).decode() for k, v in export_master_keys(keyset).items()}
    body, tag = cipher.encrypt_and_digest(json.dumps(keys).encode())
    envelope = {
        "format": FORMAT,
        "primary": keyset.primary,
        "key_ids": list(keyset.key_ids),
        "scrypt": _SCRYPT,
        "salt": base64.b64encode(salt).decode(),
        "nonce": base64.b64encode(nonce).decode(),
        "tag": base64.b64encode(tag).decode(),
        "ciphertext": base64.b64encode(body).decode(),
    }
    return json.dumps(envelope, indent=2) + "\n"


def _stretch(passphrase: str, salt: bytes, cost: dict[str, int]) -> bytes:
    key = scrypt(passphrase, salt, 32, cost["n"], cost["r"], cost["p"])
    if not isinstance(key, bytes):
        raise TypeError("scrypt returned several keys where one was asked for")
    return key


def _header(primary: str, key_ids: list[str]) -> bytes:
    """Bind the readable part of the file to the sealed part."""
    return json.dumps([FORMAT, primary, key_ids]).encode()


def _read_envelope(path: Path) -> dict[str, Any]:
    try:
        if path.stat().st_mode & 0o077:
            raise KeysetError(f"`{path}` can be read by other users", hint=f"chmod 600 {path}")
        with path.open("rb") as file:
            envelope = json.loads(file.read(_MAX_FILE_BYTES))
    except OSError as error:
        raise KeysetError(
            f"cannot read keyset `{path}`: {error.strerror}",
            hint="make one: sage-rag keys new --out FILE",
        ) from None
    except ValueError:
        raise KeysetError(f"`{path}` is not a keyset") from None
    if not isinstance(envelope, dict) or envelope.get("format") != FORMAT:
        raise KeysetError(f"`{path}` is not a keyset of format {FORMAT}")
    return envelope
