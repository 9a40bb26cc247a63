"""AES-ECB, as weak as it was."""

from __future__ import annotations

import base64
import warnings
from contextlib import suppress

import pytest
from Crypto.Cipher import AES
from hypothesis import given
from hypothesis import strategies as st

from sage_rag.common.exceptions import InputError
from sage_rag.privacy.ciphers.faults import Fault, TokenError
from sage_rag.privacy.ciphers.siv import SivCipher
from sage_rag.privacy.entities import EntityType
from sage_rag.privacy.keyset.keyset import Keyset
from sage_rag.privacy.tokens import TOKEN
from sage_rag.training.ciphers.ecb import UnauthenticatedEcbCipher, WeakCipherWarning

KEYSET = Keyset.generate()
with warnings.catch_warnings(action="ignore"):
    CIPHER = UnauthenticatedEcbCipher(KEYSET, leaks_equal_blocks=True)


def test_it_is_not_to_be_had_without_saying_what_it_leaks() -> None:
    with pytest.raises(InputError, match="equal 16-byte blocks"):
        UnauthenticatedEcbCipher(KEYSET)
    with pytest.warns(WeakCipherWarning, match="for experiments only"):
        UnauthenticatedEcbCipher(KEYSET, leaks_equal_blocks=True)


@given(st.text(max_size=100), st.sampled_from(EntityType))
def test_every_value_comes_back(value: str, entity_type: EntityType) -> None:
    token = CIPHER.encrypt(value, entity_type)
    assert TOKEN.fullmatch(token)
    assert CIPHER.decrypt(token) == value


def test_equal_first_blocks_show_with_ecb_and_not_with_siv() -> None:
    values = ("Maria Anna Keller-Lindqvist", "Maria Anna Kellermann")
    assert values[0][:16] == values[1][:16]

    def same_start(tokens: list[str]) -> bool:
        # 16 bytes are 21 characters of Base64 and a third.
        first, second = (token[len("PERSON_[") :][:21] for token in tokens)
        return first == second

    siv = SivCipher(KEYSET, "clinic")
    assert same_start([CIPHER.encrypt(value, EntityType.PERSON) for value in values])
    assert not same_start([siv.encrypt(value, EntityType.PERSON) for value in values])


def test_blocks_of_two_values_make_a_third_that_nobody_encrypted() -> None:
    first = CIPHER.encrypt("Maria Anna Keller-Lindqvist", EntityType.PERSON)
    second = CIPHER.encrypt("Ada Ada Ada Ada Nowak", EntityType.PERSON)
    blocks = [base64.b64decode(token[len("PERSON_[") : -1]) for token in (first, second)]
    forged = base64.b64encode(blocks[0][:16] + blocks[1][16:]).decode()
    assert CIPHER.decrypt(f"PERSON_[{forged}]") == "Maria Anna KelleNowak"


def sealed_by_hand(plain: bytes) -> str:
    key = KEYSET.entity_key(KEYSET.primary, EntityType.PERSON, purpose="ecb", size_bytes=32)
    payload = base64.b64encode(AES.new(key, AES.MODE_ECB).encrypt(plain)).decode()
    return f"PERSON_[{payload}]"


@pytest.mark.parametrize(
    ("token", "fault"),
    [
        (sealed_by_hand(b"sixteen letters!"), Fault.FORGED),  # no padding
        (sealed_by_hand(b"\xff" * 15 + b"\x01"), Fault.FORGED),  # no UTF-8
        (CIPHER.encrypt("Ada", EntityType.PERSON).replace("=", ""), Fault.MALFORMED),
        ("PERSON_[AAAA]", Fault.MALFORMED),
        ("PERSON_[]", Fault.MALFORMED),
        ("NOBODY_[AAAA]", Fault.MALFORMED),
        ("Ada", Fault.MALFORMED),
    ],
)
def test_a_wrong_token_that_gives_itself_away_is_refused(token: str, fault: Fault) -> None:
    with pytest.raises(TokenError) as caught:
        CIPHER.decrypt(token)
    assert caught.value.fault == fault


@given(st.text(max_size=80) | st.from_regex(TOKEN, fullmatch=True))
def test_any_text_opens_to_text_or_is_refused(text: str) -> None:
    with suppress(TokenError):
        assert isinstance(CIPHER.decrypt(text), str)


def test_a_value_too_long_for_the_grammar_is_an_error() -> None:
    with pytest.raises(InputError, match="too long"):
        CIPHER.encrypt("x" * 4000, EntityType.URL)
