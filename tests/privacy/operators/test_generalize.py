"""Coarser values."""

from __future__ import annotations

import re
from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sage_rag.privacy.entities import EntityType
from sage_rag.privacy.operators.dates import Calendar
from sage_rag.privacy.operators.generalize import LEVELS, generalize

NOTATIONS = ["%Y-%m-%d", "%d %B %Y", "%B %d, %Y", "%d.%m.%Y", "%d/%m/%Y", "%d-%b-%Y", "%m/%d/%y"]


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
        ("teenage", None),
        ("3 years and 4 months old", "2-5 years old"),
        ("aged 6 months", "aged 6-11 months"),
        ("4 1/2 months", "0-5 months"),
        ("40 months old", "36 or more months old"),
        ("100 days", "91 or more days"),
        ("54F", "50-59F"),
        ("late 60s", "60s"),
        ("Age-40", "Age-40-49"),
        ("40 to 50", None),
        ("212lbs", None),
        ("2Zorbatin", None),
        ("68 U/l", None),
        ("31st", None),
        ("150", None),
    ],
)
def test_ages_become_bands(value: str, coarse: str | None) -> None:
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
        ("18/9", None),
        ("2 de septiembre.", "septiembre."),
        ("Sonntag, 21. Juli", "Juli"),
        ("20 mins", "20 mins"),
        ("12.03ng", None),
        ("3 Orlowski", None),
        ("30th April.", "April."),
        (" 3 May ", " May "),
        ("10.5.20.19", None),
        ("62.25.204.15", None),
        ("31 February", "February"),
        ("12/03/35", None),
        ("10/1998", "October 1998"),
        ("since March 3rd, 2019", "since March 2019"),
        ("October of this year", "October of this year"),
        ("5 to 9 May 2020", "May 2020"),
        ("2008 and 2009", "2008 and 2009"),
        ("from 3 May to 12 June 2021", "from May to June 2021"),
        ("2021-04-02 Keller", None),
        ("10:30", None),
        ("3rd of last month", None),
        ("Monday", "Monday"),
    ],
)
def test_dates_become_months(value: str, coarse: str | None) -> None:
    assert generalize(value, EntityType.DATE_TIME) == coarse


@pytest.mark.parametrize(
    ("value", "coarse"),
    [
        ("47", "47"),
        ("89 years", "89 years"),
        ("93 years", "90 or more years"),
        ("ninety-one", "90 or more"),
        ("5 months old", "5 months old"),
        ("elderly", None),
        ("40 to 50", "40 to 50"),
        ("80 to 95", None),
        ("95 months", "95 months"),
        ("4 1/2 months", "4 1/2 months"),
        ("between 4 and 7", "between 4 and 7"),
        ("40–50", "40–50"),
        ("in her late 60's", "in her late 60's"),
        ("3 Orlowski", None),
        ("Ada Novak, 52", None),
        ("3/4/62", None),
        ("11/62", None),
        ("12 34 56", None),
        ("0142", None),
        ("5 May 62", None),
    ],
)
def test_ages_up_to_89_can_stay(value: str, coarse: str | None) -> None:
    assert generalize(value, EntityType.AGE, to="up-to-89") == coarse


@pytest.mark.parametrize(
    ("value", "coarse"),
    [
        ("12 March 2021", "2021"),
        ("03/04/21", "2021"),
        ("2021年3月12日", "2021"),
        ("March", None),
        ("yesterday", "yesterday"),
        ("4 May 1925", None),
        ("4 May 1931", None),
        ("4 May 1932.", "1932."),
    ],
)
def test_dates_become_years_unless_they_tell_an_age_over_89(value: str, coarse: str | None) -> None:
    calendar = Calendar.of("", ["3 May 2021", value])
    assert generalize(value, EntityType.DATE_TIME, to="year", calendar=calendar) == coarse


def test_dates_become_days_since_the_first_of_the_document() -> None:
    dates = ["14 May 2021", "2 May 2021", "May 2021", "2021-06-01"]
    calendar = Calendar.of(" ".join(dates), dates)
    found = [generalize(d, EntityType.DATE_TIME, to="offset", calendar=calendar) for d in dates]
    assert found == ["day 12", "day 0", None, "day 30"]


@pytest.mark.parametrize(
    ("value", "region", "country"),
    [
        ("Austin, TX", "Texas", "United States"),
        ("12 Elm Street, Springfield, IL 62701", "Illinois", "United States"),
        ("Bahnhofstrasse 3, 8001 Zürich", "Switzerland", "Switzerland"),
        ("北京", "China", "China"),
        ("the United Kingdom", "United Kingdom", "United Kingdom"),
        ("Texas", "Texas", "United States"),
        ("Springfield", None, "United States"),
        ("Birmingham", None, None),
        ("Georgia", None, None),
        ("Paris", "France", "France"),
        ("Paris, TX", "Texas", "United States"),
        ("Springfield, IL 62701", "Illinois", "United States"),
        ("Nowhereville", None, None),
        ("Flat 3", None, None),
        ("I", None, None),
        ("62701", None, None),
    ],
)
def test_places_become_regions_and_unknown_ones_are_not_read(
    value: str, region: str | None, country: str | None
) -> None:
    assert generalize(value, EntityType.LOCATION) == region
    assert generalize(value, EntityType.LOCATION, to="country") == country


@pytest.mark.parametrize(
    ("value", "coarse"),
    [
        ("EUR 12,345.67", "about EUR 12,000"),
        ("12.345,67 EUR", "about 12.000 EUR"),
        ("1234567", None),
        ("0.0345 l", None),
        ("0.125 miles", "about 0.12 miles"),
        ("0,375 km", "about 0,38 km"),
        ("125 mg", None),
        ("1250 ml", None),
        ("3.75%", None),
        ("12 mg", "12 mg"),
        ("0.5%", "0.5%"),
        ("7.0 kg", "7.0 kg"),
        ("40.0", "40.0"),
        ("1250.5", None),
        ("over 1,250 euros", "over 1,200 euros"),
        ("997 euros", "about 1000 euros"),
        ("between 1,250 and 3,780 francs", "about between 1,200 and 3,800 francs"),
        ("three hundred euros", None),
    ],
)
def test_quantities_are_rounded_and_keep_their_units(value: str, coarse: str | None) -> None:
    assert generalize(value, EntityType.QUANTITY) == coarse


def test_figures_say_how_far_a_quantity_is_rounded() -> None:
    assert generalize("12,345 km", EntityType.QUANTITY, figures=1) == "about 10,000 km"


@pytest.mark.parametrize("entity_type", sorted(set(EntityType) - set(LEVELS)))
def test_other_types_have_nothing_coarser(entity_type: EntityType) -> None:
    with pytest.raises(ValueError, match="cannot be generalized"):
        generalize("x", entity_type)


def test_an_unknown_level_is_refused() -> None:
    with pytest.raises(ValueError, match="decade"):
        generalize("2021", EntityType.DATE_TIME, to="decade")


@given(
    st.integers(0, 150),
    st.sampled_from(["", " years old", " months", " weeks old", " days", "-hour-old", " y/o"]),
)
def test_a_band_holds_the_age(age: int, unit: str) -> None:
    coarse = generalize(f"{age}{unit}", EntityType.AGE)
    if coarse is None:
        assert age > 120
        return
    low, *high = map(int, re.findall(r"\d+", coarse))
    assert coarse.endswith(unit)
    assert low <= age
    assert age <= high[0] if high else "or more" in coarse


@given(st.dates(date(1940, 1, 1), date(2039, 12, 31)), st.sampled_from(NOTATIONS))
def test_a_month_is_that_of_the_date_or_left_out(day: date, notation: str) -> None:
    coarse = generalize(day.strftime(notation), EntityType.DATE_TIME)
    if coarse is None:
        assert notation.endswith("%y")  # '35 is 1935 or 2035
        return
    assert coarse in (f"{day:%B %Y}", f"{day:%b %Y}", f"{day:%Y}")


@given(st.from_regex(r"[0-9]{1,3}([.][0-9]{1,3}){3,5}", fullmatch=True))
def test_a_chain_of_numbers_is_no_date_and_no_age(value: str) -> None:
    assert generalize(value, EntityType.AGE) is None
    assert generalize(value, EntityType.DATE_TIME) is None


@pytest.mark.parametrize(
    ("before", "date", "level", "coarse"),
    [
        ("It was moved to after ", "15 May 2024", "month", "a date in May 2024"),
        ("Reply by ", "2024-05-15", "year", "a date in 2024"),
        ("valid until ", "May 2024", "year", "a date in 2024"),
        ("valid until ", "May 2024", "month", "May 2024"),
        ("not before the ", "15th of May 2024", "month", "date in May 2024"),
        ("", "after 15 May 2024", "month", "after a date in May 2024"),
        ("", "since 15 May 2024", "month", "since May 2024"),
        ("no later than ", "15 May 2024", "month", None),
        ("Reply by ", "Friday", "month", "Friday"),
        ("seen on ", "15 May 2024", "month", "May 2024"),
    ],
)
def test_a_date_that_begins_or_ends_a_time_stays_true(before, date, level, coarse) -> None:
    assert generalize(date, EntityType.DATE_TIME, to=level, before=before) == coarse


@pytest.mark.parametrize(
    ("before", "value", "level"),
    [
        ("at the end of ", "March 2019", "year"),
        ("the first week of ", "June 2018", "year"),
        ("in the second half of ", "May 2020", "year"),
        ("Version ", "10.5.20", "month"),
        ("under Article ", "8.2.19", "year"),
        ("", "45.04.2021", "month"),
        ("", "31/04/2021", "month"),
        ("", "2021-02-30", "year"),
    ],
)
def test_what_would_be_untrue_of_a_date_is_not_said(before: str, value: str, level: str) -> None:
    assert generalize(value, EntityType.DATE_TIME, to=level, before=before) is None


def test_a_month_of_which_a_part_is_meant_can_stay() -> None:
    value = "March 2019"
    assert generalize(value, EntityType.DATE_TIME, to="month", before="the end of ") == value


@pytest.mark.parametrize(
    ("value", "after", "coarse"),
    [
        ("Moscow", ", Idaho in 2010", None),
        ("Lima", ", Ohio", None),
        ("London", ", Ontario", None),
        ("Ontario", ", Canada", None),
        ("Ontario", "", None),
        ("Austin", ", Texas", "Texas"),
        ("Paris", ", and works", "France"),
        ("Paris", ", Marie said", "France"),
    ],
)
def test_the_place_that_follows_says_where_a_place_is(value, after, coarse) -> None:
    assert generalize(value, EntityType.LOCATION, to="region", after=after) == coarse


def test_an_age_that_is_a_limit_becomes_no_band() -> None:
    assert generalize("1 year", EntityType.AGE, before="until ") is None
    assert generalize("18", EntityType.AGE, before="children under ") is None
    assert generalize("45", EntityType.AGE, to="up-to-89", before="over ") == "45"
