from datetime import date

import pytest

from sage_rag.training.controlled.date_spellings import date_spellings
from sage_rag.training.controlled.value_trie import ValueTrie

NOTATIONS = (
    "12 May 2011",
    "May 12, 2011",
    "12.05.2011",
    "2011-05-12",
    "12th of May, 2011",
    "the 12th day of May 2011",
    "May the 12th, 2011",
    "12 may of 2011",
    "2011, May 12",
    "5/12/2011",
    "12-5-2011",
    "12.05.11",
    "12-May-11",
    "2011年5月12日",
    "the twelfth of May 2011",
    "May twelfth, two thousand eleven",
    "twelfth day of May, twenty eleven",
    "12.V.2011",
)


@pytest.mark.parametrize("value", [*NOTATIONS[:6], "the twelfth of May 2011"])
def test_every_notation_of_a_date_blocks_every_other(value: str) -> None:
    trie = ValueTrie(date_spellings(value))
    assert all(trie.found_in(f"On {text}, he left.") for text in NOTATIONS)
    others = ("13 May 2011", "12 May 2012", "12 June 2011", "May 2011", "2011", "112.05.2011")
    others += ("the eleventh of May 2011", "twelfth of June 2011", "the twelfth applicant")
    assert not any(map(trie.found_in, others))


def test_a_date_of_a_month_has_the_forms_of_a_month() -> None:
    trie = ValueTrie(date_spellings("Sept. 1997"))
    assert all(map(trie.found_in, ("September, 1997", "SEP 1997", "09/1997", "1997-09", "9/1997")))
    assert not any(map(trie.found_in, ("September 1998", "August 1997", "1997")))


def test_a_date_without_a_year_is_spelled_in_words() -> None:
    trie = ValueTrie(date_spellings("3 June"))
    assert all(map(trie.found_in, ("June 3", "3rd of June", "on 03 Jun 2001")))
    assert not any(map(trie.found_in, ("June 30", "3/6", "June 2003")))


def test_both_readings_of_an_ambiguous_date_are_blocked() -> None:
    trie = ValueTrie(date_spellings("03/04/2021"))
    assert trie.found_in("3 April 2021")
    assert trie.found_in("March 4th, 2021")


def test_each_date_of_a_longer_value_is_spelled() -> None:
    trie = ValueTrie(date_spellings("between 3 May 2011 and 4 June 2012"))
    assert trie.found_in("2011-05-03")
    assert trie.found_in("June 4, 2012")


@pytest.mark.parametrize("value", ["2011", "five years", "", "last week", "31 February 2011"])
def test_other_values_do_not_fail(value: str) -> None:
    assert all(isinstance(text, str) for text in date_spellings(value))


def test_ordinals() -> None:
    suffixes = {1: "st", 2: "nd", 3: "rd", 11: "th", 12: "th", 13: "th", 21: "st", 22: "nd"}
    for day, suffix in suffixes.items():
        trie = ValueTrie(date_spellings(f"{date(2001, 5, day):%d %B %Y}"))
        assert trie.found_in(f"May {day}{suffix}, 2001")
