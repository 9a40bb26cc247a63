import pytest

from sage_rag.training.controlled.sum_spellings import sum_spellings
from sage_rag.training.controlled.value_trie import ValueTrie

THOUSAND = (
    "EUR 1,000",
    "1000 euros",
    "1.000 €",
    "€1,000.00",
    "1 000,00 EUR",
    "1’000",
    "1 thousand",
)


@pytest.mark.parametrize("value", THOUSAND)
def test_every_notation_of_a_sum_blocks_every_other(value: str) -> None:
    trie = ValueTrie(sum_spellings(value))
    texts = (*THOUSAND, "one thousand euros", "a THOUSAND", "1k", "EUR1000")
    assert all(trie.found_in(f"He paid {text} in May.") for text in texts)
    assert not any(map(trie.found_in, ("EUR 21,000", "1001 euros", "EUR 10,001", "ten thousand")))


@pytest.mark.parametrize("text", ["1,500,000", "€1.5m", "1.50 MILLION", "1500 thousand"])
def test_a_large_sum_is_blocked_with_and_without_a_word_of_scale(text: str) -> None:
    assert ValueTrie(sum_spellings("approximately $1.5 million")).found_in(text)
    assert ValueTrie(sum_spellings("USD 1 500 000")).found_in(text)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("EUR 12,345", "twelve thousand three hundred and forty-five euros"),
        ("EUR 350", "three hundred fifty euros"),
        ("GBP 2,000,007", "two million and seven"),
        ("45 per cent", "45%"),
        ("EUR 20", "€20"),
        ("EUR 99.50", "99.5"),
        ("1,250 sq. m", "1250 m²"),
    ],
)
def test_other_spellings(value: str, text: str) -> None:
    assert ValueTrie(sum_spellings(value)).found_in(text)


@pytest.mark.parametrize("value", ["70 kg", "two", "ten plots of land", ""])
def test_a_measure_of_two_digits_has_no_other_spelling(value: str) -> None:
    assert not list(sum_spellings(value))
