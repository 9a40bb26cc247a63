"""Judges of the gender that a given name suggests, so that a text's pronouns go on fitting."""

from __future__ import annotations

import importlib
import pkgutil
from collections import Counter
from functools import cache
from importlib.metadata import version
from typing import Protocol

from sage_rag.privacy.people.names import Gender
from sage_rag.privacy.words import normalize


class GenderJudge(Protocol):
    """Says which gender a given name suggests, or that it suggests none."""

    @property
    def fingerprint(self) -> str:
        """A short name that changes whenever the judge could answer differently."""
        ...

    def gender(self, given_name: str) -> Gender | None:
        """Return the gender, `None` where it is open. Must answer alike for any case style."""
        ...


class NameLists:
    """Judge by Faker's lists of given names: by how many of its countries list it as which.

    "Andrea" is open: a woman in some countries, a man in others. A name that at least three times
    as many countries give to one gender is that gender's.
    """

    _CLEAR = 3

    @property
    def fingerprint(self) -> str:
        """Names the installed Faker."""
        return f"name-lists/{version('faker')}"

    def gender(self, given_name: str) -> Gender | None:
        """Return the gender of a listed name; a double name counts by its first part."""
        name = normalize(given_name)
        female, male = _votes()
        for form in dict.fromkeys((name, name.split("-")[0])):
            women, men = female[form], male[form]
            if women >= self._CLEAR * men and women:
                return Gender.FEMALE
            if men >= self._CLEAR * women and men:
                return Gender.MALE
        return None


def is_given_name(word: str) -> bool:
    """Return whether any of Faker's countries lists a word as a given name."""
    female, male = _votes()
    name = normalize(word)
    return name in female or name in male


def faker_names(locale: str) -> tuple[frozenset[str], frozenset[str], frozenset[str]]:
    """Return the women's, men's and family names of one of Faker's locales."""
    provider = importlib.import_module(f"faker.providers.person.{locale}").Provider
    lists = ("first_names_female", "first_names_male", "last_names")
    women, men, family = (frozenset(getattr(provider, name, ())) for name in lists)
    return women, men, family


@cache
def _votes() -> tuple[Counter[str], Counter[str]]:
    person = importlib.import_module("faker.providers.person")
    female: Counter[str] = Counter()
    male: Counter[str] = Counter()
    for module in pkgutil.iter_modules(person.__path__):
        women, men, _ = faker_names(module.name)
        female.update({normalize(name) for name in women})
        male.update({normalize(name) for name in men})
    return female, male
