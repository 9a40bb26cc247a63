"""Coarser values."""

from __future__ import annotations

import pytest

from sage_rag.privacy.entities import EntityType
from sage_rag.privacy.operators.dates import Calendar
from sage_rag.privacy.operators.generalize import LEVELS, generalize


@pytest.mark.parametrize(
    ("value", "coarse"),
    [
        ("47", "40-49"),
        ("47-year-old", "40-49-year-old"),
        ("4 yrs old", "2-5 yrs old"),
        ("0", "0-1"),
        ("18", "18-29"),
        ("89", "80-89"),
        ("93 years", "90 or more years"),
        ("5 months old", "0-5 months old"),
        ("18 mo", "12-23 mo"),
        ("3-week-old", "0-5-week-old"),
        ("10 days", "7-27 days"),
        ("forty", "40-49"),
        ("sixty-three years old", "60-69 years old"),
        ("six weeks old", "6-11 weeks old"),
        ("nineteen", "18-29"),
        ("teenage", "some age"),
    ],
)
def test_ages_become_bands(value: str, coarse: str) -> None:
    assert generalize(value, EntityType.AGE) == coarse


@pytest.mark.parametrize(
    ("value", "coarse"),
    [
        ("12 March 2021", "March 2021"),
        ("Mar. 3rd", "Mar"),
        ("2021-03-12", "March 2021"),
        ("31/12/2020", "December 2020"),
        ("12/31/2020", "December 2020"),
        ("2021-04-02T10:30:00", "April 2021"),
        ("12/03/21", "2021"),
        ("14.10.24", "October 2024"),
        ("04/05/67", "1967"),
        ("18/9", "that day"),
        ("2 de septiembre.", "septiembre."),
        ("Sonntag, 21. Juli", "Juli"),
        ("20 mins", "20 mins"),
        ("12.03ng", "that day"),
        ("3 Orlowski", "that day"),
        ("30th April.", "April."),
        (" 3 May ", " May "),
    ],
)
def test_dates_become_months(value: str, coarse: str) -> None:
    assert generalize(value, EntityType.DATE_TIME) == coarse


@pytest.mark.parametrize(
    ("value", "coarse"),
    [
        ("47", "47"),
        ("89 years", "89 years"),
        ("93 years", "90 or more years"),
        ("ninety-one", "90 or more"),
        ("5 months old", "5 months old"),
        ("elderly", "some age"),
    ],
)
def test_ages_up_to_89_can_stay(value: str, coarse: str) -> None:
    assert generalize(value, EntityType.AGE, to="up-to-89") == coarse


@pytest.mark.parametrize(
    ("value", "coarse"),
    [
        ("12 March 2021", "2021"),
        ("03/04/21", "2021"),
        ("2021年3月12日", "2021"),
        ("March", "that day"),
        ("yesterday", "yesterday"),
        ("4 May 1925", "that day"),
        ("4 May 1931", "that day"),
        ("4 May 1932.", "1932."),
    ],
)
def test_dates_become_years_unless_they_tell_an_age_over_89(value: str, coarse: str) -> None:
    calendar = Calendar.of("", ["3 May 2021", value])
    assert generalize(value, EntityType.DATE_TIME, to="year", calendar=calendar) == coarse


def test_dates_become_days_since_the_first_of_the_document() -> None:
    dates = ["14 May 2021", "2 May 2021", "May 2021", "2021-06-01"]
    calendar = Calendar.of(" ".join(dates), dates)
    found = [generalize(d, EntityType.DATE_TIME, to="offset", calendar=calendar) for d in dates]
    assert found == ["day 12", "day 0", "that day", "day 30"]


@pytest.mark.parametrize(
    ("value", "region", "country"),
    [
        ("Austin, TX", "Texas", "United States"),
        ("12 Elm Street, Springfield, IL 62701", "Illinois", "United States"),
        ("Bahnhofstrasse 3, 8001 Zürich", "Switzerland", "Switzerland"),
        ("北京", "China", "China"),
        ("the United Kingdom", "United Kingdom", "United Kingdom"),
        ("Texas", "Texas", "United States"),
        ("Nowhereville", "<LOCATION>", "<LOCATION>"),
        ("Flat 3", "<LOCATION>", "<LOCATION>"),
        ("I", "<LOCATION>", "<LOCATION>"),
        ("62701", "<LOCATION>", "<LOCATION>"),
    ],
)
def test_places_become_regions_and_unknown_ones_a_mark(
    value: str, region: str, country: str
) -> None:
    assert generalize(value, EntityType.LOCATION) == region
    assert generalize(value, EntityType.LOCATION, to="country") == country


@pytest.mark.parametrize(
    ("value", "coarse"),
    [
        ("EUR 12,345.67", "EUR 12,000"),
        ("12.345,67 EUR", "12.000 EUR"),
        ("1234567", "1200000"),
        ("0.0345 l", "0.034 l"),
        ("3.75%", "3.8%"),
        ("12 mg", "12 mg"),
        ("0.5%", "0.5%"),
        ("7.0 kg", "7.0 kg"),
        ("40.0", "40.0"),
        ("1250.5", "1300"),
        ("997", "1000"),
        ("between 1,250 and 3,780 francs", "between 1,200 and 3,800 francs"),
        ("three hundred euros", "some amount"),
    ],
)
def test_quantities_are_rounded_and_keep_their_units(value: str, coarse: str) -> None:
    assert generalize(value, EntityType.QUANTITY) == coarse


def test_figures_say_how_far_a_quantity_is_rounded() -> None:
    assert generalize("12,345 km", EntityType.QUANTITY, figures=1) == "10,000 km"


@pytest.mark.parametrize("entity_type", sorted(set(EntityType) - set(LEVELS)))
def test_other_types_have_nothing_coarser(entity_type: EntityType) -> None:
    with pytest.raises(ValueError, match="cannot be generalized"):
        generalize("x", entity_type)


def test_an_unknown_level_is_refused() -> None:
    with pytest.raises(ValueError, match="decade"):
        generalize("2021", EntityType.DATE_TIME, to="decade")
