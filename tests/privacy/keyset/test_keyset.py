"""Keysets: subkeys, rotation, and what never leaves them."""

from __future__ import annotations

import copy
import logging
import pickle

import pytest

from sage_rag.privacy.ciphers.siv import SivCipher
from sage_rag.privacy.entities import EntityType
from sage_rag.privacy.exceptions import DecryptionError, KeysetError
from sage_rag.privacy.keyset.keyset import Keyset, export_master_keys, key_id_of

KEY = bytes(range(32))


def test_subkeys_are_as_they_always_were() -> None:
    """Pinned: a changed derivation would close every index there is.

    Source: HKDF (RFC 5869) over HMAC of the standard library, master → type → purpose.
    """
    import hashlib
    import hmac

    def hkdf(key: bytes, purpose: str, size: int) -> bytes:
        extracted = hmac.digest(bytes(32), key, hashlib.sha256)
        info, block, out = f"sage-rag/1/{purpose}".encode(), b"", b""
        for counter in range(1, -(-size // 32) + 1):
            block = hmac.digest(extracted, block + info + bytes([counter]), hashlib.sha256)
            out += block
        return out[:size]

    keyset = Keyset({key_id_of(KEY): KEY}, key_id_of(KEY))
    expected = hkdf(hkdf(KEY, "entity/PERSON", 32), "siv", 64)
    key_id = keyset.primary
    person = EntityType.PERSON
    assert keyset.entity_key(key_id, person, purpose="siv", size_bytes=64) == expected
    assert keyset.derive(key_id, purpose="x", size_bytes=16) == hkdf(KEY, "x", 16)


def test_types_and_purposes_have_keys_of_their_own() -> None:
    keyset = Keyset.generate()
    keys = {
        keyset.entity_key(keyset.primary, t, purpose=p, size_bytes=32)
        for t in EntityType
        for p in ("siv", "words")
    }
    assert len(keys) == 2 * len(EntityType)


def test_a_type_key_is_not_to_be_had_as_a_purpose() -> None:
    keyset = Keyset.generate()
    with pytest.raises(ValueError, match="entity_key"):
        keyset.derive(keyset.primary, purpose="entity/PERSON", size_bytes=32)


def test_an_unknown_key_id_is_refused() -> None:
    keyset = Keyset.generate()
    with pytest.raises(KeysetError, match="not in this keyset"):
        keyset.entity_key("00000000", EntityType.PERSON, purpose="siv", size_bytes=64)
    with pytest.raises(KeysetError, match="not in this keyset"):
        keyset.derive("00000000", purpose="x", size_bytes=32)


def test_after_a_rotation_old_tokens_open_and_new_ones_carry_the_new_key() -> None:
    old = Keyset.generate()
    token = SivCipher(old, "c").encrypt("Maria Keller", EntityType.PERSON)
    new = old.rotate()
    assert new.primary not in old
    assert set(new.key_ids) == {old.primary, new.primary}
    assert new.key_ids[0] == new.primary
    assert SivCipher(new, "c").decrypt(token) == "Maria Keller"
    renewed = SivCipher(new, "c").encrypt("Maria Keller", EntityType.PERSON)
    assert renewed != token
    with pytest.raises(DecryptionError):
        SivCipher(old, "c").decrypt(renewed)
    assert old.key_ids == (old.primary,), "rotating must not change the keyset it is asked of"


def test_a_forgotten_key_opens_nothing_and_the_primary_stays() -> None:
    old = Keyset.generate()
    token = SivCipher(old, "c").encrypt("Maria Keller", EntityType.PERSON)
    pruned = old.rotate().without(old.primary)
    assert old.primary not in pruned
    with pytest.raises(DecryptionError):
        SivCipher(pruned, "c").decrypt(token)
    with pytest.raises(KeysetError, match="primary"):
        pruned.without(pruned.primary)
    with pytest.raises(KeysetError, match="not in this keyset"):
        pruned.without(old.primary)


@pytest.mark.parametrize("length", [0, 16, 31, 33])
def test_a_key_of_another_size_is_refused(length: int) -> None:
    key = bytes(range(length))
    with pytest.raises(KeysetError, match="fit"):
        Keyset({key_id_of(key): key}, key_id_of(key))


def test_a_key_under_a_foreign_id_is_refused() -> None:
    with pytest.raises(KeysetError, match="fit"):
        Keyset({"00000000": KEY}, "00000000")


def test_a_primary_that_is_not_there_is_refused() -> None:
    with pytest.raises(KeysetError, match="primary"):
        Keyset({key_id_of(KEY): KEY}, "00000000")


def test_equal_means_the_same_keys_and_the_same_primary() -> None:
    keyset = Keyset.generate()
    assert keyset == Keyset(export_master_keys(keyset), keyset.primary)
    assert hash(keyset) == hash(Keyset(export_master_keys(keyset), keyset.primary))
    rotated = keyset.rotate()
    assert rotated != keyset
    assert rotated != Keyset(export_master_keys(rotated), keyset.primary)
    assert keyset != "keyset"


@pytest.mark.parametrize("kind", ["keyset", "grant"])
def test_no_key_leaves_by_repr_log_pickle_or_copy(
    kind: str, caplog: pytest.LogCaptureFixture
) -> None:
    whole = Keyset.generate().rotate()
    keyset = whole if kind == "keyset" else whole.grant([EntityType.PERSON])
    with caplog.at_level(logging.DEBUG):
        logging.getLogger().debug("%s %r", keyset, keyset)
    assert whole.primary in caplog.text
    for leave in (pickle.dumps, copy.copy, copy.deepcopy):
        with pytest.raises(TypeError, match="pickled"):
            leave(keyset)
    assert not hasattr(keyset, "__dict__")
