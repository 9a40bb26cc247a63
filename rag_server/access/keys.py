"""API keys: made once, shown once, stored as hashes.

An API key is `sk-sage-ID-SECRET`. The ID is public; the secret has 256 random bits. The file holds
the SHA-256 of the whole key: a hash without salt or stretching is enough for a random secret of
this length, since it cannot be guessed.
"""

from __future__ import annotations

import hashlib
import hmac
import re
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from enum import StrEnum
from pathlib import Path
from typing import Literal

from pydantic import AwareDatetime, BaseModel, ConfigDict, Field, ValidationError

from sage_rag.common.exceptions import InputError
from sage_rag.common.files import locked, write_file

KEY = re.compile(r"sk-sage-([0-9a-f]{8})-[A-Za-z0-9_-]{43}")
_NO_HASH = "0" * 64


class Scope(StrEnum):
    """What a key allows: questions, scores of passages, the files of versions, metrics."""

    CHAT = "chat"
    RESEARCH = "research"
    INDEX = "index"
    ADMIN = "admin"


class ApiKey(BaseModel):
    """One key as it is stored.

    `requests_per_minute`, `tokens_per_day`, `expires`: `None` is no limit. `sha256` is in
    hexadecimal.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")
    id: str = Field(pattern=r"^[0-9a-f]{8}$")
    name: str = Field(min_length=1, max_length=80)
    scopes: frozenset[Scope]
    sha256: str = Field(repr=False, pattern=r"^[0-9a-f]{64}$")
    created: str
    requests_per_minute: int | None = Field(None, ge=1)
    tokens_per_day: int | None = Field(None, ge=1)
    expires: AwareDatetime | None = None

    @property
    def has_expired(self) -> bool:
        """Whether the key is accepted no longer."""
        return self.expires is not None and datetime.now(UTC) >= self.expires


class _KeyFile(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")
    format: Literal["sage-rag-api-keys-1"] = "sage-rag-api-keys-1"
    keys: tuple[ApiKey, ...] = ()


def default_file(home: Path) -> Path:
    """Return the file of API keys in a home folder."""
    return home / "access" / "tokens.json"


def make_key(
    name: str,
    scopes: frozenset[Scope],
    *,
    requests_per_minute: int | None = None,
    tokens_per_day: int | None = None,
    expires: datetime | None = None,
) -> tuple[str, ApiKey]:
    """Return a new key in clear, and as it is stored.

    Raises:
        InputError: when name, scopes or limits cannot be used.
    """
    if not scopes:
        raise InputError("an API key needs a scope", hint=f"one of {', '.join(Scope)}")
    if not name.isprintable() or name != name.strip():
        raise InputError("the name of an API key is one line of printable characters")
    key_id = secrets.token_hex(4)
    plain = f"sk-sage-{key_id}-{secrets.token_urlsafe(32)}"
    try:
        stored = ApiKey(
            id=key_id,
            name=name,
            scopes=scopes,
            sha256=_hash(plain),
            created=datetime.now(UTC).isoformat(timespec="seconds"),
            requests_per_minute=requests_per_minute,
            tokens_per_day=tokens_per_day,
            expires=expires,
        )
    except ValidationError as error:
        first = error.errors(include_input=False)[0]
        raise InputError(f"`{first['loc'][0]}` of an API key: {first['msg']}") from None
    return plain, stored


def read_keys(file: Path) -> tuple[ApiKey, ...]:
    """Return the keys in a file; empty where there is no file.

    Raises:
        InputError: when it cannot be read, or is not a file of API keys.
    """
    try:
        return _KeyFile.model_validate_json(file.read_bytes()).keys
    except FileNotFoundError:
        return ()
    except OSError as error:
        raise InputError(f"cannot read the API keys in `{file}`: {error.strerror}") from None
    except ValidationError:
        raise InputError(f"`{file}` is not a file of API keys") from None


def add_key(file: Path, key: ApiKey) -> None:
    """Add a key to a file."""
    with _changing(file):
        _write(file, (*read_keys(file), key))


def revoke_key(file: Path, id_or_name: str) -> ApiKey:
    """Remove a key from a file and return it.

    Raises:
        InputError: unless exactly one key has this id or name.
    """
    with _changing(file):
        keys = read_keys(file)
        found = [key for key in keys if id_or_name in (key.id, key.name)]
        if len(found) != 1:
            count = "no API key has" if not found else f"{len(found)} API keys have"
            raise InputError(f"{count} this id or name", hint="`sage-rag token list` lists the ids")
        _write(file, tuple(key for key in keys if key is not found[0]))
        return found[0]


class KeyFile:
    """The keys of a running service, read again when the file changes.

    Guarantees: the time of a comparison does not depend on how much of a key is right; a key that
    was removed from the file, or has expired, is refused from the next request on.
    """

    def __init__(self, file: Path) -> None:
        self._file = file
        self._state: tuple[int, int, int] | None = None
        self._keys: dict[str, ApiKey] = {}

    def __len__(self) -> int:
        return len(self._current())

    def find(self, presented: str) -> ApiKey | None:
        """Return the stored key that a client presents.

        Raises:
            InputError: when the file cannot be read; then no key is accepted.
        """
        match = KEY.fullmatch(presented)
        key = self._current().get(match.group(1)) if match else None
        expected = key.sha256 if key else _NO_HASH
        same = hmac.compare_digest(_hash(presented), expected)
        return key if same and key is not None and not key.has_expired else None

    def _current(self) -> dict[str, ApiKey]:
        try:
            stat = self._file.stat()
            state = (stat.st_ino, stat.st_mtime_ns, stat.st_size)
        except OSError:
            state = None
        if state is None or state != self._state:
            self._keys = {key.id: key for key in read_keys(self._file)}
            self._state = state
        return self._keys


def _hash(key: str) -> str:
    return hashlib.sha256(key.encode("utf-8", "replace")).hexdigest()


def _write(file: Path, keys: tuple[ApiKey, ...]) -> None:
    write_file(file, _KeyFile(keys=keys).model_dump_json(indent=2) + "\n")


@contextmanager
def _changing(file: Path) -> Iterator[None]:
    """Hold the lock of a file of keys, so that two commands do not undo each other's change."""
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        with locked(file.parent / f".{file.name}.lock", create=True, wait=True):
            yield
    except OSError as error:
        raise InputError(f"cannot write API keys to `{file}`: {error.strerror}") from None
