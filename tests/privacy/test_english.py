"""English words of numbers."""

from __future__ import annotations

import pytest

from sage_rag.privacy.english import ONES, TENS, number_of


def test_every_number_below_a_hundred_is_read() -> None:
    words = [*ONES, *(f"{ten}{one and '-' + ONES[one]}" for ten in TENS for one in range(10))]
    words = [word.removesuffix("0") for word in words]
    assert [number_of(word) for word in words] == list(range(100))


@pytest.mark.parametrize(("words", "number"), [("Sixty three", 63), ("NINETEEN", 19)])
def test_case_and_hyphens_do_not_matter(words: str, number: int) -> None:
    assert number_of(words) == number


@pytest.mark.parametrize("words", ["several", "forty several"])
def test_other_words_are_no_number(words: str) -> None:
    with pytest.raises(ValueError, match="not in tuple"):
        number_of(words)
