"""Invented people: names of many languages, and the forms in which texts mention them."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from sage_rag.training.recognition.generated.draw import ENGLISH, LOCALES, Draw

_PLAIN = str.maketrans({"ı": "i", "ł": "l", "Ł": "L", "ø": "o", "Ø": "O", "đ": "d", "Đ": "D"})
"""Letters that Unicode does not decompose."""
Sex = Literal["female", "male"]


@dataclass(frozen=True, slots=True)
class InventedPerson:
    """One invented person. `middle` and `suffix` can be empty."""

    given: str
    middle: str
    family: str
    suffix: str
    sex: Sex

    @property
    def initials(self) -> str:
        return "".join(part[0] for part in (self.given, self.middle, self.family) if part).upper()

    @property
    def plain(self) -> str:
        """The given name and the family name."""
        return f"{self.given} {self.family}".strip()


def given_name(draw: Draw, sex: Sex) -> str:
    """Draw a given name: from Faker's locales, romanised, an English word, or invented."""
    kinds: list[Callable[[], str]] = [
        lambda: draw.faker(f"first_name_{sex}", LOCALES),
        lambda: draw.faker(f"first_name_{sex}", ENGLISH),
        lambda: draw.word("names", f"given_{sex}"),
        lambda: draw.word("names", "given_words"),
        lambda: draw.faker("first_romanized_name", ("ja_JP", "zh_CN")).capitalize(),
        lambda: draw.word("names", "pet"),
        draw.coined,
    ]
    return draw.weighted(kinds, (34, 22, 15, 11, 5, 4, 9))()


def family_name(draw: Draw) -> str:
    """Draw a family name; some have particles, apostrophes or hyphens, some are words."""
    kinds: list[Callable[[], str]] = [
        lambda: draw.faker("last_name", LOCALES),
        lambda: draw.faker("last_name", ENGLISH),
        lambda: draw.word("names", "family"),
        lambda: draw.word("names", "family_marked"),
        lambda: draw.word("names", "family_words"),
        lambda: draw.faker("last_romanized_name", ("ja_JP", "zh_CN")).capitalize(),
        lambda: f"{draw.faker('last_name', LOCALES)}-{draw.faker('last_name', LOCALES)}",
        lambda: f"{draw.faker('last_name', ('es_ES', 'es_MX'))} {draw.word('names', 'family')}",
        draw.coined,
        lambda: draw.pick("ABCDEGHIKLMNPRSTVZ"),
    ]
    return draw.weighted(kinds, (32, 17, 15, 7, 10, 3, 3, 2, 10, 0.4))()


def person(draw: Draw) -> InventedPerson:
    """Draw one person."""
    sex: Sex = draw.pick(("female", "male"))
    middle = ""
    if draw.chance(0.22):
        middle = given_name(draw, sex) if draw.chance(0.4) else draw.pick("ABCDEFGHJKLMNPRSTW")
    suffix = draw.word("names", "suffixes") if draw.chance(0.03) else ""
    return InventedPerson(given_name(draw, sex), middle, family_name(draw), suffix, sex)


def full_name(draw: Draw, who: InventedPerson) -> str:
    """Write the name as a text first states it."""
    middle = f"{who.middle}." if len(who.middle) == 1 else who.middle
    whole = " ".join(part for part in (who.given, middle, who.family) if part)
    if who.suffix:
        return whole + draw.pick((" ", ", ")) + who.suffix
    if draw.chance(0.94):
        return whole
    first, second = who.given[0], draw.pick("ABCDEFGHJKLMNPRSTW")
    forms = (
        f"{first}. {second}. {who.family}",
        f"{first}.{second}. {who.family}",
        f"{first}. {who.family}",
        f'{who.given} "{draw.word("names", "pet")}" {who.family}',
        draw.word("names", "mononyms"),
    )
    return draw.pick(forms)


def last_comma_first(draw: Draw, who: InventedPerson) -> str:
    """Write the family name first, as in lists."""
    middle = f" {who.middle}." if len(who.middle) == 1 else ""
    family = who.family.upper() if draw.chance(0.25) else who.family
    return f"{family}, {who.given}{middle}"


def initials(draw: Draw, who: InventedPerson) -> str:
    """Write initials with or without full stops."""
    return "".join(f"{letter}." for letter in who.initials) if draw.chance(0.5) else who.initials


def title(draw: Draw, who: InventedPerson) -> str:
    """Return a form of address for the person's sex; it is not part of the name's span."""
    female = ("Mrs", "Ms", "Mrs.", "Ms.", "Miss", "Mrs.", "Ms.", "Mrs")
    return draw.pick(female if who.sex == "female" else ("Mr", "Mr.", "Mr", "Mr.", "Mister"))


def user_name(draw: Draw, who: InventedPerson) -> str:
    """Write the name as the user part of an e-mail address or the stem of a file name."""
    given, family = _ascii(who.given), _ascii(who.family)
    forms = (f"{given}.{family}", f"{given}_{family}", f"{given[0]}.{family}", f"{family}.{given}")
    return draw.weighted(forms, (6, 2, 2, 1))


def file_stem(draw: Draw, who: InventedPerson) -> str:
    """Write a family or whole name with ASCII letters and underscores."""
    name = _ascii(who.family) if draw.chance(0.6) else f"{_ascii(who.given)}_{_ascii(who.family)}"
    return name if draw.chance(0.6) else "_".join(part.capitalize() for part in name.split("_"))


def _ascii(name: str) -> str:
    plain = unicodedata.normalize("NFKD", name.translate(_PLAIN))
    return "".join(c for c in plain if c.isascii() and c.isalnum()).lower() or "x"
