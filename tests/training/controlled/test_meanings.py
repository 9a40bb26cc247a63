import pytest

from sage_rag.training.controlled.meanings import meaning_of, meanings_in


@pytest.mark.parametrize(
    ("value", "meaning"),
    [
        ("May 12, 2011", "2011-05-12"),
        ("12.05.2011", "2011-05-12"),
        ("May 2011", "2011-05-00"),
        ("12 May", "?-05-12"),
        ("1.000 €", "1000 euro"),
        ("$1.5 million", "1500000 dollar"),
        ("2011", None),
        ("05/04/2011", None),
        ("five years", None),
        ("Mr. A. Quist", None),
        ("", None),
    ],
)
def test_a_value_has_one_meaning_or_none(value: str, meaning: str | None) -> None:
    assert meaning_of(value) == meaning


def test_an_ambiguous_date_has_both_readings() -> None:
    assert meanings_in("Paid on 05/04/2011.") == {"2011-05-04", "2011-04-05"}


def test_a_text_has_all_its_dates_and_sums() -> None:
    found = meanings_in("On 3 June 2001 she paid EUR 1,234,567, and $5 on July 4th, 2001.")
    assert found >= {"2001-06-03", "1234567 euro", "5 dollar", "2001-07-04"}
