"""Surrogates of a corpus."""

from __future__ import annotations

import subprocess
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sage_rag.privacy.entities import EntityType
from sage_rag.privacy.exceptions import KeysetError
from sage_rag.privacy.keyset.keyset import KEY_BYTES, Keyset, key_id_of
from sage_rag.privacy.operators.dates import Calendar
from sage_rag.privacy.operators.places import atlas
from sage_rag.privacy.operators.surrogate import SURROGATE_TYPES, Surrogates
from sage_rag.privacy.words import normalize

KEY = bytes(range(KEY_BYTES))
KEYSET = Keyset({key_id_of(KEY): KEY}, key_id_of(KEY))
SURROGATES = Surrogates(KEYSET, "clinic")
CALENDAR = Calendar(shift_days=40)
OUR_TYPES = sorted(SURROGATE_TYPES)


@settings(deadline=None)  # the first value of a type loads its lists
@given(st.text(min_size=1, max_size=25), st.sampled_from(OUR_TYPES))
def test_no_value_stands_for_itself(value: str, entity_type: EntityType) -> None:
    found = SURROGATES.surrogate(value, entity_type, CALENDAR)
    if normalize(value):
        assert normalize(found) != normalize(value)


def test_another_process_chooses_alike() -> None:
    program = (
        "from sage_rag.privacy.entities import EntityType as T\n"
        "from sage_rag.privacy.keyset.keyset import *\n"
        "from sage_rag.privacy.operators.dates import Calendar\n"
        "from sage_rag.privacy.operators.surrogate import Surrogates\n"
        "key = bytes(range(32))\n"
        "s = Surrogates(Keyset({key_id_of(key): key}, key_id_of(key)), 'clinic')\n"
        "print(s.surrogate('Maria Keller', T.PERSON, Calendar()),"
        " s.surrogate('Lake Clinic', T.ORGANIZATION, Calendar()), s.shift_days('x'), sep='|')"
    )
    run = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True,
        env={"PYTHONHASHSEED": "12"},
    )  # fmt: skip
    assert run.stdout.strip() == "|".join(
        [
            SURROGATES.surrogate("Maria Keller", EntityType.PERSON, CALENDAR),
            SURROGATES.surrogate("Lake Clinic", EntityType.ORGANIZATION, CALENDAR),
            str(SURROGATES.shift_days("x")),
        ]
    )


@pytest.mark.parametrize(
    "other", [Surrogates(Keyset.generate(), "clinic"), Surrogates(KEYSET, "b")]
)
def test_another_key_or_corpus_chooses_otherwise(other: Surrogates) -> None:
    names = [
        f"{given} {family}" for given in ("Ada", "Eve", "Max") for family in ("Keller", "Stone")
    ]
    assert all(
        SURROGATES.surrogate(n, EntityType.PERSON, CALENDAR)
        != other.surrogate(n, EntityType.PERSON, CALENDAR)
        for n in names
    )


@given(st.text(max_size=20), st.integers(1, 400))
def test_a_shift_stays_within_its_limit_and_is_never_nothing(text: str, most: int) -> None:
    days = SURROGATES.shift_days(text, most)
    assert 1 <= abs(days) <= most
    assert days % 7 or most < 7


def test_white_space_around_a_value_stays() -> None:
    found = SURROGATES.surrogate(" Maria Keller\n", EntityType.PERSON, CALENDAR)
    assert found.startswith(" ")
    assert found.endswith("\n")


@pytest.mark.parametrize(
    ("value", "entity_type", "kept"),
    [
        ("Lake Clinic", EntityType.ORGANIZATION, "Clinic"),
        ("Keller & Sohn GmbH", EntityType.ORGANIZATION, "GmbH"),
        ("腾讯科技有限公司", EntityType.ORGANIZATION, "有限公司"),
        ("12 Elm Street", EntityType.LOCATION, "Street"),
        ("Bahnhofstrasse 3", EntityType.LOCATION, "strasse"),
        ("北京市海淀区", EntityType.LOCATION, "区"),
        ("47-year-old", EntityType.AGE, "-year-old"),
        ("EUR 12,345.67", EntityType.QUANTITY, "EUR "),
        ("0.125 km", EntityType.QUANTITY, "0."),
    ],
)
def test_what_kind_of_thing_it_is_stays(value: str, entity_type: EntityType, kept: str) -> None:
    assert kept in SURROGATES.surrogate(value, entity_type, CALENDAR)


def test_a_city_and_its_country_go_on_fitting() -> None:
    whole = SURROGATES.surrogate("Bern, Switzerland", EntityType.LOCATION, CALENDAR)
    city = SURROGATES.surrogate("Bern", EntityType.LOCATION, CALENDAR)
    country = SURROGATES.surrogate("Switzerland", EntityType.LOCATION, CALENDAR)
    assert whole == f"{city}, {country}"


def test_a_town_and_its_state_go_to_one_state():
    """There is a larger Springfield elsewhere; the address says which one is meant."""
    found = SURROGATES.surrogate("Springfield, IL", EntityType.LOCATION, CALENDAR)
    town, code = found.split(", ")
    assert town in atlas().cities[atlas().states[code]]


def test_a_saint_stays_one():
    found = SURROGATES.surrogate("St. Mary's Hospital", EntityType.ORGANIZATION, CALENDAR)
    assert found.startswith("St. ")
    assert "Mary" not in found


def test_an_age_stays_in_its_band() -> None:
    for age in (3, 25, 47, 89, 93):
        found = int(SURROGATES.surrogate(str(age), EntityType.AGE, CALENDAR))
        assert found != age
        assert (found >= 90) == (age >= 90)
        assert abs(found - age) < 12


def test_demographics_stay_of_their_sort() -> None:
    assert SURROGATES.surrogate("TURKISH", EntityType.DEMOGRAPHIC, CALENDAR).isupper()
    assert SURROGATES.surrogate("nurse", EntityType.DEMOGRAPHIC, CALENDAR)[0].islower()


def test_a_grant_without_the_type_has_no_surrogates_for_it() -> None:
    granted = Surrogates(KEYSET.grant([EntityType.PERSON]), "clinic")
    assert granted.surrogate("Ada", EntityType.PERSON, CALENDAR) == SURROGATES.surrogate(
        "Ada", EntityType.PERSON, CALENDAR
    )
    with pytest.raises(KeysetError):
        granted.surrogate("a@example.org", EntityType.EMAIL_ADDRESS, CALENDAR)


@pytest.mark.parametrize("entity_type", [EntityType.MISC, EntityType.LITERAL])
def test_a_type_without_surrogates_is_refused(entity_type: EntityType) -> None:
    with pytest.raises(ValueError, match="no surrogates"):
        SURROGATES.surrogate("x", entity_type, CALENDAR)


def test_the_fingerprint_changes_with_the_key() -> None:
    assert Surrogates(Keyset.generate(), "clinic").fingerprint != SURROGATES.fingerprint
