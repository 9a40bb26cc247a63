"""The default cipher."""

from __future__ import annotations

import base64

import pytest
from Crypto.Cipher import AES
from cryptography.hazmat.primitives.ciphers.aead import AESSIV
from hypothesis import given
from hypothesis import strategies as st

from sage_rag.common.exceptions import InputError, SageRagError
from sage_rag.privacy.ciphers.faults import Fault, TokenError
from sage_rag.privacy.ciphers.siv import MAX_VALUE_BYTES, SivCipher
from sage_rag.privacy.entities import EntityType
from sage_rag.privacy.keyset.keyset import Keyset
from sage_rag.privacy.tokens import TOKEN

KEYSET = Keyset.generate()
CIPHER = SivCipher(KEYSET, "clinic")
ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"

VECTORS = {
    "RFC 5297 A.1": (
        "fffefdfcfbfaf9f8f7f6f5f4f3f2f1f0f0f1f2f3f4f5f6f7f8f9fafbfcfdfeff",
        ["101112131415161718191a1b1c1d1e1f2021222324252627"],
        None,
        "112233445566778899aabbccddee",
        "85632d07c6e8f37f950acd320a2ecc9340c02b9690c4dc04daef7f6afe5c",
    ),
    "RFC 5297 A.2": (
        "7f7e7d7c7b7a79787776757473727170404142434445464748494a4b4c4d4e4f",
        [
            "00112233445566778899aabbccddeeffdeaddadadeaddadaffeeddccbbaa99887766554433221100",
            "102030405060708090a0",
        ],
        "09f911029d74e35bd84156c5635688c0",
        "7468697320697320736f6d6520706c61696e7465787420746f20656e6372797074207573696e67205349562d414553",
        "7bdb6e3b432667eb06f4d14bff2fbd0fcb900f2fddbe404326601965c889bf17dba77ceb094fa663b7a3f748ba8af829ea64ad544a272e9c485b62a3fd5c0d",
    ),
}


@given(st.binary(min_size=64, max_size=64), st.binary(min_size=1), st.binary(min_size=1))
def test_aes_256_is_what_another_library_computes(key: bytes, header: bytes, plain: bytes) -> None:
    """The RFC has vectors for AES-128 only."""
    cipher = AES.new(key, AES.MODE_SIV)
    cipher.update(header)
    body, tag = cipher.encrypt_and_digest(plain)
    assert tag + body == AESSIV(key).encrypt(plain, [header])


@pytest.mark.parametrize("name", VECTORS)
def test_published_vectors(name: str) -> None:
    key, headers, nonce, plain, sealed = VECTORS[name]
    associated = [bytes.fromhex(part) for part in (*headers, *([nonce] if nonce else []))]
    cipher = AESSIV(bytes.fromhex(key))
    assert cipher.encrypt(bytes.fromhex(plain), associated).hex() == sealed
    assert cipher.decrypt(bytes.fromhex(sealed), associated).hex() == plain


def test_a_token_is_composed_as_documented() -> None:
    key = KEYSET.entity_key(KEYSET.primary, EntityType.PERSON, purpose="siv", size_bytes=64)
    cipher = AES.new(key, AES.MODE_SIV)
    cipher.update(b"clinic")
    cipher.update(b"PERSON")
    body, tag = cipher.encrypt_and_digest(b"Ada Novak\x80" + bytes(6))
    raw = bytes.fromhex(KEYSET.primary) + tag + body
    payload = base64.urlsafe_b64encode(raw).decode().rstrip("=")
    assert CIPHER.encrypt("Ada Novak", EntityType.PERSON) == f"PERSON_[{payload}]"


@given(st.text(max_size=300), st.sampled_from(EntityType))
def test_every_value_comes_back(value: str, entity_type: EntityType) -> None:
    token = CIPHER.encrypt(value, entity_type)
    assert TOKEN.fullmatch(token)
    assert CIPHER.decrypt(token) == value


def test_equal_values_give_equal_tokens_across_instances() -> None:
    again = SivCipher(KEYSET, "clinic").encrypt("Ada Novak", EntityType.PERSON)
    assert CIPHER.encrypt("Ada Novak", EntityType.PERSON) == again


def test_type_corpus_and_key_each_change_the_token() -> None:
    token = CIPHER.encrypt("Ada", EntityType.PERSON)
    others = {
        CIPHER.encrypt("Ada", EntityType.LOCATION).replace("LOCATION", "PERSON"): Fault.FORGED,
        SivCipher(KEYSET, "court").encrypt("Ada", EntityType.PERSON): Fault.FORGED,
        SivCipher(Keyset.generate(), "clinic").encrypt("Ada", EntityType.PERSON): Fault.UNKNOWN_KEY,
    }
    for other, fault in others.items():
        assert other != token
        with pytest.raises(TokenError) as caught:
            CIPHER.decrypt(other)
        assert caught.value.fault == fault


def test_a_token_with_any_bit_of_its_payload_flipped_is_refused() -> None:
    token = CIPHER.encrypt("Ada Novak", EntityType.PERSON)
    start, payload = token.index("[") + 1, token[token.index("[") + 1 : -1]
    for place, character in enumerate(payload):
        for bit in range(6):
            changed = ALPHABET[ALPHABET.index(character) ^ (1 << bit)]
            with pytest.raises(TokenError):
                CIPHER.decrypt(token[: start + place] + changed + token[start + place + 1 :])


def test_a_truncated_or_prolonged_token_is_refused() -> None:
    token = CIPHER.encrypt("Ada Novak", EntityType.PERSON)
    payload = token[len("PERSON_[") : -1]
    for cut in range(len(payload)):
        with pytest.raises(TokenError):
            CIPHER.decrypt(f"PERSON_[{payload[:cut]}]")
    for more in ("A", "=", "AAAA", "A" * 64):
        with pytest.raises(TokenError):
            CIPHER.decrypt(f"PERSON_[{payload}{more}]")


def test_there_is_one_spelling_of_a_token() -> None:
    """Unused bits at the end of Base64, padding and the other alphabet must not open."""
    for size in range(33):
        token = CIPHER.encrypt("x" * size, EntityType.PERSON)
        payload = token[len("PERSON_[") : -1]
        twins = {payload[:-1] + character for character in ALPHABET} - {payload}
        twins |= {payload + "=", payload + "==", payload.replace("-", "+").replace("_", "/") + "="}
        for twin in twins:
            with pytest.raises(TokenError):
                CIPHER.decrypt(f"PERSON_[{twin}]")


@given(st.text(max_size=80) | st.from_regex(TOKEN, fullmatch=True))
def test_what_encrypt_did_not_make_is_refused_without_a_word_of_it(forged: str) -> None:
    with pytest.raises(TokenError) as caught:
        CIPHER.decrypt(forged)
    assert str(caught.value) == "the token cannot be opened with this keyset"


def test_length_shows_in_steps_of_sixteen_bytes_only() -> None:
    lengths = {len(CIPHER.encrypt("x" * n, EntityType.PERSON)) for n in range(16)}
    assert len(lengths) == 1


def test_the_longest_value_fits_the_grammar_and_a_longer_one_is_an_error() -> None:
    longest = "x" * MAX_VALUE_BYTES
    assert CIPHER.decrypt(CIPHER.encrypt(longest, EntityType.URL)) == longest
    with pytest.raises(InputError, match="too long"):
        CIPHER.encrypt(longest + "x" * 16, EntityType.URL)


def test_half_a_surrogate_pair_is_an_error_that_does_not_hold_the_value() -> None:
    with pytest.raises(SageRagError) as caught:
        CIPHER.encrypt("Ada \ud83d", EntityType.PERSON)
    assert "Ada" not in repr(caught.value) + str(caught.value)
    assert caught.value.__suppress_context__


def test_a_forged_token_of_another_holder_that_is_no_text_is_refused() -> None:
    keyset = Keyset.generate()
    cipher = SivCipher(keyset, "clinic")
    made = cipher._cipher(keyset.primary, EntityType.PERSON)
    sealed = made.encrypt(b"\xff\x80" + bytes(14), [b"clinic", b"PERSON"])
    payload = base64.urlsafe_b64encode(bytes.fromhex(keyset.primary) + sealed).decode()
    with pytest.raises(TokenError) as caught:
        cipher.decrypt(f"PERSON_[{payload.rstrip('=')}]")
    assert caught.value.fault is Fault.FORGED
