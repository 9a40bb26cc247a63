"""A keyset: master keys by key id, one of them primary; a grant: some entity types of one."""

from __future__ import annotations

import hashlib
import hmac
import secrets
from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import NoReturn

from Crypto.Hash import SHA256
from Crypto.Protocol.KDF import HKDF

from sage_rag.privacy.entities import EntityType
from sage_rag.privacy.exceptions import KeysetError, NotGrantedError

KEY_BYTES = 32
KEY_ID_BYTES = 4
"""32 bits tell a handful of keys apart; a key id is public and authenticates nothing."""
_ENTITY = "entity/"
_ALL_TYPES = frozenset(EntityType)


class Keyset:
    """Hold master keys and derive subkeys from them. Immutable.

    Guarantees: `repr`, `str`, logs and pickles never hold key material.
    Does not guarantee: erasure from process memory.
    """

    __slots__ = ("_entity_key", "_keys", "_primary")

    _keys: Mapping[str, bytes | Mapping[EntityType, bytes]]

    def __init__(self, keys: Mapping[str, bytes], primary: str) -> None:
        for key_id, key in keys.items():
            if len(key) != KEY_BYTES or key_id != key_id_of(key):
                raise KeysetError("a key does not fit its key id", hint="the keyset is damaged")
        self._hold(dict(keys), primary)

    def _hold(self, keys: Mapping[str, bytes | Mapping[EntityType, bytes]], primary: str) -> None:
        if primary not in keys:
            raise KeysetError("the primary key is not in the keyset")
        self._keys = keys
        self._primary = primary
        self._entity_key = lru_cache(maxsize=512)(self._entity_key_uncached)

    @classmethod
    def generate(cls) -> Keyset:
        """Make a keyset with one fresh 256-bit key."""
        key = secrets.token_bytes(KEY_BYTES)
        return Keyset({key_id_of(key): key}, key_id_of(key))

    @property
    def primary(self) -> str:
        """The key id (8 hex digits) that new tokens carry."""
        return self._primary

    @property
    def key_ids(self) -> tuple[str, ...]:
        """All key ids, the primary first."""
        return (self._primary, *sorted(k for k in self._keys if k != self._primary))

    @property
    def types(self) -> frozenset[EntityType]:
        """The entity types whose values this keyset can hide and read."""
        return _ALL_TYPES

    def entity_key(
        self, key_id: str, entity_type: EntityType, *, purpose: str, size_bytes: int
    ) -> bytes:
        """Return the subkey of one entity type for one purpose: master → type → purpose.

        Each step is HKDF-SHA256, so that a grant of the type's key opens nothing else.

        Raises:
            KeysetError: for a key id that is not in the keyset.
            NotGrantedError: in a grant, for an entity type that it does not hold.
        """
        if entity_type not in self.types:
            raise NotGrantedError(f"this grant does not hold {entity_type}")
        self._require(key_id)
        return self._entity_key(key_id, entity_type, purpose, size_bytes)

    def derive(self, key_id: str, *, purpose: str, size_bytes: int) -> bytes:
        """Return the whole keyset's subkey for one purpose by HKDF-SHA256.

        Raises:
            KeysetError: for a key id that is not in the keyset; in a grant, always.
            ValueError: for a purpose that would be an entity type's key.
        """
        self._require(key_id)
        if purpose.startswith(_ENTITY):
            raise ValueError("keys of entity types come from `entity_key`")
        return _hkdf(self._master(key_id), purpose, size_bytes)

    def rotate(self) -> Keyset:
        """Return a keyset with a fresh primary; what the old keys sealed it still opens.

        Raises:
            KeysetError: in a grant: only who holds the whole keyset can rotate it.
        """
        fresh = Keyset.generate()
        while fresh.primary in self._keys:  # ids are short: 2^-32 a key
            fresh = Keyset.generate()
        return Keyset({**export_master_keys(self), **export_master_keys(fresh)}, fresh.primary)

    def without(self, key_id: str) -> Keyset:
        """Return the keyset without an old key: what only that key opens stays closed for good.

        Raises:
            KeysetError: for the primary, an unknown key id, or in a grant.
        """
        self._require(key_id)
        if key_id == self._primary:
            raise KeysetError(f"{key_id} is the primary key", hint="rotate first")
        keys = export_master_keys(self)
        del keys[key_id]
        return Keyset(keys, self._primary)

    def grant(
        self,
        types: Iterable[EntityType],
        *,
        key_ids: Iterable[str] | None = None,
        source: bool = True,
    ) -> Grant:
        """Return the keys of some entity types only: "may read names, not account numbers".

        `key_ids` chooses among the keyset's, by default all. LITERAL is always granted: it hides
        look-alikes of our markup, nothing private. SOURCE is granted unless `source` is false:
        citations name the owner's documents with it, and an answer without its sources is hard
        to check; leave it out where the names of documents tell something.

        Guarantees: a grant yields no key of another type, no other type's tokens and none of
        `derive`'s keys. It can be narrowed by its holder (who holds the keys could hand them on
        anyhow), never widened.
        Does not guarantee: that a grant ends (revoking it means new keys: rotate, then rekey); that
        it is of one corpus: it opens all that were made with these keys; that it only reads: its
        holder can make tokens and blind words of its types, which nobody can tell from the owner's.

        Raises:
            KeysetError: for key ids that this keyset does not hold.
            NotGrantedError: in a grant, for entity types that it does not hold.
        """
        wanted = {*types, EntityType.LITERAL}
        if source and EntityType.SOURCE in self.types:
            wanted.add(EntityType.SOURCE)
        if lacking := sorted(wanted - self.types):
            raise NotGrantedError(f"this grant does not hold {', '.join(lacking)}")
        chosen = self._chosen(key_ids)
        keys = {k: {t: self._type_key(k, t) for t in sorted(wanted)} for k in chosen}
        return Grant(keys, chosen[0])

    def _chosen(self, key_ids: Iterable[str] | None) -> tuple[str, ...]:
        """Return key ids in the keyset's order, so that its primary stays primary if it can."""
        wanted = set(self._keys if key_ids is None else key_ids)
        for key_id in sorted(wanted):
            self._require(key_id)
        if not wanted:
            raise KeysetError("a grant needs a key id")
        return tuple(k for k in self.key_ids if k in wanted)

    def _require(self, key_id: str) -> None:
        if key_id not in self._keys:
            raise KeysetError(f"key {key_id} is not in this keyset")

    def _master(self, key_id: str) -> bytes:
        key = self._keys[key_id]
        if not isinstance(key, bytes):
            raise KeysetError(
                "a grant of some entity types is not enough for this",
                hint="it takes the whole keyset, which the owner holds",
            )
        return key

    def _type_key(self, key_id: str, entity_type: EntityType) -> bytes:
        return _hkdf(self._master(key_id), f"{_ENTITY}{entity_type}", KEY_BYTES)

    def _entity_key_uncached(
        self, key_id: str, entity_type: EntityType, purpose: str, size_bytes: int
    ) -> bytes:
        return _hkdf(self._type_key(key_id, entity_type), purpose, size_bytes)

    def __contains__(self, key_id: object) -> bool:
        return key_id in self._keys

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Keyset):
            return NotImplemented
        same = (self.key_ids, self.types) == (other.key_ids, other.types)
        return same and hmac.compare_digest(_fingerprint(self), _fingerprint(other))

    def __hash__(self) -> int:
        return hash(self.key_ids)

    def __repr__(self) -> str:
        return f"Keyset(key_ids={list(self.key_ids)})"

    def __reduce__(self) -> NoReturn:
        raise TypeError("a keyset cannot be pickled: it must not leave this process by accident")


class Grant(Keyset):
    """A keyset that holds the keys of some entity types and no master key.

    `type_keys` maps key ids to the keys of entity types, the same types for every key id. Made by
    `Keyset.grant`, or read from a file.
    """

    __slots__ = ("_types",)

    _keys: Mapping[str, Mapping[EntityType, bytes]]

    def __init__(self, type_keys: Mapping[str, Mapping[EntityType, bytes]], primary: str) -> None:
        self._types = frozenset(t for keys in type_keys.values() for t in keys)
        for keys in type_keys.values():
            if keys.keys() != self._types or any(len(key) != KEY_BYTES for key in keys.values()):
                raise KeysetError("the keys of a grant do not fit", hint="the grant is damaged")
        self._hold({key_id: dict(keys) for key_id, keys in type_keys.items()}, primary)

    @property
    def types(self) -> frozenset[EntityType]:
        """The entity types whose values this grant can hide and read."""
        return self._types

    def _type_key(self, key_id: str, entity_type: EntityType) -> bytes:
        return self._keys[key_id][entity_type]

    def __repr__(self) -> str:
        return f"Grant(key_ids={list(self.key_ids)}, types={sorted(map(str, self._types))})"


def _hkdf(key: bytes, purpose: str, size_bytes: int) -> bytes:
    return HKDF(key, size_bytes, b"", SHA256, 1, f"sage-rag/1/{purpose}".encode())


def _fingerprint(keyset: Keyset) -> bytes:
    """Digest all keys, so that two keysets are compared in constant time."""
    digest = hashlib.sha256(type(keyset).__name__.encode())
    for key_id in keyset.key_ids:
        key = keyset._keys[key_id]
        parts = [key] if isinstance(key, bytes) else [key[t] for t in sorted(key)]
        digest.update(b"".join(parts))
    return digest.digest()


def key_id_of(key: bytes) -> str:
    """Return the public id of a master key: 8 hex digits of its SHA-256 under a fixed prefix."""
    return hashlib.sha256(b"sage-rag/1/key-id" + key).digest()[:KEY_ID_BYTES].hex()


def export_master_keys(keyset: Keyset) -> dict[str, bytes]:
    """Return the raw master keys. Every caller is a place to review.

    Raises:
        KeysetError: for a grant, which has none.
    """
    return {key_id: keyset._master(key_id) for key_id in keyset.key_ids}


def export_type_keys(grant: Grant) -> dict[str, dict[EntityType, bytes]]:
    """Return a grant's raw keys. Every caller is a place to review."""
    return {key_id: dict(grant._keys[key_id]) for key_id in grant.key_ids}
