"""Surrogate places, organisations and descriptions of people."""

from __future__ import annotations

import importlib
import re
from collections.abc import Callable
from functools import cache

from sage_rag.privacy.operators.keyed import KeyedChoice, Ring, like
from sage_rag.privacy.operators.numbers import surrogate_code
from sage_rag.privacy.operators.people import pick_family
from sage_rag.privacy.operators.places import Place, atlas, locate
from sage_rag.privacy.words import normalize

_HAN = re.compile(r"[\u3400-\u9fff]")
_TOKEN = re.compile(r"[^\W_]+(?:['’&.-][^\W_]+)*")
_LINKS = frozenset("of the and for at in on de la le du der die das und et y".split())
_ORGANIZATIONS = _LINKS | frozenset(
    "academy agency airport association authority bank board bureau centre center chamber church "
    "clinic club college commission committee company corporation corp council court department "
    "district division faculty federation foundation fund group gmbh ag sa bv nv plc inc llc ltd "
    "limited hall health home hospital hotel house institute institution international laboratory "
    "lab library medical ministry municipal national office party pharmacy police practice prison "
    "regional saint school service services society st station supreme surgery trust union "
    "university ward".split()
)
_STREETS = _LINKS | frozenset(
    "street st road rd avenue ave lane drive boulevard blvd square place court way park bridge "
    "river lake mount hill north south east west upper lower new old near floor flat apartment apt "
    "suite unit po box strasse straße platz weg rue calle plaza via county state province city "
    "region district".split()
)
"""Words for the kind of an organisation or a street, not for its name."""
_STREET_ENDING = re.compile(
    r"\w+?(stra(?:ss|ß)e|str\.?|gasse|weg|platz|allee|straat)", re.IGNORECASE
)
_CHINESE_PART = re.compile(
    r"([\u3400-\u9fff]*?)(股份有限公司|有限公司|公司|集团|银行|医院|大学|学院|中学|小学|法院|检察院|公安局"
    r"|派出所|委员会|自治区|[省市区县州镇乡村路街巷道局部厅院所站队社团号室楼栋层])|([\u3400-\u9fff]+)"
)
_NATIONALITIES = (
    "Albanian Algerian Argentine Armenian Austrian Azerbaijani Belgian Bolivian Brazilian "
    "Bulgarian Cambodian Canadian Chilean Colombian Croatian Cuban Cypriot Czech Danish Dutch "
    "Egyptian Estonian Ethiopian Finnish French Georgian German Ghanaian Greek Hungarian "
    "Icelandic Indonesian Iranian Iraqi Irish Italian Jamaican Japanese Jordanian Kenyan "
    "Korean Kurdish Latvian Lebanese Lithuanian Malaysian Maltese Mexican Moldovan Moroccan "
    "Nigerian Norwegian Pakistani Peruvian Polish Portuguese Romanian Russian Scottish "
    "Senegalese Serbian Slovak Slovenian Somali Spanish Swedish Swiss Syrian Thai Tunisian "
    "Turkish Ukrainian Vietnamese Welsh American British Chinese Indian Israeli Afghan "
    "Australian "
).split()
_RELIGIONS = (
    "Anglican Baptist Buddhist Catholic Christian Hindu Jewish Lutheran Methodist Muslim Orthodox "
    "Protestant Quaker Sikh Sunni Shia Taoist"
).split()
_MARITAL = "single married divorced widowed separated engaged".split()


def surrogate_organization(value: str, choice: KeyedChoice) -> str:
    """Return another organisation of the same kind: "Lake Clinic" becomes "Hartley Clinic".

    Words for the kind stay ("Court", "GmbH"); the others become one family name. An acronym
    becomes other letters.
    """
    if _HAN.search(value):
        return _chinese(value, choice, _chinese_companies())
    if value.isupper() and value.isalpha() and len(value) <= 5:
        return surrogate_code(value, choice)
    new = _renamed(value, choice, _ORGANIZATIONS)
    if normalize(new) == normalize(value):
        return f"{like(value, pick_family(choice, value))} {value}"
    return new


def surrogate_location(value: str, choice: KeyedChoice) -> str:
    """Return another place of the same kind, an address in the same layout.

    A city becomes a city of 50,000 people or more. All cities of one country (in the USA, one
    state) get cities of one other country, and the country's name changes to that one, so that
    "Bern, Switzerland" stays consistent. Streets get a family name, house numbers and postcodes
    other figures.
    """
    if _HAN.search(value):
        return _chinese(value, choice, _chinese_places())
    parts = re.split(r"(\s*[,;\n]\s*)", value)
    place = locate(value) if len(parts) > 1 else None
    region = place.region if place else None
    return "".join(
        part if i % 2 else _place(part, choice, region if i < len(parts) - 1 else None)
        for i, part in enumerate(parts)
    )


def surrogate_demographic(value: str, choice: KeyedChoice) -> str:
    """Return another description of the same sort: nationality, religion, marital state, or job."""
    name = normalize(value)
    for sort in (_NATIONALITIES, _RELIGIONS, _MARITAL):
        if name in map(str.casefold, sort):
            return like(value, _ring(tuple(sort)).pick(choice.digest("sort", name), value))
    job = _ring(_jobs()).pick(choice.digest("job", name), value)
    return job.lower() if value[:1].islower() else like(value, job)


def _place(part: str, choice: KeyedChoice, region: str | None) -> str:
    code = re.fullmatch(r"([A-Z]{2})((?:\s+\d{5}(?:-\d{4})?)?)", part)
    if code and code[1] in atlas().states:
        state = _other_region(atlas().states[code[1]], choice)
        new = next((c for c, name in atlas().states.items() if name == state), code[1])
        return new + surrogate_code(code[2], choice)
    place = atlas().places.get(normalize(part).removeprefix("the "))
    if place is None:
        return _renamed(part, choice, _STREETS)
    return like(part, _other_place(part, place, choice, region))


def _other_place(part: str, place: Place, choice: KeyedChoice, region: str | None) -> str:
    if place.kind != "city":
        return _other_region(place.region, choice)
    cities = atlas().cities[_other_region(region or place.region, choice)]
    return _ring(cities).pick(choice.digest("city", normalize(part)), part)


def _other_region(region: str, choice: KeyedChoice) -> str:
    """Return a state for a state, a country for a country; always one with cities to choose."""
    states = frozenset(atlas().states.values())
    same_kind = tuple(r for r in atlas().cities if (r in states) == (region in states))
    return _ring(same_kind).pick(choice.digest("region", normalize(region)), region)


def _renamed(value: str, choice: KeyedChoice, kinds: frozenset[str]) -> str:
    """Replace each run of names by one family name, and each code by another code."""
    words = list(_TOKEN.finditer(value))
    parts, position, in_name = [], 0, False
    for match in words:
        word, gap = match.group(), value[position : match.start()]
        if any(map(str.isdigit, word)):
            new, is_name = surrogate_code(word, choice), False
        elif normalize(word) in kinds:
            new, is_name = word, False
        else:
            ending = _STREET_ENDING.fullmatch(word)
            name = pick_family(choice, word) + (ending[1] if ending else "")
            new, is_name = like(word, name), True
        if not (is_name and in_name and not gap.strip()):
            parts += [gap, new]
        position, in_name = match.end(), is_name
    return "".join([*parts, value[position:]])


def _chinese(value: str, choice: KeyedChoice, names: tuple[str, ...]) -> str:
    """Return a Chinese name that keeps the part for its kind; the rest is chosen again."""

    def other(match: re.Match[str]) -> str:
        name, kind = match[1] or match[3] or "", match[2] or ""
        if not name:
            return kind
        return _ring(names).pick(choice.digest("chinese", name), name) + kind

    return re.sub(
        r"\d+", lambda m: surrogate_code(m.group(), choice), _CHINESE_PART.sub(other, value)
    )


def _of(module: str) -> Callable[[str], tuple[str, ...]]:
    provider = importlib.import_module(f"faker.providers.{module}").Provider
    return lambda name: tuple(sorted(set(getattr(provider, name))))


@cache
def _jobs() -> tuple[str, ...]:
    return tuple(j for j in _of("job")("jobs") if "," not in j and "/" not in j)


@cache
def _chinese_companies() -> tuple[str, ...]:
    return _of("company.zh_CN")("company_prefixes")


@cache
def _chinese_places() -> tuple[str, ...]:
    lists = _of("address.zh_CN")
    return tuple(sorted({*lists("cities"), *lists("districts")}))


@cache
def _ring(candidates: tuple[str, ...]) -> Ring:
    return Ring(candidates)
