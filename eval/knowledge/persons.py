"""Invented persons: their names and facts are drawn from word lists, so no model can know them."""

from __future__ import annotations

import random
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from importlib import resources
from itertools import product
from typing import Any

from sage_rag.common.exceptions import InputError
from sage_rag.privacy.entities import EntityType

_MONTHS = (
    "January February March April May June July August September October November December"
).split()
_YEARS = (1930, 2004)
_DAYS = 28
_ACCOUNT_DIGITS = 8


class Attribute(StrEnum):
    """A fact about a person. The member's value is its name in `wording.toml`."""

    BIRTH_PLACE = "birth_place"
    BIRTH_DATE = "birth_date"
    EMPLOYER = "employer"
    SCHOOL = "school"
    ACCOUNT = "account"


ENTITY_TYPES: Mapping[Attribute, EntityType] = {
    Attribute.BIRTH_PLACE: EntityType.LOCATION,
    Attribute.BIRTH_DATE: EntityType.DATE_TIME,
    Attribute.EMPLOYER: EntityType.ORGANIZATION,
    Attribute.SCHOOL: EntityType.ORGANIZATION,
    Attribute.ACCOUNT: EntityType.BANK_ACCOUNT,
}
"""The entity type of each attribute's values."""


@dataclass(frozen=True, slots=True)
class Person:
    """An invented person: the full name, and one value for each attribute."""

    name: str
    values: Mapping[Attribute, str]


@lru_cache(maxsize=1)
def wording() -> dict[str, Any]:
    """Return the word lists, the statements and the questions of `wording.toml`."""
    return tomllib.loads(resources.files(__package__).joinpath("wording.toml").read_text("utf-8"))


def invent_persons(count: int, seed: int) -> list[Person]:
    """Draw `count` persons with different full names and different account numbers.

    Every other value is drawn evenly from its kind's values, so no value is likelier than another.

    Raises:
        InputError: when the word lists have fewer full names.
    """
    draw = random.Random(f"persons {seed}")  # noqa: S311 - measurements, not secrets
    lists = wording()
    names = [" ".join(pair) for pair in product(lists["given"].split(), lists["family"].split())]
    if count > len(names):
        raise InputError(f"the word lists have {len(names)} full names, {count} are needed")
    accounts = draw.sample(range(10 ** (_ACCOUNT_DIGITS - 1), 10**_ACCOUNT_DIGITS), count)
    return [
        Person(name, {**_drawn_values(draw), Attribute.ACCOUNT: str(account)})
        for name, account in zip(draw.sample(names, count), accounts, strict=True)
    ]


@lru_cache
def composed_values(attribute: Attribute) -> tuple[str, ...]:
    """Return every value that the word lists compose for a town, a firm or a school."""
    first, second = wording()[attribute]["values"]
    joint = "" if attribute is Attribute.BIRTH_PLACE else " "
    return tuple(joint.join(pair) for pair in product(first, second))


def _drawn_values(draw: random.Random) -> dict[Attribute, str]:
    composed = (Attribute.BIRTH_PLACE, Attribute.EMPLOYER, Attribute.SCHOOL)
    values = {attribute: draw.choice(composed_values(attribute)) for attribute in composed}
    date = f"{draw.randint(1, _DAYS)} {draw.choice(_MONTHS)} {draw.randint(*_YEARS)}"
    return {**values, Attribute.BIRTH_DATE: date}
