"""The polyalphabetic substitution."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sage_rag.common.exceptions import InputError
from sage_rag.training.ciphers.polyalphabetic import ALPHABET, PolyalphabeticCipher

KEYS = st.text(ALPHABET, min_size=1, max_size=12)
TEXTS = st.text(st.characters() | st.sampled_from(ALPHABET), max_size=60)


def one_by_one(text: str, key: str, sign: int) -> str:
    """The rule of the paper, a character at a time: numbers from 1, sums modulo 52, 0 is 52."""
    result = []
    for position, character in enumerate(text):
        if character in ALPHABET:
            number = ALPHABET.index(character) + 1
            shift = ALPHABET.index(key[position % len(key)]) + 1
            character = ALPHABET[((number + sign * shift) % 52 or 52) - 1]
        result.append(character)
    return "".join(result)


def test_figure_3_of_the_paper() -> None:
    cipher = PolyalphabeticCipher("hENTu")
    assert cipher.encrypt("I am a cat.") == "q oG I quo."
    assert cipher.decrypt("q oG I quo.") == "I am a cat."


@given(TEXTS, KEYS)
def test_it_is_the_papers_rule_in_both_directions(text: str, key: str) -> None:
    cipher = PolyalphabeticCipher(key)
    assert cipher.encrypt(text) == one_by_one(text, key, 1)
    assert cipher.decrypt(text) == one_by_one(text, key, -1)
    assert cipher.decrypt(cipher.encrypt(text)) == text


@given(TEXTS, KEYS, st.lists(st.integers(0, 60), max_size=6))
def test_the_position_runs_over_the_pieces_of_a_document(
    text: str, key: str, cuts: list[int]
) -> None:
    cipher = PolyalphabeticCipher(key)
    places = sorted({0, len(text), *(c for c in cuts if c < len(text))})
    pieces = list(itertools.pairwise(places))
    sealed = "".join(cipher.encrypt(text[a:b], position=a) for a, b in pieces)
    assert sealed == cipher.encrypt(text)
    assert "".join(cipher.decrypt(c, position=i) for i, c in enumerate(sealed)) == text


@given(st.lists(TEXTS, max_size=6), KEYS)
def test_every_document_of_a_batch_begins_anew(texts: list[str], key: str) -> None:
    cipher = PolyalphabeticCipher(key)
    sealed = cipher.encrypt_all(texts)
    assert sealed == [cipher.encrypt(text) for text in texts]
    assert cipher.decrypt_all(sealed) == texts


def test_half_surrogate_pairs_and_other_scripts_pass_through() -> None:
    text = "é 氏名\ud83d 12"
    assert PolyalphabeticCipher("hENTu").encrypt(text) == text


@pytest.mark.parametrize("key", ["", "hE Tu", "ключ", "key1"])
def test_a_key_that_is_not_of_letters_is_refused(key: str) -> None:
    with pytest.raises(InputError, match="letters") as caught:
        PolyalphabeticCipher(key)
    assert not key or key not in str(caught.value)


def test_the_key_does_not_show() -> None:
    assert "hENTu" not in repr(PolyalphabeticCipher("hENTu"))
