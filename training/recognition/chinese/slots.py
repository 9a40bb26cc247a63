"""The slots of the Chinese templates: how each value is written, and its entity type.

`templates/README.md` explains the syntax of the templates.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from sage_rag.privacy.entities import EntityType
from sage_rag.privacy.recognizers.chinese.words import PREFIXES
from sage_rag.training.recognition.chinese import facilities, names, organizations, places
from sage_rag.training.recognition.chinese.gazetteer import word
from sage_rag.training.recognition.chinese.place_names import hamlet
from sage_rag.training.recognition.chinese.word_lists import lines, words
from sage_rag.training.recognition.generated.draw import Draw

Write = Callable[[Draw], str]

_MARKED: Mapping[EntityType, Sequence[Write]] = {
    EntityType.PERSON: (
        names.chinese_name, names.foreign_name, names.nickname, names.masked_name,
        names.titled_name, names.japanese_name, names.player_name, names.historic_name,
        names.courtesy_name, names.latin_name,
    ),
    EntityType.LOCATION: (
        places.city, places.province, places.country, places.foreign_place, places.road,
        places.estate, places.district, places.village, places.address, places.natural_feature,
        places.region, places.abbreviation, places.ancient_place, places.market, places.landmark,
        places.station, places.bridge, places.crossing, places.wilderness, hamlet,
        facilities.facility, facilities.subway_stop, facilities.relative_place, facilities.tomb,
    ),
    EntityType.ORGANIZATION: (
        organizations.company, organizations.bank, organizations.court, organizations.hospital,
        organizations.school, organizations.club, organizations.office, organizations.media,
        organizations.team,
    ),
}  # fmt: skip
"""Slots with a type; each is named like its function."""
_NUMERALS = "一二三四五六七八九十"


def _number(draw: Draw) -> str:
    kind = draw.random.random()
    if kind < 0.5:
        return str(draw.between(1, 99))
    if kind < 0.75:
        return str(draw.between(100, 3000))
    return draw.pick(_NUMERALS) if kind < 0.9 else f"{draw.between(1, 20)}.{draw.between(1, 9)}"


def _money(draw: Draw) -> str:
    unit = draw.pick("万元 亿元 万美元 亿美元 万欧元 元 万英镑 亿港元".split())
    return f"{draw.between(1, 9000)}{unit}"


def _date(draw: Draw) -> str:
    day = f"{draw.between(1, 12)}月{draw.between(1, 28)}日"
    year = f"{draw.between(1985, 2024)}年"
    return draw.pick(
        (day, day, year + day, "昨日", "今天", "上周", "去年", "本周三", "近日", "日前")
    )


def _title(draw: Draw) -> str:
    """Return the title of a game, a film or a book; names in it are not marked."""
    if draw.chance(0.12):
        stem = draw.pick((places.foreign_place, names.transliterated))(draw)
        return stem + draw.pick(("", "之战", "2"))
    parts = [word(draw) for _ in range(draw.pick((1, 2, 2, 3)))]
    joined = draw.pick(("", "", "的", "之", "与", "：")).join(parts)
    return joined + draw.pick(("", "", "", "2", "3", "Ⅲ", "OL", "传", "记", "online"))


def _latin_title(draw: Draw) -> str:
    """Return the title of a game or film in Latin letters."""
    name = [draw.coined() for _ in range(draw.pick((1, 1, 2, 3)))]
    joined = draw.pick(("", "", " ", ":")).join(name)
    return (joined.lower() if draw.chance(0.4) else joined) + draw.pick(("", "", "", "2", "4"))


def _link(draw: Draw) -> str:
    host = f"{draw.coined().lower()}.{draw.pick(('com', 'cn', 'com.cn', 'net', 'tv'))}"
    path = f"/{draw.coined().lower()}" if draw.chance(0.5) else ""
    return draw.pick(("", "www.", "http://", "http://www.")) + host + path


def _mailbox(draw: Draw) -> str:
    return f"{draw.coined().lower()}{draw.digits(2)}@{draw.pick(('163.com', 'qq.com', 'sina.cn'))}"


_UNMARKED: Mapping[str, Write] = {
    "number": _number,
    "small_number": lambda draw: str(draw.between(1, 12)),
    "money": _money,
    "date": _date,
    "percentage": lambda draw: f"{draw.between(1, 99)}.{draw.between(0, 9)}%",
    "phone": lambda draw: "1" + draw.pick("3578") + draw.digits(9),
    "id_number": lambda draw: draw.digits(18),
    "title": _title,
    "latin_title": _latin_title,
    "media_unmarked": lambda draw: draw.pick(words("media")),
    "occupation": lambda draw: draw.pick(PREFIXES[70:]),
    "word": word,
    "particle": lambda draw: (
        draw.pick(lines("clauses/particles")) if draw.chance(0.7) else draw.pick(words("adverbs"))
    ),
    "tech_term": lambda draw: draw.pick(lines("clauses/tech_terms")),
    "mailbox": _mailbox,
    "url": _link,
}
SLOTS: Mapping[str, tuple[EntityType | None, Write]] = {
    **{write.__name__: (kind, write) for kind, slots in _MARKED.items() for write in slots},
    **{name: (None, write) for name, write in _UNMARKED.items()},
}
"""The type and the source of each value; a value without a type is not marked."""
