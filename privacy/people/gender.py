"""Gender of given names, so that the pronouns of a text fit the surrogates."""

from __future__ import annotations

import importlib
import pkgutil
from collections import Counter
from functools import cache
from importlib.metadata import version

from sage_rag.privacy.people.names import Gender
from sage_rag.privacy.words import normalize

_CLEAR = 3


def gender_of(given_name: str) -> Gender | None:
    """Return the gender of a name in Faker's lists; for a double name, that of its first part.

    A name has a gender if at least three times as many countries list it for that one. "Andrea" is
    unclear: female in some countries, male in others.
    """
    name = normalize(given_name)
    female, male = _votes()
    for form in dict.fromkeys((name, name.split("-")[0])):
        women, men = female[form], male[form]
        if women >= _CLEAR * men and women:
            return Gender.FEMALE
        if men >= _CLEAR * women and men:
            return Gender.MALE
    return None


def name_lists_fingerprint() -> str:
    """Return a short name that changes with the version of Faker, whose lists decide."""
    return f"name-lists/{version('faker')}"


def is_given_name(word: str) -> bool:
    """Return whether Faker lists a word as a given name in any country."""
    female, male = _votes()
    name = normalize(word)
    return name in female or name in male


def faker_names(locale: str) -> tuple[frozenset[str], frozenset[str], frozenset[str]]:
    """Return the female, male and family names of one of Faker's locales."""
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
