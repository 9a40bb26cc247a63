"""The file of what a restarted edge still knows: values that it restored, policies, versions."""

from __future__ import annotations

import json
import secrets
from collections.abc import Iterator
from pathlib import Path
from typing import Literal, NamedTuple

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from sage_rag.common.exceptions import InputError, ProtectionError
from sage_rag.common.ledger import StageLedger
from sage_rag.privacy.entities import EntityType
from sage_rag.privacy.exceptions import KeysetError
from sage_rag.privacy.keyset.keyset import Keyset
from sage_rag.privacy.policy import Policy

_VERSION = 1
_SCHEMA = (
    "CREATE TABLE IF NOT EXISTS shown (row INTEGER PRIMARY KEY, key_id TEXT NOT NULL,"
    " entity_type TEXT NOT NULL, sealed BLOB NOT NULL);"
    "CREATE TABLE IF NOT EXISTS policies (corpus TEXT PRIMARY KEY, policy TEXT NOT NULL);"
    "CREATE TABLE IF NOT EXISTS signed_versions (corpus TEXT PRIMARY KEY, version INTEGER NOT NULL,"
    " key_id TEXT NOT NULL);"
)
"""An earlier sage-rag kept the numbers of lookups that were not signed in a table `versions`, which
is not read: a holder of a grant may have said them, and every signed lookup is newer."""
_FORMAT = "sage-rag-shown-1"
_KEY_BYTES = 32
_NONCE_BYTES = 12


class Seen(NamedTuple):
    """A version whose lookup was used: its number, and the key of the keyset that sealed it.

    `key`: `any` where the user accepted an older version: then the number alone decides.
    """

    number: int = 0
    key: Literal["primary", "old", "any"] = "any"

    def is_newer_than(self, other: Seen) -> bool:
        """Return whether this was published after the other one.

        After keys were rotated, no version is published under an old key: who makes its lookup
        holds a grant that was revoked.
        """
        if {self.key, other.key} == {"primary", "old"}:
            return self.key == "primary"
        return self.number > other.number


class MemoryFile(StageLedger):
    """Values with their types, each sealed under the key of its type; policies of indexes, and the
    newest version seen of each.

    Several edges may share it.

    Guarantees: `append` returns after the value is in the file, and another edge reads it from
    then on; a process that is killed loses nothing; without a key no one reads or changes a value.
    Does not guarantee: the values of the last seconds before a power failure; hiding how many
    values of which types and lengths there are, and names, policies and versions of corpora; that
    no row was removed, and no policy or version changed.
    """

    _title = "the memory of restored values"
    _open_hint = (
        "move it away to start again; the edge then does not recognise the names in earlier"
        " conversations, so begin new ones"
    )
    _old_hint = _open_hint
    _write_hint = "free some disk space; values that cannot be remembered are not restored"
    _access_hint = "let this user write the file and its folder, or give another --memory FILE"

    def __init__(self, path: Path, keyset: Keyset) -> None:
        """Open or make the file.

        Raises:
            InputError: when it cannot be used.
        """
        super().__init__(path, (), version=_VERSION, schema=_SCHEMA)
        self._keyset = keyset
        self._read = 0
        self._change = -1

    def append(self, value: str, entity_type: EntityType) -> None:
        """Store a value.

        Raises:
            ProtectionError: when it cannot be written.
        """
        row = (self._keyset.primary, entity_type, self._sealed(value, entity_type))
        self._put("INSERT INTO shown (key_id, entity_type, sealed) VALUES (?, ?, ?)", row)

    def news(self) -> Iterator[tuple[str, EntityType]]:
        """Yield the values that were stored since the last call, at first all of them.

        Values under an old key are sealed again under the primary one, so that the old key can be
        removed from the keyset.

        Raises:
            ProtectionError: for a value that the keyset does not open, or a damaged file.
        """
        try:
            yield from self._news()
        except InputError as error:
            raise ProtectionError(error.message, hint=error.hint) from None

    def _news(self) -> Iterator[tuple[str, EntityType]]:
        (change,) = self._one("PRAGMA data_version", ()) or (0,)
        if change == self._change:
            return  # what this edge appended, it knows
        statement = "SELECT row, key_id, entity_type, sealed FROM shown WHERE row > ? ORDER BY row"
        for row, key_id, named, sealed in self._all(statement, (self._read,)):
            value, entity_type = self._opened(key_id, named, sealed)
            if key_id != self._keyset.primary:
                again = (self._keyset.primary, self._sealed(value, entity_type), row)
                self._write("UPDATE shown SET key_id = ?, sealed = ? WHERE row = ?", again)
            yield value, entity_type
            self._read = row
        self._change = change

    def keep_policy(self, corpus: str, policy: Policy) -> None:
        """Store the policy that the index of a corpus said, in place of an earlier one.

        Raises:
            ProtectionError: when it cannot be written.
        """
        self._put("REPLACE INTO policies VALUES (?, ?)", (corpus, json.dumps(policy.to_json())))

    def policies(self) -> list[tuple[str, Policy]]:
        """Return the stored policies by corpus, the oldest first.

        Raises:
            ProtectionError: for a damaged file.
        """
        try:
            rows = self._all("SELECT corpus, policy FROM policies ORDER BY rowid")
            return [(corpus, Policy.from_json(json.loads(policy))) for corpus, policy in rows]
        except InputError as error:
            raise ProtectionError(error.message, hint=error.hint) from None
        except (LookupError, TypeError, ValueError, AttributeError):
            raise ProtectionError(
                f"{self._title} `{self._path}` holds a damaged policy", hint=self._open_hint
            ) from None

    def newest(self, corpus: str) -> Seen:
        """Return the newest version of a corpus that an edge saw with this keyset.

        A version under a key that the keyset no longer has does not count: its corpus was made
        with another keyset, or that version can no longer be opened.

        Raises:
            ProtectionError: when it cannot be read.
        """
        statement = "SELECT version, key_id FROM signed_versions WHERE corpus = ?"
        try:
            row = self._one(statement, (corpus,))
        except InputError as error:
            raise ProtectionError(error.message, hint=error.hint) from None
        number, key_id = row or (0, "")
        if key_id and key_id not in self._keyset:
            return Seen()
        if not key_id:
            return Seen(int(number))
        return Seen(int(number), "primary" if key_id == self._keyset.primary else "old")

    def keep_version(self, corpus: str, version: int, key_id: str) -> None:
        """Store the newest version of a corpus that was seen, and the key of its lookup.

        Raises:
            ProtectionError: when it cannot be written.
        """
        self._put("REPLACE INTO signed_versions VALUES (?, ?, ?)", (corpus, version, key_id))

    def lower_version(self, corpus: str, version: int) -> None:
        """Lower the newest version of a corpus that was seen to this one, under any key.

        Raises:
            ProtectionError: when it cannot be written.
        """
        statement = (
            "UPDATE signed_versions SET version = min(version, ?), key_id = '' WHERE corpus = ?"
        )
        self._put(statement, (version, corpus))

    def _put(self, statement: str, row: tuple[object, ...]) -> None:
        try:
            self._write(statement, row)
        except InputError as error:
            raise ProtectionError(error.message, hint=error.hint) from None

    def _sealed(self, value: str, entity_type: EntityType) -> bytes:
        key_id, nonce = self._keyset.primary, secrets.token_bytes(_NONCE_BYTES)
        plain = value.encode("utf-8", "surrogatepass")
        sealed = self._cipher(key_id, entity_type).encrypt(nonce, plain, _bound(entity_type))
        return nonce + sealed

    def _opened(self, key_id: str, named: str, sealed: bytes) -> tuple[str, EntityType]:
        try:
            entity_type = EntityType(named)
            nonce, rest = sealed[:_NONCE_BYTES], sealed[_NONCE_BYTES:]
            plain = self._cipher(key_id, entity_type).decrypt(nonce, rest, _bound(entity_type))
            return plain.decode("utf-8", "surrogatepass"), entity_type
        except (InvalidTag, KeysetError, TypeError, ValueError):
            raise ProtectionError(
                f"{self._title} `{self._path}` is damaged, or of another keyset",
                hint=f"give the keyset that it was made with; or {self._open_hint}",
            ) from None

    def _cipher(self, key_id: str, entity_type: EntityType) -> AESGCM:
        purpose, size_bytes = "shown-value", _KEY_BYTES
        return AESGCM(
            self._keyset.entity_key(key_id, entity_type, purpose=purpose, size_bytes=size_bytes)
        )


def _bound(entity_type: EntityType) -> bytes:
    return f"{_FORMAT}/{entity_type}".encode()
