"""Names of people in the forms of Chinese text: Chinese, foreign, nicknames, masked."""

from __future__ import annotations

from functools import cache

from faker.providers.person.zh_CN import Provider

from sage_rag.privacy.recognizers.chinese.words import (
    DOUBLE_SURNAMES,
    GIVEN,
    SURNAMES,
    TRANSLITERATION,
)
from sage_rag.training.recognition.chinese.gazetteer import ordinary, word
from sage_rag.training.recognition.chinese.word_lists import CharacterChain, words
from sage_rag.training.recognition.generated.draw import Draw

_GIVEN = tuple(sorted(GIVEN))
_DOUBLE = tuple(sorted(DOUBLE_SURNAMES))
_TRANSLITERATION = tuple(sorted(TRANSLITERATION))
_WEIGHTS = tuple(1 / (rank + 8) for rank in range(len(SURNAMES)))
"""The weight of each surname: the list is by frequency, which falls about as 1 / rank."""
_TITLES = (
    "先生 女士 小姐 太太 老师 教授 医生 大夫 律师 师傅 经理 主任 总 董 局长 阿姨 叔叔 姐 哥".split()
)
_LETTERS = "甲乙丙丁"


@cache
def _faker_given() -> tuple[str, ...]:
    return tuple(dict.fromkeys(Provider.first_names))


@cache
def _ordinary_characters() -> str:
    return "".join(ordinary())


@cache
def _transliteration_chain() -> CharacterChain:
    return CharacterChain((*words("foreign_names"), *words("transliterated")))


def surname(draw: Draw) -> str:
    if draw.chance(0.02):
        return draw.pick(_DOUBLE)
    if draw.chance(0.1):
        return draw.pick(SURNAMES)
    return draw.weighted(SURNAMES, _WEIGHTS)


def given_name(draw: Draw) -> str:
    """Return one or two characters; some are unusual in a name."""
    if draw.chance(0.3):
        return draw.pick(_faker_given())
    rare = draw.chance(0.15)
    chosen = [draw.pick(_ordinary_characters() if rare else _GIVEN), draw.pick(_GIVEN)]
    if draw.chance(0.5):
        chosen.reverse()
    return chosen[0] if draw.chance(0.25) else "".join(chosen)


def full_name(draw: Draw) -> str:
    return surname(draw) + given_name(draw)


def chinese_name(draw: Draw) -> str:
    """Return a name for the place of a Chinese name: mostly Chinese, sometimes another."""
    kind = draw.random.random()
    if kind < 0.84:
        return full_name(draw)
    if kind < 0.89:
        return foreign_name(draw)
    if kind < 0.93:
        return nickname(draw)
    if kind < 0.96:
        return draw.pick(words("japanese_names"))
    return draw.pick(words("historic_names"))


def transliterated(draw: Draw, longest: int = 6) -> str:
    if draw.chance(0.4):
        return draw.pick(words("foreign_names" if draw.chance(0.5) else "transliterated"))
    if draw.chance(0.15):
        count = draw.pick((2, 3, 3, 4, 4, 5))
        return "".join(draw.pick(_TRANSLITERATION) for _ in range(count))
    return _transliteration_chain().word(draw, 2, longest)


def foreign_name(draw: Draw) -> str:
    """Return one foreign name, or first and last name with a dot between them."""
    kind = draw.random.random()
    if kind < 0.7:
        return transliterated(draw)
    if kind < 0.88:
        parts = [transliterated(draw, 4) for _ in range(draw.pick((2, 2, 2, 3)))]
        return draw.pick("····•-.").join(parts)
    if kind < 0.91:
        return transliterated(draw, 3) + transliterated(draw, 4)
    if kind < 0.94:
        return f"{draw.pick('ABCDEJKMRST')}{draw.pick('·.')}{transliterated(draw, 4)}"
    if kind < 0.96:
        return latin_name(draw)
    return draw.pick(words("japanese_names"))


def latin_name(draw: Draw) -> str:
    """Return a name in Latin letters, in the forms that occur on Chinese pages."""
    name = draw.faker("name", ("en_US", "de_DE", "fr_FR", "es_ES", "it_IT"))
    name = "".join(c for c in name if c.isascii() and (c.isalpha() or c == " ")).strip() or "Jo"
    style = draw.random.random()
    if style < 0.3:
        return name.replace(" ", "")
    if style < 0.55:
        return name.replace(" ", "").lower()
    return name if style < 0.8 else name.split()[0]


def player_name(draw: Draw) -> str:
    """Return the name of a player of games."""
    if draw.chance(0.5):
        return draw.pick(words("latin_names"))
    if draw.chance(0.3):
        return draw.coined() + (draw.digits(2) if draw.chance(0.2) else "")
    name = word(draw) if draw.chance(0.3) else nickname(draw)
    return name + (draw.pick(words("latin_names")) if draw.chance(0.2) else "")


def nickname(draw: Draw) -> str:
    kind = draw.random.random()
    if kind < 0.35:
        return draw.pick(words("stage_names"))
    if kind < 0.55:
        return draw.pick("小老阿大") + (surname(draw) if draw.chance(0.6) else draw.pick(_GIVEN))
    if kind < 0.65:
        return surname(draw) + draw.pick("总哥姐导工董队帅")
    if kind < 0.75:
        return draw.pick(_GIVEN) * 2
    if kind < 0.85:
        return given_name(draw)
    return full_name(draw)


def titled_name(draw: Draw) -> str:
    """Return a surname with a form of address; both belong to the value."""
    return surname(draw) + draw.pick(_TITLES)


def masked_name(draw: Draw) -> str:
    kind = draw.random.random()
    if kind < 0.5:
        masked = surname(draw) + "某" * draw.pick((1, 1, 2))
        return masked + (draw.pick(_LETTERS) if draw.chance(0.2) else "")
    if kind < 0.6:
        return surname(draw) + "某" + draw.pick(_GIVEN)
    if kind < 0.75:
        return surname(draw) + draw.pick(("*", "**", "××", "XX", "X"))
    return full_name(draw)


def courtesy_name(draw: Draw) -> str:
    return draw.pick(_GIVEN) + draw.pick(_GIVEN)


def historic_name(draw: Draw) -> str:
    return draw.pick(words("historic_names")) if draw.chance(0.6) else full_name(draw)


def japanese_name(draw: Draw) -> str:
    return draw.pick(words("japanese_names"))
