"""Templates: `[a|b]` is one of several, `<name>` a clause of a file, `{name}` a value to write."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from sage_rag.privacy.entities import EntityType
from sage_rag.privacy.recognizers.chinese.words import PREFIXES
from sage_rag.privacy.spans import Span
from sage_rag.training.recognition.chinese import bodies, coined, names, places, sites
from sage_rag.training.recognition.chinese.draw import lines, words
from sage_rag.training.recognition.chinese.gazetteer import word
from sage_rag.training.recognition.generated.draw import Draw

_CHOICE = re.compile(r"\[([^\[\]]*\|[^\[\]]*)\]")
_CLAUSE = re.compile(r"<([a-z]+)>")
_SLOT = re.compile(r"\{([a-z\d]+)\}")
TOPICS = (
    "art court edu film finance games mail medical mixed mixed news news plain politics property "
    "sport travel travel"
).split()
"""Files of templates, as often as they are drawn."""
_TOPICAL = (
    "fin prop game film pol edu art sport law med mail plain plain prose prose prose generic"
).split()
"""Files of clauses that may stand for each other."""
_MARKED: Mapping[EntityType, Mapping[str, Callable[[Draw], str]]] = {
    EntityType.PERSON: {
        "pc": names.chinese,
        "pf": names.foreign,
        "pn": names.nickname,
        "pm": names.masked,
        "ps": names.titled,
        "pj": names.japanese,
        "pl": names.player,
        "hist": names.historic,
        "gv": names.courtesy,
        "latname": names.original,
    },
    EntityType.LOCATION: {
        "c": places.city,
        "cp": places.province,
        "n": places.country,
        "fc": places.abroad,
        "rd": places.road,
        "es": places.estate,
        "dist": places.district,
        "vil": places.village,
        "addr": places.address,
        "nat": places.natural,
        "ar": places.region,
        "ab": places.short,
        "lh": places.old,
        "mk": places.market,
        "temple": places.landmark,
        "stn": places.station,
        "br": places.bridge,
        "x": places.crossing,
        "fac": sites.facility,
        "ex": sites.subway,
        "inn": sites.told,
        "tomb": sites.tomb,
        "wat": sites.wild,
        "hil": coined.hamlet,
    },
    EntityType.ORGANIZATION: {
        "co": bodies.company,
        "bk": bodies.bank,
        "ct": bodies.court,
        "hs": bodies.hospital,
        "sc": bodies.school,
        "cl": bodies.club,
        "gov": bodies.office,
        "md": bodies.media,
        "sn": bodies.team,
    },
}
_WRITTEN: Mapping[EntityType, re.Pattern[str]] = {
    EntityType.ORGANIZATION: re.compile(
        "联合国|北约|欧盟|世界卫生组织|银监会|证监会|保监会|欧洲央行|央行|美联储|华谊兄弟|佳士得|苏富比|"
        "故宫博物院|国务院发展研究中心|国务院|外交部(?=发言人)|国台办|商务部|全国人大|全国政协|"
        "EHOME|LGD|RNG|WE战队|IG战队|中国男篮"
    ),
    EntityType.LOCATION: re.compile("故宫(?!博)|台湾|中国(?!男篮)"),
}
"""Bodies and places that templates name themselves."""
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
    """Return the title of a game, a film or a book; what names it holds are not marked."""
    if draw.chance(0.12):
        return draw.pick((places.abroad, names.transliterated))(draw) + draw.pick(("", "之战", "2"))
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


_UNMARKED: Mapping[str, Callable[[Draw], str]] = {
    "num": _number,
    "num2": lambda draw: str(draw.between(1, 12)),
    "mon": _money,
    "d": _date,
    "pct": lambda draw: f"{draw.between(1, 99)}.{draw.between(0, 9)}%",
    "ph": lambda draw: "1" + draw.pick("3578") + draw.digits(9),
    "id": lambda draw: draw.digits(18),
    "g": _title,
    "m": _title,
    "b": _title,
    "md2": lambda draw: draw.pick(words("media")),
    "job": lambda draw: draw.pick(PREFIXES[70:]),
    "w": word,
    "mailbox": _mailbox,
    "j": lambda draw: (
        draw.pick(lines("clauses/joints")) if draw.chance(0.7) else draw.pick(words("adverb"))
    ),
    "lt": _latin_title,
    "url": _link,
    "tech": lambda draw: draw.pick(lines("clauses/tech")),
}
_SLOTS: Mapping[str, tuple[EntityType | None, Callable[[Draw], str]]] = {
    **{name: (kind, write) for kind, slots in _MARKED.items() for name, write in slots.items()},
    **{name: (None, write) for name, write in _UNMARKED.items()},
}


@dataclass(frozen=True, slots=True)
class GeneratedText:
    """A text and where its values are."""

    text: str
    spans: tuple[Span, ...]


def sentence(draw: Draw) -> GeneratedText:
    """Return a sentence of some topic, its choices made and its values written."""
    template = _resolved(draw.pick(lines(draw.pick(TOPICS))), draw)
    text, spans, position = "", [], 0
    said: dict[EntityType, str] = {}
    for slot in _SLOT.finditer(template):
        spans += _written(template[position : slot.start()], len(text))
        text += template[position : slot.start()]
        kind, write = _SLOTS[slot[1]]
        value = write(draw)
        if kind is EntityType.PERSON:  # a text that names people names them again
            value = said.setdefault(kind, value) if draw.chance(0.06) else value
        if kind is not None:
            spans.append(Span(len(text), len(text) + len(value), kind))
        text += value
        position = slot.end()
    spans += _written(template[position:], len(text))
    return GeneratedText(text + template[position:], tuple(spans))


def _written(part: str, offset: int) -> list[Span]:
    return [
        Span(offset + match.start(), offset + match.end(), kind)
        for kind, pattern in _WRITTEN.items()
        for match in pattern.finditer(part)
    ]


def _resolved(template: str, draw: Draw) -> str:
    while choice := _CHOICE.search(template):
        chosen = draw.pick(choice[1].split("|"))
        template = template[: choice.start()] + chosen + template[choice.end() :]
    return _CLAUSE.sub(lambda clause: _clause(clause[1], draw), template)


def _clause(name: str, draw: Draw) -> str:
    """Return a clause of the file, at times of another: how a thing is said tells little."""
    if name == "salad" or (name in _TOPICAL and draw.chance(0.12)):
        return _salad(draw)
    if name in _TOPICAL and draw.chance(0.25):
        name = draw.pick(_TOPICAL)
    return draw.pick(lines(f"clauses/{name}"))


def _salad(draw: Draw) -> str:
    """Return words in no order, so that a word is told from a name wherever it stands."""
    parts = [word(draw) for _ in range(draw.between(2, 6))]
    joints = [draw.pick(lines("clauses/joints")) if draw.chance(0.5) else "" for _ in parts]
    return "".join(part for pair in zip(parts, joints, strict=True) for part in pair)
