"""The default cipher."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from privacy.ciphers.siv import MAX_VALUE_BYTES, SivCipher
from privacy.entities import EntityType
from privacy.exceptions import DecryptionError, InputError
from privacy.keyset.keyset import Keyset
from privacy.tokens import TOKEN

KEYSET = Keyset.generate()
CIPHER = SivCipher(KEYSET, "clinic")


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
    others = [
        CIPHER.encrypt("Ada", EntityType.LOCATION).replace("LOCATION", "PERSON"),
        SivCipher(KEYSET, "court").encrypt("Ada", EntityType.PERSON),
        SivCipher(Keyset.generate(), "clinic").encrypt("Ada", EntityType.PERSON),
    ]
    assert token not in others
    for other in others:
        with pytest.raises(DecryptionError):
            CIPHER.decrypt(other)


def test_a_token_with_any_character_changed_is_refused() -> None:
    token = CIPHER.encrypt("Ada Novak", EntityType.PERSON)
    start = token.index("[") + 1
    for place in range(start, len(token) - 1):
        changed = "A" if token[place] != "A" else "B"
        with pytest.raises(DecryptionError):
            CIPHER.decrypt(token[:place] + changed + token[place + 1 :])


@pytest.mark.parametrize(
    "forged",
    ["", "PERSON_[]", "PERSON_[AAAA]", "PERSON_[!!!!]", "PERSON_[" + "A" * 48 + "]", "Ada Novak"],
)
def test_what_encrypt_did_not_make_is_refused(forged: str) -> None:
    with pytest.raises(DecryptionError) as caught:
        CIPHER.decrypt(forged)
    assert "Ada" not in str(caught.value)


def test_length_shows_in_steps_of_sixteen_bytes_only() -> None:
    lengths = {len(CIPHER.encrypt("x" * n, EntityType.PERSON)) for n in range(16)}
    assert len(lengths) == 1


def test_the_longest_value_fits_the_grammar_and_a_longer_one_is_an_error() -> None:
    longest = "x" * MAX_VALUE_BYTES
    assert CIPHER.decrypt(CIPHER.encrypt(longest, EntityType.URL)) == longest
    with pytest.raises(InputError, match="too long"):
        CIPHER.encrypt(longest + "x" * 16, EntityType.URL)
