"""Places in the forms of Chinese text: countries, cities, roads, estates, addresses."""

from __future__ import annotations

from functools import cache

from sage_rag.privacy.recognizers.chinese.words import ABROAD, CITIES, PROVINCES
from sage_rag.training.recognition.chinese.gazetteer import (
    CJK_COUNTRIES,
    geonames,
    short_town_names,
)
from sage_rag.training.recognition.chinese.place_names import estate_name, hamlet, place_name
from sage_rag.training.recognition.chinese.word_lists import CharacterChain, words
from sage_rag.training.recognition.generated.draw import Draw

_ABBREVIATIONS = (
    "美英法德俄日韩中印澳加意朝伊京沪津渝粤浙苏皖闽赣鲁豫鄂湘"
    "桂琼川蜀黔滇陕甘青宁新藏港澳台冀晋辽吉黑蒙"
)
_GREAT_CITIES = "北京 上海 天津 重庆 香港".split()
_CITIES_WITH_SUFFIX = tuple(f"{name}市" for name in CITIES if not name.endswith("市"))


@cache
def _large_towns_abroad() -> tuple[str, ...]:
    return tuple(
        name
        for name, country, people in geonames()
        if country not in CJK_COUNTRIES and people > 80_000
    )


@cache
def _other_towns_abroad() -> tuple[str, ...]:
    """Return small towns, and towns of countries whose names are written in Chinese characters."""
    return tuple(
        name
        for name, country, people in geonames()
        if country != "CN" and (people <= 80_000 or country in CJK_COUNTRIES)
    )


@cache
def _towns_in_china(endings: str) -> tuple[str, ...]:
    return tuple(
        name
        for name, country, _ in geonames()
        if country == "CN" and name[-1] in endings and len(name) > 2
    )


@cache
def _listed_nature() -> tuple[str, ...]:
    return tuple(name for name in words("place") if name[-1] in "山河湖江岛湾海峡岭峰溪泉谷洞滩原")


@cache
def _transliteration() -> CharacterChain:
    return CharacterChain(_large_towns_abroad())


def country(draw: Draw) -> str:
    return draw.pick(words("countries"))


def province(draw: Draw) -> str:
    return draw.pick(PROVINCES)


def city(draw: Draw) -> str:
    kind = draw.random.random()
    if kind < 0.42:
        known = CITIES if draw.chance(0.7) else _GREAT_CITIES
        name = draw.pick(known)
        return name + ("市" if draw.chance(0.15) and name[-1] != "市" else "")
    if kind < 0.58:
        return draw.pick(short_town_names())
    if kind < 0.7:
        return draw.pick(_towns_in_china("市县区镇"))
    if kind < 0.8:
        return draw.pick(_towns_in_china("市县")).rstrip("市县")
    if kind < 0.87:
        return foreign_place(draw)
    if kind < 0.93:
        return place_name(draw) + draw.pick("县市镇区")
    return province(draw) + draw.pick(CITIES)


def foreign_place(draw: Draw) -> str:
    kind = draw.random.random()
    if kind < 0.35:
        return draw.pick(ABROAD)
    if kind < 0.75:
        return draw.pick(_large_towns_abroad() if draw.chance(0.6) else _other_towns_abroad())
    name = _transliteration().word(draw, 2, 5)
    if kind > 0.93:
        return country(draw) + name
    return name + (draw.pick("市州岛湾港镇郡城") if draw.chance(0.2) else "")


def region(draw: Draw) -> str:
    kind = draw.random.random()
    if kind < 0.55:
        return draw.pick(words("regions"))
    head = draw.pick((city, country, province, foreign_place))(draw) if kind < 0.9 else ""
    return head + draw.pick(
        "东部 西部 南部 北部 中部 东北部 西南部 东南部 沿海 内陆 郊区 市区 周边 西南 东北 "
        "以南 以北".split()
    )


def road(draw: Draw) -> str:
    kind = draw.random.random()
    if kind < 0.12:
        return draw.pick(words("landmarks"))
    if kind < 0.2:
        return f"{draw.between(1, 120)}号" + draw.pick(("公路", "高速公路", "大街", "国道", "线"))
    stem = place_name(draw) if kind < 0.7 else draw.pick(CITIES)
    if kind > 0.92:
        stem = draw.pick(words("brands"))
    return stem + draw.pick(words("road_kinds"))


def crossing(draw: Draw) -> str:
    """Return a place described by roads: a junction, a side, a distance."""
    kind = draw.random.random()
    if kind < 0.3:
        crossed = road(draw) + draw.pick(("与", "和", "、")) + road(draw)
        return crossed + draw.pick(("路口", "交汇处", "交叉口"))
    if kind < 0.6:
        return road(draw) + draw.pick(
            "东侧 西侧 南侧 北侧 路口 出口 高速出口 站 沿线 段 以北".split()
        )
    side = draw.pick("东南西北")
    return road(draw) + place_name(draw) + f"桥{side}{draw.between(1, 20)}00米"


def district(draw: Draw) -> str:
    kind = draw.random.random()
    if kind < 0.3:
        return draw.pick(_towns_in_china("区县"))
    if kind < 0.45:
        return draw.pick(short_town_names())
    if kind < 0.6:
        return draw.pick(words("landmarks"))
    if kind < 0.75:
        return hamlet(draw) if draw.chance(0.5) else place_name(draw)
    return place_name(draw) + draw.pick(
        "区 县 镇 乡 街道 新区 开发区 商务区 片区 地区 街道办 新城".split()
    )


def village(draw: Draw) -> str:
    if draw.chance(0.25):
        return draw.pick(_towns_in_china("镇乡村"))
    head = place_name(draw) + draw.pick(("镇", "乡")) if draw.chance(0.3) else ""
    return head + place_name(draw) + draw.pick("村 村 村 屯 庄 社区 新村 寨 镇 乡 家村 组".split())


def estate(draw: Draw) -> str:
    if draw.chance(0.15):
        return draw.pick(words("landmarks"))
    head = draw.pick(CITIES) if draw.chance(0.15) else ""
    if draw.chance(0.08):
        head += draw.pick(words("brands")) + "·"
    if draw.chance(0.35):
        return head + estate_name(draw)
    stem = place_name(draw) if draw.chance(0.45) else draw.pick(words("brands"))
    ending = draw.pick(words("estate_kinds")) if draw.chance(0.85) else draw.pick(words("brands"))
    detail = draw.pick(words("estate_details")) if draw.chance(0.12) else ""
    return head + stem + ending + detail


def natural_feature(draw: Draw) -> str:
    kind = draw.random.random()
    if kind < 0.45:
        return draw.pick(words("natural_features"))
    if kind < 0.65:
        return draw.pick(_listed_nature())
    stem = place_name(draw) if draw.chance(0.5) else _transliteration().word(draw, 2, 4)
    return stem + draw.pick(
        "山 河 湖 岛 湾 江 海峡 半岛 群岛 沙漠 草原 峡谷 海滩 雪山 水库 瀑布".split()
    )


def wilderness(draw: Draw) -> str:
    """Return a sea, a coast or a wilderness, as its name and its kind."""
    kind = draw.random.random()
    if kind < 0.3:
        name = draw.pick(words("natural_features"))
    elif kind < 0.8:
        name = foreign_place(draw)
    else:
        name = draw.pick((place_name, region))(draw)
    return name + draw.pick(words("wilderness_kinds"))


def landmark(draw: Draw) -> str:
    if draw.chance(0.3):
        return draw.pick(words("landmarks"))
    return place_name(draw) + draw.pick(words("landmark_kinds"))


def bridge(draw: Draw) -> str:
    return place_name(draw) + draw.pick("桥 立交桥 大桥 高架 路口 隧道".split())


def station(draw: Draw) -> str:
    if draw.chance(0.3):
        return draw.pick(words("landmarks"))
    return place_name(draw) + draw.pick(("", "路", "门", "桥"))


def market(draw: Draw) -> str:
    if draw.chance(0.3):
        return draw.pick(words("landmarks"))
    return place_name(draw) + draw.pick(words("market_kinds"))


def ancient_place(draw: Draw) -> str:
    return draw.pick(words("ancient_places"))


def abbreviation(draw: Draw) -> str:
    return draw.pick(_ABBREVIATIONS)


def address(draw: Draw) -> str:
    """Return an address; it starts at the province, city or street and may end at the door."""
    parts = [draw.pick(PROVINCES)] if draw.chance(0.35) else []
    parts += [draw.pick(_CITIES_WITH_SUFFIX)] if draw.chance(0.7) else []
    parts += [district(draw)] if draw.chance(0.6) else []
    parts += [village(draw)] if draw.chance(0.25) else []
    parts += [road(draw)] if draw.chance(0.85) or not parts else []
    parts += [f"{draw.between(1, 900)}号"] if draw.chance(0.75) else []
    parts += [estate(draw)] if draw.chance(0.35) else []
    if draw.chance(0.3):
        parts.append(f"{draw.between(1, 30)}{draw.pick('栋幢座楼')}")
        parts.append(
            f"{draw.between(1, 6)}单元{draw.between(101, 2805)}室" if draw.chance(0.5) else ""
        )
    if draw.chance(0.12):
        parts.append(draw.pick("门口 对面 楼下 附近 旁 路口 二楼 一楼大厅 南侧 东北角".split()))
    return "".join(parts)
