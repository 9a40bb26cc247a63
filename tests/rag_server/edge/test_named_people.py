"""Whom a question names: namesakes, first names, ordinary words next to a name."""

from __future__ import annotations

from dataclasses import replace

import pytest

from sage_rag.privacy.blind_index import PartWords
from sage_rag.privacy.ciphers.default import default_cipher
from sage_rag.privacy.entities import EntityType
from sage_rag.privacy.keyset.keyset import Keyset
from sage_rag.privacy.lookup import Lookup, all_parts, sealed_lookup
from sage_rag.privacy.policy import preset
from sage_rag.privacy.testing import TableRecognizer
from sage_rag.rag_server.edge.index_lookup import IndexLookup
from sage_rag.rag_server.edge.keyring import CorpusKeys
from sage_rag.rag_server.edge.named_people import people_named

KEYS = Keyset.generate()
CIPHER = default_cipher(KEYS, "clinic")
PERSON, PLACE, DATE = EntityType.PERSON, EntityType.LOCATION, EntityType.DATE_TIME

PLACES = ("14 Tanyard Lane, Kinsale", "14 Tanyard Lane Cottages, Hollow", "2 Tanyard Lane, Kinsale")


def token(value, entity_type=PERSON):
    return CIPHER.encrypt(value, entity_type)


def index(*values, texts=("psittacosis and a knee",), places=()):
    tokens = [*map(token, values), *(token(place, PLACE) for place in places)]
    sealed = sealed_lookup(texts, tokens, KEYS, "clinic")
    return IndexLookup(Lookup.open(sealed, KEYS, "clinic"), all_parts(KEYS, "clinic"))


def named(name, *values, **others):
    return people_named([token(name)], index(*values, **others), CIPHER)


@pytest.mark.parametrize(
    ("asked", "meant"),
    [
        ("Henrike", ["Henrike Lindqvist"]),
        ("ms lindqvist", ["Henrike Lindqvist", "Lindqvist"]),
        ("Henrike Lindqvist", ["Henrike Lindqvist", "Lindqvist"]),
        ("HENRIKE LINDQVIST KNEE", ["Henrike Lindqvist", "Lindqvist"]),
        ("lindqvist knee", ["Henrike Lindqvist", "Lindqvist"]),
        ("Tobias Okonjo", ["Tobias Okonjo"]),
        ("Mr Okonjo", ["Tobias Okonjo"]),
        ("Marek Quist", ["Quist"]),
    ],
)
def test_a_name_means_longer_forms_or_its_family_name_alone(asked, meant):
    found = named(asked, "Henrike Lindqvist", "Lindqvist", "Tobias Okonjo", "Quist")
    assert (set(found.known), found.unknown) == ({token(name) for name in meant}, ())


@pytest.mark.parametrize(
    ("asked", "meant"),
    [
        ("H. Lindqvist", ["Henrike Lindqvist"]),
        ("Dr. B. Lindqvist", ["Bill Lindqvist", "Ms B. Lindqvist"]),
        ("E. Lindqvist", ["Lindqvist"]),
        ("T. Okonjo", ["Tobias Okonjo"]),
    ],
)
def test_an_initial_excludes_who_has_another_one(asked, meant):
    family = ("Henrike Lindqvist", "Bill Lindqvist", "Ms B. Lindqvist", "Lindqvist")
    found = named(asked, *family, "Tobias Okonjo")
    assert (set(found.known), found.unknown) == ({token(name) for name in meant}, ())


def test_an_initial_that_no_one_has_is_unknown_and_suggests_the_family():
    found = named("A. Okonjo", "Tobias Okonjo")
    assert (found.known, found.alike) == ((), (token("Tobias Okonjo"),))
    assert found.unknown == (token("A. Okonjo"),)


@pytest.mark.parametrize("asked", ["Astrid Lindqvist", "Henrike Okonjo", "Astrid", "astrid okonjo"])
def test_a_namesake_is_someone_else(asked):
    found = named(asked, "Henrike Lindqvist", "Lindqvist", "Tobias Okonjo")
    assert (found.known, found.unknown) == ((), (token(asked),))


@pytest.mark.parametrize(
    "asked",
    ["Henrike Lindquist", "Henrikke Lindqvist", "Lindqist", "lindqvits", "Hendrike Lindqvist"],
)
def test_a_misspelt_name_is_unknown_and_has_one_that_is_alike(asked):
    found = named(asked, "Henrike Lindqvist", "Tobias Okonjo", "Maria Lind")
    assert (found.known, found.unknown) == ((), (token(asked),))
    assert found.alike == (token("Henrike Lindqvist"),)


@pytest.mark.parametrize("asked", ["Henrike Lindquist", "Hendrike"])
def test_a_person_who_is_alike_is_suggested_once_in_the_best_spelling(asked):
    spelt = ("henrike lindqvist", "HENRIKE LINDQVIST", "Henrike\nLindqvist", "Dr Henrike Lindqvist")
    (alike,) = named(asked, *spelt, "Henrike Lindqvist").alike
    assert CIPHER.decrypt(alike).split() == ["Henrike", "Lindqvist"]


def test_two_persons_who_are_alike_are_both_suggested():
    names = ("Henrike Lindqvist", "H. Lindqvist", "henrike lindqvist")
    assert set(named("Lindquist", *names).alike) == {token(name) for name in names[:2]}


@pytest.mark.parametrize("asked", ["Henrike Lindqvist", "Henrike Maria Lindqvist"])
def test_a_person_whom_the_index_has_by_a_first_name_alone_is_suggested(asked):
    found = named(asked, "Henrike", "Tobias Lindqvist", "Lindqvist")
    assert (found.known, found.unknown, found.alike) == ((), (token(asked),), (token("Henrike"),))


@pytest.mark.parametrize("asked", ["Astrid Lindqvist", "Winslow", "Marek Quist", "Lin"])
def test_another_name_has_none_that_is_alike(asked):
    assert named(asked, "Henrike Lindqvist", "Tobias Okonjo").alike == ()


def test_a_family_name_that_two_have_is_not_added():
    found = named("Henrike Lindqvist", "Henrike Lindqvist", "Lindqvist", "Tobias Lindqvist")
    assert found.known == (token("Henrike Lindqvist"),)


def test_a_short_name_that_is_a_word_is_one_next_to_a_name():
    found = named("henrike lindqvist bill", "Henrike Lindqvist")
    assert (found.known, found.unknown) == ((token("Henrike Lindqvist"),), ())


@pytest.mark.parametrize(
    ("asked", "is_partial"),
    [
        ("lindqvist rabbit", True),
        ("HENRIKE LINDQVIST KNEE", True),
        ("lindqvist psittacosis", True),
        ("ms lindqvist", False),
        ("Henrike Lindqvist", False),
        ("Marek Quist", False),
        ("Rose Lindqvist", False),
        ("rabbit", False),
    ],
)
def test_a_name_with_a_word_that_is_in_no_name_is_partial(asked, is_partial):
    found = named(asked, "Henrike Lindqvist", "Quist", "Rose Field Lindqvist")
    assert found.partial == (token(asked),) * is_partial


def test_a_word_of_a_place_next_to_a_name_is_no_part_of_it():
    found = named("henrike lindqvist lock", "Henrike Lindqvist", places=["Lock Road"])
    assert (found.known, found.unknown) == ((token("Henrike Lindqvist"),), ())


@pytest.mark.parametrize("asked", ["rabbit", "psittacosis", "has an"])
def test_ordinary_words_are_nobody(asked):
    found = named(asked, "Henrike Lindqvist")
    assert (found.known, found.unknown) == ((), ())


def test_an_ordinary_word_with_a_capital_is_the_name_that_the_index_has():
    assert named("Rabbit", "Rabbit, spaniel").known == (token("Rabbit, spaniel"),)
    assert named("rabbit", "Rabbit, spaniel").known == ()


def test_a_person_whom_the_index_has_as_a_place_is_known():
    found = named("Yuki Tanabe", places=["Yuki Tanabe"])
    assert found.known == (token("Yuki Tanabe", PLACE),)


def test_an_address_means_its_longer_form():
    lookup = index(places=["Almgatan 12, Uppsala"])
    found = people_named([token("Almgatan 12", PLACE)], lookup, CIPHER)
    assert found.others == found.meant == (token("Almgatan 12, Uppsala", PLACE),)


def test_a_name_that_too_many_have_is_not_judged():
    crowd = [f"Maria Nr{chr(97 + i // 26)}{chr(97 + i % 26)}" for i in range(65)]
    found = named("Maria", *crowd)
    assert (found.known, found.unknown) == ((), ())


def test_nobody_is_named_without_a_lookup_or_where_the_policy_forbids_parts():
    none = replace(preset("soe-all"), part_words=PartWords.NONE)
    for policy in (preset("soe-all"), none):
        keys = CorpusKeys("clinic", KEYS, TableRecognizer({}), policy)
        keys.use_lookup(sealed_lookup(["x"], [], KEYS, "clinic") if policy is none else None)
        assert keys.named_people(token("Henrike")) is None


@pytest.mark.parametrize(
    ("asked", "meant"),
    [
        ("3 March 2025", ["3 March 2025"]),
        ("3 March", ["3 March 2025", "March 3rd, 2024"]),
        ("3rd of March", ["3 March 2025", "March 3rd, 2024"]),
        ("2024-03-03", ["March 3rd, 2024"]),
        ("9 April 2025", ["9 April"]),
        ("June", []),
    ],
)
def test_a_day_means_its_dates_in_any_notation(asked, meant):
    dates = [token(d, DATE) for d in ("3 March 2025", "March 3rd, 2024", "9 April", "June 2025")]
    sealed = sealed_lookup([], dates, KEYS, "clinic")
    known = IndexLookup(Lookup.open(sealed, KEYS, "clinic"), all_parts(KEYS, "clinic"))
    found = people_named([token(asked, DATE)], known, CIPHER)
    assert (set(found.dates), found.unknown) == ({token(d, DATE) for d in meant}, ())


@pytest.mark.parametrize(("in_index", "is_unknown"), [(["9 April 2025"], True), ([], False)])
def test_a_day_is_unknown_where_the_lookup_has_days_and_not_this_one(in_index, is_unknown):
    sealed = sealed_lookup([], [token(d, DATE) for d in in_index], KEYS, "clinic")
    known = IndexLookup(Lookup.open(sealed, KEYS, "clinic"), all_parts(KEYS, "clinic"))
    christmas = token("24 December 2025", DATE)
    assert people_named([christmas], known, CIPHER).unknown == (christmas,) * is_unknown


@pytest.mark.parametrize(
    ("asked", "meant", "is_unknown"),
    [
        ("14 Tanyard Lane", ["14 Tanyard Lane, Kinsale"], False),
        ("14 tanyard lane, kinsale", ["14 Tanyard Lane, Kinsale"], False),
        ("14 Tanyard Lane Cottages", ["14 Tanyard Lane Cottages, Hollow"], False),
        ("Tanyard Lane", [*PLACES], False),
        ("31 Tanyard Lane", [], True),
        ("9 Acacia Avenue", [], True),
        ("Acacia Avenue", [], False),
        ("14 Tanyard Lane, Cork", [], False),
    ],
)
def test_an_address_means_the_places_with_its_number(asked, meant, is_unknown):
    found = people_named([token(asked, PLACE)], index(places=PLACES), CIPHER)
    assert set(found.others) == {token(place, PLACE) for place in meant}
    assert found.unknown == (token(asked, PLACE),) * is_unknown


@pytest.mark.parametrize("entity_type", [EntityType.ID, EntityType.ORGANIZATION])
def test_a_code_may_be_of_another_type_in_the_index(entity_type):
    asked = token("M-0072", entity_type)
    found = people_named([asked], index("Henrike Lindqvist"), CIPHER)
    assert token("M-0072", EntityType.MEDICAL_RECORD) in found.others
    assert asked not in found.others
