"""New names of places: what villages, roads and estates are called, put together by character."""

from __future__ import annotations

from sage_rag.privacy.recognizers.chinese.words import SURNAMES
from sage_rag.training.recognition.chinese.draw import words
from sage_rag.training.recognition.generated.draw import Draw

_PARTS = (
    "东西南北中大小上下新老长安平和永福兴龙凤金银玉石水河江湖海山川沙泉清白青红黄黑华丰宝泰太康宁"
    "德文武阳阴城门桥头塘湾洲岭坪坝沟潭堡屯庄营店铺李王张刘陈杨周马高吉庆仁义信昌荣锦秀云星月明光"
    "天三五八九双万千百草花树林竹松柳杏桃梅兰荷"
)
_FINE = (
    "美林漾湾畔名上品元景园颐雅御尚悦山水云岸澜庭润泽鸿业兴盛恒弘汇融观翡翠珑玺臻境光耀幸福紫金蓝绿星晨"
    "和安泰康嘉丽锦华凤凰龙"
)
_FAMILIES = SURNAMES[:100]


def coined(draw: Draw) -> str:
    """Return two or three characters that places are named with."""
    return "".join(draw.pick(_PARTS) for _ in range(draw.pick((2, 2, 2, 3))))


def hamlet(draw: Draw) -> str:
    """Return a place called after what the land is like: a slope, a ford, an old post."""
    head = coined(draw) if draw.chance(0.6) else draw.pick(_PARTS)
    if draw.chance(0.15):
        head = draw.pick(_FAMILIES) + draw.pick(("家", "各", ""))
    return head + draw.pick(words("terrain"))


def elegant(draw: Draw) -> str:
    """Return what builders call an estate, with nothing in it that says so."""
    kind = draw.random.random()
    if kind < 0.35:
        return draw.pick(words("brand")) + draw.pick(words("elegant"))
    if kind < 0.6:
        return "".join(draw.pick(_FINE) for _ in range(draw.pick((1, 2, 2)))) + draw.pick(
            words("elegant")
        )
    if kind < 0.8:
        return "".join(draw.pick(_FINE) for _ in range(draw.pick((2, 3, 4))))
    return draw.pick(words("elegant")) if kind < 0.87 else draw.pick(words("brand"))
