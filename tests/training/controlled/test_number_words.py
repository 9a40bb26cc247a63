import pytest

from sage_rag.training.controlled.number_words import (
    in_words,
    number_spellings,
    ordinals_in_figures,
    year_in_words,
)
from sage_rag.training.controlled.value_trie import ValueTrie


@pytest.mark.parametrize("value", ["2 years", "two years", "2-year", "two-year", "Two Years"])
def test_a_number_is_found_in_words_and_in_figures(value: str) -> None:
    trie = ValueTrie([value, *number_spellings(value)])
    assert all(map(trie.found_in, ("for two years", "2-year term", "TWO YEARS", "a 2 year stay")))
    assert not any(map(trie.found_in, ("twelve years", "12 years", "two-thirds", "years")))


@pytest.mark.parametrize("value", ["34-year-old", "aged 34", "thirty-four years old"])
def test_an_age_is_found_in_every_form(value: str) -> None:
    trie = ValueTrie([value, *number_spellings(value)])
    texts = ("34 years old", "a 34-YEAR-OLD nurse", "thirty-four-year-old", "aged thirty-four")
    assert all(map(trie.found_in, texts))
    assert not any(map(trie.found_in, ("35 years old", "thirty-four euros", "134-year-old")))


@pytest.mark.parametrize("value", ["five", "45", "$20", "ten", "A", "the first", ""])
def test_a_number_alone_has_no_other_form(value: str) -> None:
    assert not list(number_spellings(value))


def test_a_share_is_found_in_words() -> None:
    trie = ValueTrie(number_spellings("45%"))
    assert trie.found_in("forty-five per cent")
    assert trie.found_in("45 PERCENT")
    assert not trie.found_in("forty-five days")


def test_numbers_in_words() -> None:
    assert in_words(0) == "zero"
    assert in_words(12_345) == "twelve thousand three hundred and forty-five"
    assert in_words(2_000_007) == "two million and seven"
    assert "nineteen eighty-four" in year_in_words(1984)
    assert year_in_words(2011) >= {"two thousand and eleven", "twenty eleven"}
    assert "nineteen hundred" in year_in_words(1900)
    assert year_in_words(2000) == {"two thousand"}
    assert ordinals_in_figures("the Twenty-First of May, sixthly") == "the 21th of May, sixthly"
