"""Sealed keyset files: mode 0600, created once, or replaced atomically."""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, ValidationError

from sage_rag.common.exceptions import InputError
from sage_rag.common.files import create_file, locked, sync_folder
from sage_rag.privacy.exceptions import KeysetError
from sage_rag.privacy.keyset import envelope
from sage_rag.privacy.keyset.envelope import Header
from sage_rag.privacy.keyset.keyset import Grant, Keyset
from sage_rag.privacy.keyset.raw import KeyMaterial, is_bare_keys
from sage_rag.privacy.keyset.register import Register

_MAX_FILE_BYTES = 1024 * 1024
_INSPECTED_BYTES = 64 * 1024


@dataclass(frozen=True, slots=True)
class StoredKeyset:
    """The content of a sealed file.

    `created`: ISO 8601. `label`: the reader of a grant. `grants`: the register of a keyset.
    """

    keyset: Keyset
    created: str
    label: str | None = None
    grants: Register = ()


class _Body(BaseModel):
    model_config = ConfigDict(strict=True, extra="forbid", hide_input_in_errors=True)
    material: KeyMaterial
    grants: Register = ()


def now() -> str:
    """Return the current time in ISO 8601, UTC, in seconds."""
    return datetime.now(UTC).isoformat(timespec="seconds")


def write_keyset(path: Path, keyset: Keyset, passphrase: str, *, label: str | None = None) -> None:
    """Seal a keyset or grant into a new file that only its owner can read.

    Raises:
        InputError: if the file exists or cannot be written; an existing keyset is never replaced.
        KeysetError: for an empty passphrase.
    """
    content = _seal(StoredKeyset(keyset, now(), label), passphrase)
    write_private(path, content)


def write_private(path: Path, content: str) -> None:
    """Write a new file of mode 0600 and sync it to the disk.

    Raises:
        InputError: if the file exists or cannot be written.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        create_file(path, content)
    except FileExistsError:
        raise InputError(
            f"`{path}` exists; a keyset is never overwritten",
            hint="choose another --out: without its keyset an index cannot be restored",
        ) from None
    except OSError as error:
        raise InputError(f"cannot write `{path}`: {error.strerror}") from None


def read_keyset(path: Path, passphrase: str) -> Keyset:
    """Open a sealed keyset or grant.

    Raises:
        KeysetError: if the file is missing, readable by others, damaged, or the passphrase wrong.
    """
    return read_stored(path, passphrase).keyset


def read_stored(path: Path, passphrase: str) -> StoredKeyset:
    """Open a sealed file and return all its content. Raises as `read_keyset` does."""
    header, body = envelope.unseal(read_private(path), passphrase, str(path))
    try:
        opened = _Body.model_validate_json(body)
        keyset = opened.material.keyset()
    except (ValidationError, KeysetError):
        keyset = None
    if keyset is None or _header(StoredKeyset(keyset, header.created, header.label)) != header:
        raise KeysetError(f"`{path}` is damaged", hint="restore it from a backup")
    return StoredKeyset(keyset, header.created, header.label, opened.grants)


def change_keyset(
    path: Path, passphrase: str, change: Callable[[StoredKeyset], StoredKeyset]
) -> StoredKeyset:
    """Replace the content of a sealed file by `change` of it; return the new content.

    The new content is written to a draft, opened as a check, and renamed over the old file: if
    the process is killed, the old or the new file is there, whole. No copy of the old file stays,
    since it would still contain a key that was deleted on purpose. Concurrent changes wait for
    each other.

    Raises:
        KeysetError: as `read_keyset`, and what `change` raises; the file is then unchanged.
        InputError: when the folder cannot be written.
    """
    path = path.resolve()
    draft = path.with_name(f".{path.name}.new")
    with ExitStack() as stack:
        try:
            stack.enter_context(locked(path.parent, wait=True))
        except OSError as error:
            raise KeysetError(f"cannot read keyset `{path}`: {error.strerror}") from None
        changed = change(read_stored(path, passphrase))
        try:
            with suppress(FileNotFoundError):
                draft.unlink()
            create_file(draft, _seal(changed, passphrase))
            if read_stored(draft, passphrase) != changed:
                raise KeysetError(f"`{path}` could not be rewritten; it is unchanged")
            draft.replace(path)
            sync_folder(path.parent)
        except OSError as error:
            raise InputError(f"cannot write `{path}`: {error.strerror}") from None
        finally:
            with suppress(OSError):
                draft.unlink()
    return changed


def describe_keyset(path: Path) -> dict[str, Any]:
    """Return the public part of a sealed file: no key, no register of grants.

    Format, kind, primary, key ids and creation time; of a grant also its types and label.
    """
    header = envelope.read_header(read_private(path), str(path))
    return header.model_dump(mode="json", exclude_none=True)


def is_keyset_file(path: Path) -> bool:
    """Return whether a file contains keys: sealed, exported, or bare keys and nothing else."""
    try:
        with path.open("rb") as file:
            content = file.read(_INSPECTED_BYTES)
    except OSError:
        return False
    return envelope.MARK.encode() in content or is_bare_keys(content.decode("latin-1"))


def read_private(path: Path) -> bytes:
    """Return the content of a file that no other user can read.

    Raises:
        KeysetError: if it is missing, readable by others or too long.
    """
    try:
        with path.open("rb") as file:
            if os.fstat(file.fileno()).st_mode & 0o077:
                raise KeysetError(f"`{path}` can be read by other users", hint=f"chmod 600 {path}")
            content = file.read(_MAX_FILE_BYTES + 1)
    except OSError as error:
        raise KeysetError(
            f"cannot read keyset `{path}`: {error.strerror}",
            hint="make one: sage-rag keys new --out FILE",
        ) from None
    if len(content) > _MAX_FILE_BYTES:
        raise KeysetError(f"`{path}` is too long for a keyset")
    return content


def _header(stored: StoredKeyset) -> Header:
    granted = isinstance(stored.keyset, Grant)
    is_signed = granted and stored.keyset.public_key(stored.keyset.primary) is not None
    return Header(
        format=envelope.FORMAT_SIGNED if is_signed else envelope.FORMAT,
        kind="grant" if granted else "keyset",
        primary=stored.keyset.primary,
        key_ids=stored.keyset.key_ids,
        types=tuple(sorted(stored.keyset.types)) if granted else None,
        created=stored.created,
        label=stored.label,
    )


def _seal(stored: StoredKeyset, passphrase: str) -> str:
    body = _Body(material=KeyMaterial.of(stored.keyset), grants=stored.grants)
    # Without `null`s an earlier sage-rag reads the keysets of this one.
    content = body.model_dump_json(exclude_none=True).encode()
    return envelope.seal(_header(stored), content, passphrase)
