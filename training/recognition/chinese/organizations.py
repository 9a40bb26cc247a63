"""Organisations in the forms of Chinese text: companies, courts, hospitals, schools, clubs."""

from __future__ import annotations

from functools import cache

from faker.providers.company.zh_CN import Provider

from sage_rag.privacy.recognizers.chinese.words import CITIES, GIVEN, PROVINCES
from sage_rag.training.recognition.chinese.names import transliterated
from sage_rag.training.recognition.chinese.places import city, country, district, foreign_place
from sage_rag.training.recognition.chinese.word_lists import words
from sage_rag.training.recognition.generated.draw import Draw

_GIVEN = tuple(sorted(GIVEN))


@cache
def _company_stems() -> tuple[str, ...]:
    return tuple(dict.fromkeys(Provider.company_prefixes))


def brand(draw: Draw) -> str:
    return "".join(draw.pick(_GIVEN) for _ in range(draw.pick((2, 2, 2, 3))))


def company(draw: Draw) -> str:
    """Return a known short name, or a name of place, brand, trade and legal form."""
    kind = draw.random.random()
    if kind < 0.38:
        return draw.pick(words("companies"))
    if kind < 0.44:
        return draw.coined() + (draw.coined() if draw.chance(0.3) else "")
    if kind < 0.52:
        return transliterated(draw, 4) + draw.pick(("公司", "集团", "", "银行", "汽车", "资本"))
    stem = draw.pick(_company_stems()) if draw.chance(0.35) else brand(draw)
    head = city(draw) if draw.chance(0.4) else ""
    trade = draw.pick(words("company_trades")) if draw.chance(0.75) else ""
    form = draw.pick(words("company_forms")) if draw.chance(0.7) or not trade else ""
    return head + stem + trade + form


def bank(draw: Draw) -> str:
    if draw.chance(0.85):
        return draw.pick(words("banks"))
    return draw.pick(CITIES) + draw.pick(("银行", "农商行"))


def court(draw: Draw) -> str:
    return (
        city(draw) + (district(draw) if draw.chance(0.4) else "") + draw.pick(words("court_kinds"))
    )


def hospital(draw: Draw) -> str:
    return city(draw) + draw.pick(words("hospital_kinds"))


def school(draw: Draw) -> str:
    if draw.chance(0.35):
        return draw.pick(words("famous_schools"))
    head = draw.pick(PROVINCES) if draw.chance(0.3) else city(draw)
    if draw.chance(0.2):
        head = transliterated(draw, 4)
    return head + draw.pick(words("school_kinds"))


def office(draw: Draw) -> str:
    kind = draw.random.random()
    if kind < 0.5:
        return draw.pick(words("offices"))
    if kind < 0.75:
        seat = city(draw) if draw.chance(0.7) else draw.pick(PROVINCES)
        return seat + draw.pick(words("office_kinds"))
    return country(draw) + draw.pick(words("foreign_office_kinds"))


def media(draw: Draw) -> str:
    if draw.chance(0.85):
        return draw.pick(words("media"))
    head = draw.pick(CITIES) if draw.chance(0.5) else foreign_place(draw)
    return head + draw.pick("晚报 日报 都市报 电视台 时报 广播电台 周刊 商报".split())


def club(draw: Draw) -> str:
    kind = draw.random.random()
    if kind < 0.65:
        return draw.pick(words("clubs"))
    if kind < 0.8:
        return foreign_place(draw)
    return transliterated(draw, 4) + draw.pick(("", "", "队", "竞技", "联", "城", "流浪者", "战队"))


def team(draw: Draw) -> str:
    return brand(draw) + draw.pick(("", "", "队", "足球俱乐部", "女排"))
