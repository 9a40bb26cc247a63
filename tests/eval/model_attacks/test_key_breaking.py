from __future__ import annotations

import random

import numpy as np
import pytest

from sage_rag.common.exceptions import InputError
from sage_rag.eval.model_attacks.canaries import invent_canaries
from sage_rag.eval.model_attacks.key_breaking import (
    Language,
    break_key,
    break_key_with_crib,
    decrypt_letters,
    letter_numbers,
)
from sage_rag.eval.model_attacks.key_recovery import recover_keys
from sage_rag.training.ciphers.polyalphabetic import ALPHABET, PolyalphabeticCipher


def invented_text(seed: int) -> str:
    return "\n\n".join(canary.text for canary in invent_canaries({1: 100}, seed))


TEXT, OTHER = invented_text(1), invented_text(2)
LANGUAGE = Language.of([OTHER])


def random_key(length: int, seed: int = 0) -> str:
    return "".join(random.Random(seed).choices(ALPHABET, k=length))  # noqa: S311


def share_read(plain: str, ciphertext: str, shifts: np.ndarray) -> float:
    letters = letter_numbers(plain)
    return float((decrypt_letters(ciphertext, shifts) == letters)[letters >= 0].mean())


def test_letters_are_numbered_as_in_the_cipher() -> None:
    assert letter_numbers("AZaz é1\U0001f600").tolist() == [0, 25, 26, 51, -1, -1, -1, -1]
    with pytest.raises(InputError, match="no letters"):
        Language.of(["123 éü"])


def test_the_exact_key_decrypts() -> None:
    key = "QuietKey"
    ciphertext = PolyalphabeticCipher(key).encrypt(TEXT)
    assert share_read(TEXT, ciphertext, letter_numbers(key) + 1) == 1.0


@pytest.mark.parametrize(("length", "characters"), [(1, 300), (10, 2000), (100, 15_000)])
def test_enough_ciphertext_gives_the_key(length: int, characters: int) -> None:
    ciphertext = PolyalphabeticCipher(random_key(length)).encrypt(TEXT, position=17)[:characters]
    shifts = break_key(ciphertext, LANGUAGE)
    assert len(shifts) == length
    assert share_read(TEXT[:characters], ciphertext, shifts) > 0.97


def test_a_key_as_long_as_the_text_is_not_broken() -> None:
    ciphertext = PolyalphabeticCipher(random_key(8000)).encrypt(TEXT[:8000])
    assert share_read(TEXT[:8000], ciphertext, break_key(ciphertext, LANGUAGE)) < 0.1


def test_a_known_phrase_gives_the_key_where_frequencies_do_not() -> None:
    plain = TEXT[:250]
    ciphertext = PolyalphabeticCipher(random_key(40, seed=3)).encrypt(plain)
    alone = break_key(ciphertext, LANGUAGE)
    crib = break_key_with_crib(ciphertext, plain[60:190], LANGUAGE)
    assert share_read(plain, ciphertext, alone) < 0.8
    assert share_read(plain, ciphertext, crib) > 0.97


def test_a_phrase_that_is_not_in_the_text_does_no_harm() -> None:
    plain = TEXT[:3000]
    ciphertext = PolyalphabeticCipher(random_key(5)).encrypt(plain)
    shifts = break_key_with_crib(ciphertext, "x-y-z, 1 2 3!", LANGUAGE)
    assert share_read(plain, ciphertext, shifts) > 0.97
    assert share_read("a1", "b1", break_key("1 2", LANGUAGE)) == 0.0  # nothing to see


def test_curves_rise_with_the_text_and_are_a_function_of_the_seed() -> None:
    options = {"trials": 4, "key_lengths": (1, 10), "characters": (20, 2000), "cribs": (0, 100)}
    found = recover_keys([TEXT], [OTHER], 0, **options)
    assert found == recover_keys([TEXT], [OTHER], 0, **options)
    short, long = (p for p in found.by_frequency if p.key_length == 10)
    assert short.read.successes == 0
    assert long.read.successes == long.length_found.successes == 4
    assert found.characters_needed(10) == 2000
    assert len(found.by_crib) == 4
    shorter = recover_keys([TEXT[:600]], [OTHER], 0, **options)
    assert {point.characters for point in shorter.by_frequency} == {20}
    with pytest.raises(InputError, match="500 characters, and the longest has 100"):
        recover_keys([TEXT[:100]], [OTHER], 0, **options)
