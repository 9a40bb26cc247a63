"""Signatures: the published vectors, a pinned derivation, and what a grant can do with them."""

from __future__ import annotations

import hashlib
import hmac

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sage_rag.privacy.entities import EntityType
from sage_rag.privacy.exceptions import KeysetError
from sage_rag.privacy.keyset import signatures
from sage_rag.privacy.keyset.keyset import Grant, Keyset, export_type_keys, key_id_of

KEY = bytes(range(32))
PINNED = Keyset({key_id_of(KEY): KEY}, key_id_of(KEY))
KEYSET = Keyset.generate().rotate()
SEED = "0305334e381af78f141cb666f6199f57bc3495335a256a95bd2a55bf546663f6"
PUBLIC = "dfc9425e4f968f7f0c29f0259cf5f9aed6851c2bb4ad8bfb860cfee0ab248292"
FIRST = "f726936d19c800494e3fdaff20b276a8"
VECTORS = [
    (
        *(SEED, PUBLIC, FIRST, b"foo"),
        "55a4cc2f70a54e04288c5f4cd1e45a7bb520b36292911876cada7323198dd87a"
        "8b36950b95130022907a7fb7c4e9b2d5f6cca685a587b4b21f4b888e4e7edb0d",
    ),
    (
        *(SEED, PUBLIC, FIRST, b"bar"),
        "fc60d5872fc46b3aa69f8b5b4351d5808f92bcc044606db097abab6dbcb1aee3"
        "216c48e8b3b66431b5b186d1d28f8ee15a5ca2df6668346291c2043d4eb3e90d",
    ),
    (
        *(SEED, PUBLIC, "508e9e6882b979fea900f62adceaca35", b"foo"),
        "8b70c1cc8310e1de20ac53ce28ae6e7207f33c3295e03bb5c0732a1d20dc6490"
        "8922a8b052cf99b7c4fe107a5abb5b2c4085ae75890d02df26269d8945f84b0b",
    ),
    (
        "ab9c2853ce297ddab85c993b3ae14bcad39b2c682beabc27d6d4eb20711d6560",
        "0f1d1274943b91415889152e893d80e93275a1fc0b65fd71b4b0dda10ad7d772",
        *(FIRST, b"foo"),
        "21655b5f1aa965996b3f97b3c849eafba922a0a62992f73b3d1b73106a84ad85"
        "e9b86a7b6005ea868337ff2d20a7f5fbd4cd10b0be49a68da2b2e0dc0ad8960f",
    ),
]
"""Ed25519ctx. Source: RFC 8032, §7.2."""


@pytest.mark.parametrize(("seed", "public", "message", "context", "signature"), VECTORS)
def test_published_vectors(
    seed: str, public: str, message: str, context: bytes, signature: str
) -> None:
    signed, key = bytes.fromhex(message), bytes.fromhex(public)
    assert signatures.public_key(bytes.fromhex(seed)) == key
    assert signatures.sign(bytes.fromhex(seed), signed, context).hex() == signature
    assert signatures.is_signed(key, signed, bytes.fromhex(signature), context)
    assert not signatures.is_signed(key, signed, bytes.fromhex(signature), context + b"x")


def test_the_seed_is_derived_as_it_always_was() -> None:
    """Pinned: with another derivation, every grant would refuse every lookup.

    Source: HKDF (RFC 5869) over HMAC of the standard library.
    """
    extracted = hmac.digest(bytes(32), KEY, hashlib.sha256)
    seed = hmac.digest(extracted, b"sage-rag/1/signing\x01", hashlib.sha256)
    expected = signatures.public_key(seed)
    assert PINNED.public_key(PINNED.primary) == expected
    assert expected.hex() == "3aabc4e11957e315e47039cadd9a0dac082c6ee830b692543c53ab629d392970"
    assert PINNED.sign(b"m", context=b"c") == signatures.sign(seed, b"m", b"c")


@settings(deadline=None, max_examples=60)
@given(st.binary(max_size=80), st.data())
def test_a_signature_of_the_owner_is_checked_with_a_grant_and_any_change_is_found(
    message: bytes, data: st.DataObject
) -> None:
    grant = KEYSET.grant([EntityType.PERSON])
    signature = KEYSET.sign(message, context=b"c")
    primary, old = KEYSET.key_ids
    for holder in (KEYSET, grant):
        assert holder.has_signed(primary, message, signature, context=b"c")
        assert not holder.has_signed(old, message, signature, context=b"c")
        assert not holder.has_signed(primary, message + b"x", signature, context=b"c")
        assert not holder.has_signed(primary, message, signature, context=b"d")
        at = data.draw(st.integers(0, 63))
        bit = 1 << data.draw(st.integers(0, 7))
        changed = signature[:at] + bytes([signature[at] ^ bit]) + signature[at + 1 :]
        assert not holder.has_signed(primary, message, changed, context=b"c")
        cut = signature[: data.draw(st.integers(0, 63))]
        assert not holder.has_signed(primary, message, cut, context=b"c")


@settings(deadline=None, max_examples=40)
@given(st.sets(st.sampled_from(EntityType)), st.binary(max_size=20))
def test_no_grant_signs_and_no_key_of_it_is_the_seed(
    types: set[EntityType], message: bytes
) -> None:
    grant = KEYSET.grant(types)
    with pytest.raises(KeysetError):
        grant.sign(message, context=b"c")
    for key_id, keys in export_type_keys(grant).items():
        public = grant.public_key(key_id)
        derived = {
            grant.entity_key(key_id, t, purpose=p, size_bytes=32)
            for t in keys
            for p in ("signing", "sage-rag/1/signing", "lookup", "")
        }
        for candidate in {*keys.values(), *derived, public}:
            assert isinstance(candidate, bytes)
            assert candidate != KEYSET._seed(key_id)
            assert signatures.public_key(candidate) != public
            forged = signatures.sign(candidate, message, b"c")
            assert not KEYSET.has_signed(key_id, message, forged, context=b"c")


def test_the_seed_is_not_to_be_had_as_a_purpose() -> None:
    with pytest.raises(ValueError, match="sign"):
        KEYSET.derive(KEYSET.primary, purpose="signing", size_bytes=32)


def test_each_key_has_a_public_key_of_its_own_which_narrower_grants_keep() -> None:
    public = {key_id: KEYSET.public_key(key_id) for key_id in KEYSET.key_ids}
    assert len(set(public.values())) == 2
    grant = KEYSET.grant([EntityType.PERSON, EntityType.AGE])
    for holder in (grant, grant.grant([EntityType.AGE]), grant.grant([], key_ids=[KEYSET.primary])):
        assert {k: holder.public_key(k) for k in holder.key_ids} == {
            k: public[k] for k in holder.key_ids
        }
    with pytest.raises(KeysetError, match="not in this keyset"):
        grant.public_key("00000000")


def test_a_grant_of_an_earlier_version_checks_nothing() -> None:
    grant = KEYSET.grant([EntityType.PERSON])
    earlier = Grant(export_type_keys(grant), grant.primary)
    signature = KEYSET.sign(b"m", context=b"c")
    assert earlier.public_key(KEYSET.primary) is None
    assert not earlier.has_signed(KEYSET.primary, b"m", signature, context=b"c")
    assert earlier.grant([EntityType.PERSON]) == earlier != grant


NO_POINTS = [b"", bytes(31), bytes(33), b"\xff" * 32, b"\x02" + bytes(31), b"\x01" + b"\x00" * 30]


@pytest.mark.parametrize("raw", [*NO_POINTS, b"\xee" + b"\xff" * 30 + b"\x7f"])
def test_what_is_no_public_key_is_refused(raw: bytes) -> None:
    assert not signatures.is_public_key(raw)
    keys = export_type_keys(KEYSET.grant([EntityType.PERSON], key_ids=[KEYSET.primary]))
    with pytest.raises(KeysetError, match="do not fit"):
        Grant(keys, KEYSET.primary, {KEYSET.primary: raw})


def test_public_keys_of_other_keys_are_refused() -> None:
    keys = export_type_keys(KEYSET.grant([EntityType.PERSON]))
    public = KEYSET.public_key(KEYSET.primary)
    assert public is not None
    for given_keys in ({}, {KEYSET.primary: public}, {**dict.fromkeys(keys, public), "0": public}):
        with pytest.raises(KeysetError, match="do not fit"):
            Grant(keys, KEYSET.primary, given_keys)
