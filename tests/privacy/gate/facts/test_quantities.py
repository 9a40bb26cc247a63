"""Numbers are read in base units, so that equal quantities in other words are equal."""

import pytest

from sage_rag.privacy.gate.facts.quantities import read_quantities


def values(text: str) -> list[tuple[str, str, str]]:
    return [(str(q.low), str(q.high), q.unit) for q in read_quantities(text)]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("twice a day", "2 times daily"),
        ("three times per week", "3 times a week"),
        ("every 8 hours", "three times a day"),
        ("4-6 hourly", "every 4 to 6 hours"),
        ("bd", "twice daily"),
        ("every other day", "alternate days"),
        ("for two weeks", "for 14 days"),
        ("1.5 g", "1500 mg"),
        ("twenty-five percent", "25%"),
        ("$1,500", "1500 dollars"),
        ("one hundred and fifty units", "150 units"),
        ("$2 million", "$2,000,000"),
    ],
)
def test_equal_quantities_are_read_alike(one: str, other: str) -> None:
    assert values(one)
    assert values(one) == values(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [("5 mg", "5 mcg"), ("5 mg", "5 ml"), ("twice a day", "twice a week"), ("15 days", "15 weeks")],
)
def test_other_units_are_other_quantities(one: str, other: str) -> None:
    assert values(one) != values(other)


def test_the_first_number_of_a_range_has_the_unit_of_the_second() -> None:
    assert values("2 to 3 tablets") == [("2", "2", "tablet"), ("3", "3", "tablet")]


def test_one_as_a_pronoun_is_no_number() -> None:
    assert values("the one that you sent, one should wait") == []


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("5 mıllıon", ("5", "5", "")),
        ("5 thouſand", ("5", "5", "")),
        ("daily every ſunday", ("1/24", "1/24", "frequency")),
    ],
)
def test_a_word_with_letters_that_only_resemble_those_of_a_number_word_is_none(
    text: str, read: tuple[str, str, str]
) -> None:
    assert values(text) == [read]
