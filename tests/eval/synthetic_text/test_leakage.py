"""PIPP and ELP on cases made by hand."""

import re

import pytest

from sage_rag.eval.synthetic_text.leakage import ValueSearch, context_leakage, leakage
from sage_rag.privacy.ciphers.default import default_cipher
from sage_rag.privacy.entities import EntityType
from sage_rag.privacy.keyset.keyset import Keyset
from sage_rag.training.controlled.value_trie import ValueTrie

VALUES = ["Mr A. Quist", "$1,000", "Harnmouth", "Łódź", "12 May 2011"]


def test_one_leaked_value_in_two_texts_counts_once_in_elp_and_twice_in_pipp() -> None:
    texts = ["He met mr. A Quist.", "MR A QUIST again, and again Mr A. Quist", "No one."]
    found = leakage(texts, ValueSearch(VALUES))
    assert (found.pipp.successes, found.pipp.trials) == (2, 3)
    assert (found.elp.successes, found.elp.trials) == (1, 5)


def test_a_generator_that_copies_has_pipp_1_and_one_that_invents_0() -> None:
    sources = [f"{value} was in the record." for value in VALUES]
    copied, invented = (
        leakage(t, ValueSearch(VALUES)) for t in (sources, ["Eva Lund, $2,000"] * 5)
    )
    assert (copied.pipp.successes, copied.elp.successes) == (5, 5)
    assert (invented.pipp.successes, invented.elp.successes) == (0, 0)


def test_without_private_values_nothing_is_measured() -> None:
    found = leakage(["Harnmouth."], ValueSearch(["A", "7"]))
    assert (found.pipp.trials, found.elp.trials) == (0, 0)
    assert "nothing measured" in str(found.pipp)


def test_equal_values_are_one_and_single_characters_none() -> None:
    assert len(ValueSearch(["Mr A.", "MR A", "mr-a", "A", "7"])) == 1


def test_a_name_that_is_an_ordinary_word_counts_with_a_capital_alone() -> None:
    search = ValueSearch(["Will", "ROSE", "Quist"])
    assert not search.found_in("We will see. The pain rose, and it will pass.")
    assert search.found_in("WILL saw Will, and Rose saw quist.") == {"will", "rose", "quist"}
    assert not search.found_in("Willing, GoodWill, Roses")


def test_an_ordinary_word_that_a_source_also_writes_small_counts_in_any_case() -> None:
    assert ValueSearch(["Baker", "baker"]).found_in("She is a baker.") == {"baker"}


def test_elp_of_examples_is_the_mean_share_of_each_texts_own_values() -> None:
    contexts = [ValueSearch(VALUES), ValueSearch(["Pell", "Eva Lund"]), ValueSearch([])]
    found = context_leakage(["Harnmouth Pell", "in Pell", "Harnmouth"], contexts)
    assert found.pipp.successes == 2
    assert (found.elp.successes, found.elp.trials) == (2, 7)
    assert found.elp_mean == pytest.approx((1 / 5 + 1 / 2) / 2)


@pytest.mark.parametrize(
    "text",
    [
        "x 1.000 y",
        "no$1,000",
        "21,000",
        "HARN-MOUTH",
        "Harnmouths",
        "Łódź",
        "12may 2011",
        "Mr Adam",
    ],
)
def test_the_search_agrees_with_the_blocking(text: str) -> None:
    search, trie = ValueSearch(VALUES), ValueTrie(VALUES)
    assert bool(search.found_in(text)) == trie.found_in(text)


@pytest.mark.parametrize("text", ["May 12, 2011", "12.05.2011", "2011-05-12", "12th of May, 2011"])
def test_a_date_in_another_notation_counts_once(text: str) -> None:
    search = ValueSearch(["12 May 2011", "2011-05-12"])
    assert len(search) == 1
    assert search.found_in(f"On {text}, he left.") == {"2011-05-12"}
    assert not search.found_in("On 13 May 2011, he left.")


@pytest.mark.parametrize("text", ["1000 euros", "1.000 €", "€1,000.00", "one thousand euros"])
def test_a_sum_in_another_notation_counts_once(text: str) -> None:
    search = ValueSearch(["EUR 1,000", "1,000 euros"])
    assert len(search) == 1
    assert search.found_in(f"He paid {text}.") == {"1000 euro"}
    assert not search.found_in("He paid 1000 dollars, or 1001 euros.")


def test_letters_and_digits_of_an_encrypted_value_are_no_value() -> None:
    token = default_cipher(Keyset.generate(), "cases").encrypt("Jan Quist", EntityType.PERSON)
    runs = re.findall(r"[^\W\d_]{2,}|\d+", token.partition("[")[2])
    assert runs
    assert not ValueSearch(runs).found_in(f"In {token} it rained.")
    assert ValueSearch(["it rained"]).found_in(f"In {token} it rained.")
