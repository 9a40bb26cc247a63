"""The file of a codebook, with one sealed table per key and entity type."""

from __future__ import annotations

import base64
import json
import os
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from Crypto.Cipher import AES

from sage_rag.common.exceptions import InputError
from sage_rag.common.files import locked, write_file
from sage_rag.privacy.entities import EntityType
from sage_rag.privacy.exceptions import KeysetError
from sage_rag.privacy.keyset.keyset import Keyset

FORMAT = "sage-rag-codebook-1"
_NONCE_BYTES = 12
_KEY_BYTES = 32
_STEP = 4096
"""Tables are padded to whole steps: their size shows the number of values only roughly."""

_PARTS = ("nonce", "tag", "ciphertext")

TableName = tuple[str, EntityType]
"""Key id and entity type."""


@dataclass(frozen=True, slots=True)
class SealedTable:
    """The codes of one key and one type under AES-256-GCM."""

    nonce: bytes
    tag: bytes
    ciphertext: bytes = field(repr=False)


def table_key(name: TableName, keyset: Keyset) -> bytes:
    """Return the key that a table is sealed under.

    Raises:
        KeysetError: where the keyset lacks this key, or is a grant without this type.
    """
    key_id, entity_type = name
    return keyset.entity_key(key_id, entity_type, purpose="codebook/table", size_bytes=_KEY_BYTES)


def seal_table(codes: Mapping[str, str], name: TableName, key: bytes, corpus: str) -> SealedTable:
    """Seal a map from code to value under the key of its name."""
    plain = json.dumps(codes).encode()
    nonce = os.urandom(_NONCE_BYTES)
    cipher = AES.new(key, AES.MODE_GCM, nonce=nonce)
    cipher.update(_header(name, corpus))
    body, tag = cipher.encrypt_and_digest(plain + b" " * (-len(plain) % _STEP))
    return SealedTable(nonce, tag, body)


def open_table(sealed: SealedTable, name: TableName, key: bytes, corpus: str) -> dict[str, str]:
    """Return the map from code to value.

    Raises:
        KeysetError: where the table was changed, or moved from another name or corpus.
    """
    try:
        cipher = AES.new(key, AES.MODE_GCM, nonce=sealed.nonce)
        cipher.update(_header(name, corpus))
        codes: dict[str, str] = json.loads(cipher.decrypt_and_verify(sealed.ciphertext, sealed.tag))
    except ValueError:
        raise KeysetError(
            f"the codebook's table of {name[1]} does not open: it was changed or moved",
            hint="restore it from a backup, or index again: equal keys draw the same codes",
        ) from None
    return codes


def read_tables(path: Path, corpus: str) -> dict[TableName, SealedTable]:
    """Read the file of a codebook without a key; a missing file is an empty codebook.

    Raises:
        InputError: for a file that cannot be read, or is not a codebook of this corpus.
    """
    try:
        content = json.loads(path.read_bytes())
    except FileNotFoundError:
        return {}
    except OSError as error:
        raise InputError(f"cannot read `{path}`: {error.strerror}") from None
    except (ValueError, RecursionError):
        raise InputError(f"`{path}` is not a codebook") from None
    try:
        if content["format"] != FORMAT:
            raise InputError(f"`{path}` is not a codebook of format {FORMAT}")
        if content["corpus"] != corpus:
            raise InputError(f"`{path}` is the codebook of another corpus")
        return {
            (str(row["key_id"]), EntityType(row["entity_type"])): SealedTable(
                *(base64.b64decode(row[part], validate=True) for part in _PARTS)
            )
            for row in content["tables"]
        }
    except (KeyError, TypeError, ValueError):
        raise InputError(f"`{path}` is not a codebook") from None


def write_tables(path: Path, corpus: str, tables: Mapping[TableName, SealedTable]) -> None:
    """Replace the file of a codebook atomically.

    Raises:
        InputError: when it cannot be written.
    """
    rows = [
        {
            "key_id": key_id,
            "entity_type": str(entity_type),
            **{p: base64.b64encode(getattr(sealed, p)).decode() for p in _PARTS},
        }
        for (key_id, entity_type), sealed in sorted(tables.items())
    ]
    content = json.dumps({"format": FORMAT, "corpus": corpus, "tables": rows}, indent=1) + "\n"
    try:
        write_file(path, content)
    except OSError as error:
        raise InputError(f"cannot write `{path}`: {error.strerror}") from None


@contextmanager
def locked_codebook(path: Path) -> Iterator[None]:
    """Be the only writer of a codebook; the system frees the lock when the process dies.

    Raises:
        InputError: when another process is writing it, or the folder cannot be written.
    """
    with ExitStack() as stack:
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            stack.enter_context(locked(path.with_name(f"{path.name}.lock"), create=True))
        except BlockingIOError:
            raise InputError(f"another process is writing `{path}`", hint="wait for it") from None
        except OSError as error:
            raise InputError(f"cannot write next to `{path}`: {error.strerror}") from None
        yield


def _header(name: TableName, corpus: str) -> bytes:
    return json.dumps([FORMAT, corpus, *name]).encode()
