"""Places that people built, and places named by another place: halls, stops, tombs, "behind X"."""

from __future__ import annotations

from sage_rag.training.recognition.chinese.place_names import estate_name, hamlet, place_name
from sage_rag.training.recognition.chinese.places import (
    city,
    country,
    district,
    estate,
    foreign_place,
    landmark,
    natural_feature,
    province,
    road,
    station,
)
from sage_rag.training.recognition.chinese.word_lists import words
from sage_rag.training.recognition.generated.draw import Draw

_PURPOSES = (
    "国际 中央 文化 体育 电竞 数字 艺术 海鲜 音乐 科技 生态 历史 民俗 汽车 健康 儿童 革命 世纪 "
    "奥林匹克 第一 第二 新 老 东 西 南 北".split()
)


def facility(draw: Draw) -> str:
    """Return a hall, a park, a station or a shop, sometimes after its city or owner."""
    kind = draw.random.random()
    if kind < 0.35:
        head = city(draw)
    elif kind < 0.6:
        head = place_name(draw)
    elif kind < 0.75:
        head = draw.pick(words("brands"))
    else:
        head = draw.pick((hamlet, district, estate_name, _university, country))(draw)
    middle = draw.pick(_PURPOSES) if draw.chance(0.25) else ""
    return head + middle + draw.pick(words("facility_kinds"))


def _university(draw: Draw) -> str:
    return draw.pick(words("famous_schools"))


def subway_stop(draw: Draw) -> str:
    """Return a stop, sometimes with its line, its exit and the direction from there."""
    line = draw.pick(("地铁", "轻轨", "")) + f"{draw.between(1, 18)}号线"
    head = draw.pick(("", "", "地铁", line, line))
    name = draw.pick((place_name, hamlet, station, road, district))(draw)
    stop = name + draw.pick(("站", "站", "站", "地铁站", "轻轨站"))
    if draw.chance(0.6):
        stop += draw.pick((f"{draw.between(1, 9)}号", draw.pick("ABCDabcd"), "西北", "东南"))
        stop += draw.pick(("口", "出口", "出口", "出入口"))
        stop += draw.pick(("", "", "", "向右", "向东", "旁"))
    return head + stop


def relative_place(draw: Draw) -> str:
    """Return a place described by another: in it, next to it, north of it."""
    outer = draw.pick((city, city, district, foreign_place, country, province, road, hamlet))(draw)
    inner = draw.pick((estate, facility, hamlet, road, landmark, natural_feature))(draw)
    kind = draw.random.random()
    if kind < 0.3:
        return outer + inner + draw.pick(words("nearby"))
    if kind < 0.65:
        return draw.pick((outer, inner)) + draw.pick(words("nearby"))
    return outer + inner if kind < 0.95 else f"{outer}的{inner}"


def tomb(draw: Draw) -> str:
    """Return a tomb, shrine or former residence of a historic person."""
    head = city(draw) if draw.chance(0.3) else ""
    era = draw.pick("战国时期 汉代 西汉 明代 唐代 宋代".split()) if draw.chance(0.15) else ""
    name = draw.pick(words("historic_names")) if draw.chance(0.7) else place_name(draw)
    return head + era + name + draw.pick("墓 墓 陵 故居 故里 祠 纪念馆 王墓 书院 旧址 庙".split())
