"""A keyset: master keys by key id, one of them primary."""

from __future__ import annotations

import hashlib
import hmac
import secrets
from collections.abc import Mapping
from functools import lru_cache
from typing import NoReturn

from Crypto.Hash import SHA256
from Crypto.Protocol.KDF import HKDF

from privacy.entities import EntityType
from privacy.exceptions import KeysetError

KEY_BYTES = 32
KEY_ID_BYTES = 4
"""32 bits tell a handful of keys apart; a key id is public and authenticates nothing."""


class Keyset:
    """Hold master keys and derive subkeys from them.

    Guarantees: `repr`, `str`, logs and pickles never hold key material.
    Does not guarantee: erasure from process memory.
    """

    __slots__ = ("_derive", "_keys", "_primary")

    def __init__(self, keys: Mapping[str, bytes], primary: str) -> None:
        if primary not in keys:
            raise KeysetError("the primary key is not in the keyset")
        for key_id, key in keys.items():
            if len(key) != KEY_BYTES or key_id != key_id_of(key):
                raise KeysetError("a key does not fit its key id", hint="the keyset is damaged")
        self._keys = dict(keys)
        self._primary = primary
        self._derive = lru_cache(maxsize=256)(self._derive_uncached)

    @classmethod
    def generate(cls) -> Keyset:
        """Make a keyset with one fresh 256-bit key."""
        key = secrets.token_bytes(KEY_BYTES)
        return cls({key_id_of(key): key}, key_id_of(key))

    @property
    def primary(self) -> str:
        """The key id (8 hex digits) that new tokens carry."""
        return self._primary

    @property
    def key_ids(self) -> tuple[str, ...]:
        """All key ids, the primary first."""
        return (self._primary, *sorted(k for k in self._keys if k != self._primary))

    def entity_key(
        self, key_id: str, entity_type: EntityType, *, purpose: str, size_bytes: int
    ) -> bytes:
        """Return the subkey of one entity type for one purpose: master → type → purpose.

        Each step is HKDF-SHA256, so that a grant of the type's key opens nothing else.

        Raises:
            KeysetError: for a key id or an entity type that is not in the keyset.
        """
        type_key = self.derive(key_id, purpose=f"entity/{entity_type}", size_bytes=KEY_BYTES)
        return _hkdf(type_key, purpose, size_bytes)

    def derive(self, key_id: str, *, purpose: str, size_bytes: int) -> bytes:
        """Return the subkey for one purpose by HKDF-SHA256.

        Raises:
            KeysetError: for a key id that is not in the keyset.
        """
        if key_id not in self._keys:
            raise KeysetError(f"key {key_id} is not in this keyset")
        return self._derive(key_id, purpose, size_bytes)

    def _derive_uncached(self, key_id: str, purpose: str, size_bytes: int) -> bytes:
        return _hkdf(self._keys[key_id], purpose, size_bytes)

    def __contains__(self, key_id: object) -> bool:
        return key_id in self._keys

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Keyset) or self.key_ids != other.key_ids:
            return NotImplemented if not isinstance(other, Keyset) else False
        return all(hmac.compare_digest(self._keys[k], other._keys[k]) for k in self._keys)

    def __hash__(self) -> int:
        return hash(self.key_ids)

    def __repr__(self) -> str:
        return f"Keyset(key_ids={list(self.key_ids)})"

    def __reduce__(self) -> NoReturn:
        raise TypeError("a keyset cannot be pickled: it must not leave this process by accident")


def _hkdf(key: bytes, purpose: str, size_bytes: int) -> bytes:
    return HKDF(key, size_bytes, b"", SHA256, 1, f"sage-rag/1/{purpose}".encode())


def key_id_of(key: bytes) -> str:
    """Return the public id of a master key: 8 hex digits of its SHA-256 under a fixed prefix."""
    return hashlib.sha256(b"sage-rag/1/key-id" + key).digest()[:KEY_ID_BYTES].hex()


def export_master_keys(keyset: Keyset) -> dict[str, bytes]:
    """Return the raw master keys. Every caller is a place to review."""
    return dict(keyset._keys)
