"""The seal of a lookup: only the owner makes one, every holder of a key opens it."""

from __future__ import annotations

import hashlib
from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sage_rag.privacy import lookup_seal
from sage_rag.privacy.entities import EntityType
from sage_rag.privacy.exceptions import DecryptionError, KeysetError, UnsignedError
from sage_rag.privacy.keyset import signatures
from sage_rag.privacy.keyset.keyset import Keyset, export_type_keys, key_id_of
from sage_rag.privacy.lookup import ORDINARY, Lookup
from sage_rag.privacy.lookup_seal import SealedLookup
from sage_rag.privacy.policy import preset
from sage_rag.privacy.testing import forged_lookup, grant_without_public_keys

KEYS = Keyset.generate().rotate()
GRANT = KEYS.grant([EntityType.PERSON])
EARLIER = grant_without_public_keys(GRANT)
HOLDERS = (KEYS, GRANT)
LOOKUP = Lookup({"gout": 1}, policy=preset("court"), version=7)
SEALED = LOOKUP.seal(KEYS, "clinic")
EVIL = Lookup({"lindqvist": ORDINARY}, policy=preset("soe-pl"), version=900_000)
KEY = bytes(range(32))


def refused(sealed: bytes, corpus: str = "clinic") -> None:
    for holder in (*HOLDERS, EARLIER):
        with pytest.raises(DecryptionError):
            Lookup.open(sealed, holder, corpus)


def test_the_owner_and_every_grant_open_what_the_owner_signed() -> None:
    for holder in HOLDERS:
        assert Lookup.open(SEALED, holder, "clinic") == LOOKUP
    assert LOOKUP.seal(KEYS, "clinic") == SEALED
    assert SealedLookup.parse(SEALED).key_id == KEYS.primary
    assert bytes(SealedLookup.parse(SEALED)) == SEALED


def test_the_bytes_are_as_they_always_were() -> None:
    """Pinned: every edge would refuse another form."""
    keyset = Keyset({key_id_of(KEY): KEY}, key_id_of(KEY))
    sealed = bytes(SealedLookup.make(b"content", keyset, "clinic"))
    assert sealed.startswith(b"sage-rag-lookup-2" + bytes.fromhex(keyset.primary))
    assert len(sealed) == 17 + 4 + 64 + 16 + len(b"content")
    assert (
        hashlib.sha256(sealed).hexdigest()
        == "a0fd825aa6bda1a0d4c1466634617f74c0c06912f1a24260d15a42ebe9babc68"
    )
    unsigned = SealedLookup.parse(forged_lookup(LOOKUP, keyset, "clinic"))
    assert (unsigned.key_id, unsigned.signature) == (keyset.primary, None)


@settings(deadline=None, max_examples=150)
@given(st.integers(0, len(SEALED) - 1), st.integers(1, 255))
def test_any_changed_byte_is_refused(at: int, change: int) -> None:
    refused(SEALED[:at] + bytes([SEALED[at] ^ change]) + SEALED[at + 1 :])


@settings(deadline=None, max_examples=80)
@given(st.integers(0, len(SEALED) - 1), st.integers(0, len(SEALED)), st.binary(max_size=3))
def test_what_is_cut_out_or_put_in_is_refused(start: int, end: int, put: bytes) -> None:
    changed = SEALED[:start] + put + SEALED[end:]
    if changed != SEALED:
        refused(changed)


@settings(deadline=None, max_examples=100)
@given(st.binary(max_size=200), st.booleans())
def test_arbitrary_bytes_are_refused(content: bytes, as_signed: bool) -> None:
    head = b"sage-rag-lookup-2" if as_signed else b""
    refused(head + bytes.fromhex(KEYS.primary) + content)


def test_another_corpus_and_another_key_are_refused() -> None:
    primary, old = KEYS.key_ids
    for corpus in ("", "clini", "clinic2", "office"):
        refused(SEALED, corpus)
    refused(SEALED.replace(bytes.fromhex(primary), bytes.fromhex(old)))
    with pytest.raises(DecryptionError, match="another key"):
        Lookup.open(SEALED, Keyset.generate(), "clinic")


def _old_ones() -> bytes:
    signature = SealedLookup.parse(SEALED).signature
    assert signature is not None
    return signature


def _own_ones() -> bytes:
    """Return a signature by a key of the grant, of exactly what an edge checks."""
    unsigned = SealedLookup.parse(forged_lookup(EVIL, GRANT, "clinic", signature=bytes(64)))
    message = lookup_seal._message(unsigned.key_id, unsigned.ciphertext, "clinic")
    (seed, *_) = export_type_keys(GRANT)[KEYS.primary].values()
    return signatures.sign(seed, message, lookup_seal._CONTEXT)


def _of_another_purpose() -> bytes:
    unsigned = SealedLookup.parse(forged_lookup(EVIL, GRANT, "clinic", signature=bytes(64)))
    message = lookup_seal._message(unsigned.key_id, unsigned.ciphertext, "clinic")
    return KEYS.sign(message, context=b"another purpose")


@pytest.mark.parametrize("signature", [_old_ones, _own_ones, _of_another_purpose, bytes])
def test_no_holder_of_a_grant_makes_one(signature: Callable[[], bytes]) -> None:
    forged = forged_lookup(EVIL, GRANT, "clinic", signature=signature())
    for holder in HOLDERS:
        with pytest.raises(DecryptionError, match="changed"):
            Lookup.open(forged, holder, "clinic")
    with pytest.raises(KeysetError, match="is not enough"):
        EVIL.seal(GRANT, "clinic")


def test_an_unsigned_one_is_not_opened_as_the_owners_and_says_how_to_mend_that() -> None:
    for maker in (KEYS, GRANT, EARLIER):
        unsigned = forged_lookup(EVIL, maker, "clinic")
        for holder in (*HOLDERS, EARLIER):
            with pytest.raises(UnsignedError, match="not signed") as caught:
                Lookup.open(unsigned, holder, "clinic")
            assert "sage-rag rekey" in (caught.value.hint or "")
            assert Lookup.open_unproven(unsigned, holder, "clinic") == EVIL


def test_a_grant_of_an_earlier_version_trusts_no_signature_and_says_so() -> None:
    for sealed in (SEALED, forged_lookup(EVIL, GRANT, "clinic", signature=bytes(64))):
        with pytest.raises(UnsignedError, match="cannot check who signed") as caught:
            Lookup.open(sealed, EARLIER, "clinic")
        assert "sage-rag keys grant" in (caught.value.hint or "")


def test_a_new_primary_key_signs_anew_and_the_old_signature_still_counts_for_the_old_key() -> None:
    rotated = KEYS.rotate()
    for holder in (rotated, rotated.grant([EntityType.AGE])):
        assert Lookup.open(SEALED, holder, "clinic") == LOOKUP
        assert Lookup.open(LOOKUP.seal(rotated, "clinic"), holder, "clinic") == LOOKUP
    with pytest.raises(DecryptionError, match="another key"):
        Lookup.open(LOOKUP.seal(rotated, "clinic"), GRANT, "clinic")


def test_what_a_server_sees_of_one_is_its_size_and_its_key() -> None:
    parts = SealedLookup.parse(SEALED)
    unsigned = SealedLookup.parse(forged_lookup(LOOKUP, KEYS, "clinic"))
    assert len(parts.ciphertext) == len(unsigned.ciphertext)
    assert b"gout" not in SEALED
    assert b"clinic" not in SEALED
    assert KEYS.public_key(KEYS.primary) not in (SEALED[i : i + 32] for i in range(len(SEALED)))
