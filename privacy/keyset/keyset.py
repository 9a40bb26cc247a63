"""Keysets (master keys by key id, one of them primary) and grants (keys of some entity types)."""

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
from sage_rag.privacy.keyset import signatures

KEY_BYTES = 32
KEY_ID_BYTES = 4
"""32 bits distinguish a handful of keys; a key id is public and authenticates nothing."""
_ENTITY = "entity/"
_SIGNING = "signing"
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
        """Return a keyset with one new 256-bit key."""
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

        Each step is HKDF-SHA256, so that a granted type key opens no other type.

        Raises:
            KeysetError: for a key id that is not in the keyset.
            NotGrantedError: in a grant, for an entity type that is not granted.
        """
        if entity_type not in self.types:
            raise NotGrantedError(f"this grant does not include {entity_type}")
        self._require(key_id)
        return self._entity_key(key_id, entity_type, purpose, size_bytes)

    def derive(self, key_id: str, *, purpose: str, size_bytes: int) -> bytes:
        """Return the whole keyset's subkey for one purpose by HKDF-SHA256.

        Raises:
            KeysetError: for a key id that is not in the keyset; in a grant, always.
            ValueError: for a purpose that names the key of an entity type, or that of signatures.
        """
        self._require(key_id)
        if purpose.startswith(_ENTITY):
            raise ValueError("keys of entity types come from `entity_key`")
        if purpose == _SIGNING:
            raise ValueError("`sign` alone uses the seed of signatures")
        return _hkdf(self._master(key_id), purpose, size_bytes)

    def sign(self, message: bytes, *, context: bytes) -> bytes:
        """Return the owner's Ed25519 signature of a message under the primary key.

        `context`: what kind of message it is; a signature of one kind does not count for another.

        Raises:
            KeysetError: in a grant, always: it holds no seed, and no key from which one follows.
        """
        return signatures.sign(self._seed(self._primary), message, context)

    def has_signed(self, key_id: str, message: bytes, signature: bytes, *, context: bytes) -> bool:
        """Return whether the owner signed a message under one key, for this context.

        `False`, too, in a grant without public keys.

        Raises:
            KeysetError: for a key id that is not in the keyset.
        """
        public = self.public_key(key_id)
        return public is not None and signatures.is_signed(public, message, signature, context)

    def public_key(self, key_id: str) -> bytes | None:
        """Return the public key that checks the owner's signatures under one key.

        `None` in a grant that an earlier sage-rag made.

        Raises:
            KeysetError: for a key id that is not in the keyset.
        """
        self._require(key_id)
        return signatures.public_key(self._seed(key_id))

    def rotate(self) -> Keyset:
        """Return a keyset with a new primary key; it still opens tokens of the old keys.

        Raises:
            KeysetError: in a grant: rotating needs the whole keyset.
        """
        fresh = Keyset.generate()
        while fresh.primary in self._keys:  # key ids are short: a chance of 2^-32 per key
            fresh = Keyset.generate()
        return Keyset({**export_master_keys(self), **export_master_keys(fresh)}, fresh.primary)

    def without(self, key_id: str) -> Keyset:
        """Return the keyset without an old key: its tokens can never be opened again.

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

        `key_ids` selects keys of the keyset, by default all. LITERAL is always granted: it hides
        text that imitates our markup, nothing private. SOURCE is granted unless `source` is false:
        citations name the owner's documents with it, and an answer without its sources is hard
        to check. Leave it out where the names of documents are private.

        Guarantees: a grant yields no key of another type, no token of another type, no key of
        `derive` and no signature; it contains the public keys that check the owner's signatures.
        Its holder can make a narrower grant of it (and could pass on the keys anyway), never a
        wider one.
        Does not guarantee: that a grant ends (to end it, rotate and rekey); that it is limited to
        one corpus: it opens all corpora made with these keys; that it only reads: its holder can
        make tokens and blind words of its types, which look the same as the owner's.

        Raises:
            KeysetError: for key ids that this keyset does not hold.
            NotGrantedError: in a grant, for entity types that are not granted.
        """
        wanted = {*types, EntityType.LITERAL}
        if source and EntityType.SOURCE in self.types:
            wanted.add(EntityType.SOURCE)
        if lacking := sorted(wanted - self.types):
            raise NotGrantedError(f"this grant does not include {', '.join(lacking)}")
        chosen = self._chosen(key_ids)
        keys = {k: {t: self._type_key(k, t) for t in sorted(wanted)} for k in chosen}
        public = {k: key for k in chosen if (key := self.public_key(k)) is not None}
        return Grant(keys, chosen[0], public or None)

    def _chosen(self, key_ids: Iterable[str] | None) -> tuple[str, ...]:
        """Return the selected key ids in the keyset's order: its primary key comes first."""
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
                hint="this needs the whole keyset, which the owner has",
            )
        return key

    def _type_key(self, key_id: str, entity_type: EntityType) -> bytes:
        return _hkdf(self._master(key_id), f"{_ENTITY}{entity_type}", KEY_BYTES)

    def _seed(self, key_id: str) -> bytes:
        return _hkdf(self._master(key_id), _SIGNING, signatures.SEED_BYTES)

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
        raise TypeError("a keyset cannot be pickled: it must stay in this process")


class Grant(Keyset):
    """A keyset with the keys of some entity types and no master key.

    `type_keys` maps key ids to keys by entity type, with the same types for every key id;
    `public_keys` maps the same key ids to the keys that check the owner's signatures, and is `None`
    in a grant of an earlier sage-rag. Made by `Keyset.grant`, or read from a file.
    """

    __slots__ = ("_public", "_types")

    _keys: Mapping[str, Mapping[EntityType, bytes]]

    def __init__(
        self,
        type_keys: Mapping[str, Mapping[EntityType, bytes]],
        primary: str,
        public_keys: Mapping[str, bytes] | None = None,
    ) -> None:
        self._types = frozenset(t for keys in type_keys.values() for t in keys)
        self._public = dict(public_keys or {})
        fits = all(
            keys.keys() == self._types and all(len(key) == KEY_BYTES for key in keys.values())
            for keys in type_keys.values()
        )
        if public_keys is not None:
            fits &= public_keys.keys() == type_keys.keys()
            fits &= all(map(signatures.is_public_key, public_keys.values()))
        if not fits:
            raise KeysetError("the keys of a grant do not fit", hint="the grant is damaged")
        self._hold({key_id: dict(keys) for key_id, keys in type_keys.items()}, primary)

    @property
    def types(self) -> frozenset[EntityType]:
        """The entity types whose values this grant can hide and read."""
        return self._types

    def public_key(self, key_id: str) -> bytes | None:
        """Return the public key of one key, as in `Keyset`."""
        self._require(key_id)
        return self._public.get(key_id)

    def _type_key(self, key_id: str, entity_type: EntityType) -> bytes:
        return self._keys[key_id][entity_type]

    def __repr__(self) -> str:
        return f"Grant(key_ids={list(self.key_ids)}, types={sorted(map(str, self._types))})"


def _hkdf(key: bytes, purpose: str, size_bytes: int) -> bytes:
    return HKDF(key, size_bytes, b"", SHA256, 1, f"sage-rag/1/{purpose}".encode())


def _fingerprint(keyset: Keyset) -> bytes:
    """Return a digest of all keys, for comparing two keysets in constant time."""
    digest = hashlib.sha256(type(keyset).__name__.encode())
    for key_id in keyset.key_ids:
        key = keyset._keys[key_id]
        parts = [key] if isinstance(key, bytes) else [key[t] for t in sorted(key)]
        if isinstance(keyset, Grant):
            parts.append(keyset.public_key(key_id) or b"")
        digest.update(b"".join(parts))
    return digest.digest()


def key_id_of(key: bytes) -> str:
    """Return the public id of a master key: 8 hex digits of its SHA-256 under a fixed prefix."""
    return hashlib.sha256(b"sage-rag/1/key-id" + key).digest()[:KEY_ID_BYTES].hex()


def export_master_keys(keyset: Keyset) -> dict[str, bytes]:
    """Return the raw master keys. Review every caller.

    Raises:
        KeysetError: for a grant, which has no master keys.
    """
    return {key_id: keyset._master(key_id) for key_id in keyset.key_ids}


def export_type_keys(grant: Grant) -> dict[str, dict[EntityType, bytes]]:
    """Return a grant's raw keys. Review every caller."""
    return {key_id: dict(grant._keys[key_id]) for key_id in grant.key_ids}


def export_public_keys(grant: Grant) -> dict[str, bytes]:
    """Return the public keys of a grant by key id; empty for one of an earlier sage-rag."""
    found = {key_id: grant.public_key(key_id) for key_id in grant.key_ids}
    return {key_id: key for key_id, key in found.items() if key is not None}
