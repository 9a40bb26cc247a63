"""Invented names of villages, roads and housing estates, composed character by character."""

from __future__ import annotations

from sage_rag.privacy.recognizers.chinese.words import SURNAMES
from sage_rag.training.recognition.chinese.word_lists import words
from sage_rag.training.recognition.generated.draw import Draw

_PLACE_CHARACTERS = (
    "东西南北中大小上下新老长安平和永福兴龙凤金银玉石水河江湖海山川沙泉清白青红黄黑华丰宝泰太康宁"
    "德文武阳阴城门桥头塘湾洲岭坪坝沟潭堡屯庄营店铺李王张刘陈杨周马高吉庆仁义信昌荣锦秀云星月明光"
    "天三五八九双万千百草花树林竹松柳杏桃梅兰荷"
)
_ESTATE_CHARACTERS = (
    "美林漾湾畔名上品元景园颐雅御尚悦山水云岸澜庭润泽鸿业兴盛恒弘汇融观翡翠珑玺臻境光耀幸福紫金蓝绿星晨"
    "和安泰康嘉丽锦华凤凰龙"
)
_FREQUENT_SURNAMES = SURNAMES[:100]


def place_name(draw: Draw) -> str:
    """Return two or three characters that occur in names of places."""
    return _characters(draw, _PLACE_CHARACTERS, (2, 2, 2, 3))


def hamlet(draw: Draw) -> str:
    """Return a place named after its land: a slope, a ford, an old post."""
    head = place_name(draw) if draw.chance(0.6) else draw.pick(_PLACE_CHARACTERS)
    if draw.chance(0.15):
        head = draw.pick(_FREQUENT_SURNAMES) + draw.pick(("家", "各", ""))
    return head + draw.pick(words("hamlet_kinds"))


def estate_name(draw: Draw) -> str:
    """Return a builder's name for a housing estate, without a word that says it is one."""
    kind = draw.random.random()
    if kind < 0.35:
        return draw.pick(words("brands")) + draw.pick(words("estate_words"))
    if kind < 0.6:
        return _characters(draw, _ESTATE_CHARACTERS, (1, 2, 2)) + draw.pick(words("estate_words"))
    if kind < 0.8:
        return _characters(draw, _ESTATE_CHARACTERS, (2, 3, 4))
    return draw.pick(words("estate_words")) if kind < 0.87 else draw.pick(words("brands"))


def _characters(draw: Draw, alphabet: str, counts: tuple[int, ...]) -> str:
    return "".join(draw.pick(alphabet) for _ in range(draw.pick(counts)))
