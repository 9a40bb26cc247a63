"""Fictional control codes, drawn by a key: the text that follows them is about no one.

Source: Zhao and Field (2025), A.2 and Figure 2: values drawn from public lists by pattern. Differs:
longer lists, a key, and no draw that is a private value of the corpus.
"""

from __future__ import annotations

import string
from collections.abc import Callable, Mapping
from datetime import date, timedelta
from functools import cache

from sage_rag.privacy.keyset.keyset import Keyset
from sage_rag.privacy.operators.keyed import KeyedChoice
from sage_rag.privacy.operators.places import atlas
from sage_rag.privacy.people.gender import faker_names
from sage_rag.training.controlled.codes import CodeType, ControlCode

VERSION = 1
"""Raised with every change of the code that the same key draws."""

_TITLES = ("Mr", "Ms", "Dr", "Prof")
_SCRIPT = string.ascii_letters
_KINDS = ("University", "Hospital", "Bank", "Court", "Foundation", "Institute", "Ltd", "School")
_DESCENTS = tuple("Irish Nigerian Chinese Polish Kenyan Peruvian Danish Turkish Greek Thai".split())
_JOBS = tuple("engineer nurse teacher mechanic pilot lawyer farmer baker journalist cook".split())
_FIRST = date(1990, 1, 1)
_DAYS = 35 * 365
_TRIES = 64
_CODE_LETTERS = string.ascii_uppercase + string.digits

Pick = Callable[[int, str], int]
"""Returns a number below the first argument, for the draw that the second one names."""
Blocked = Callable[[str], bool]
"""Returns whether a text contains a private value."""


def fiction_key(keyset: Keyset, corpus: str) -> KeyedChoice:
    """Return the generator of one corpus; it is separate from every key that hides values."""
    purpose = f"controlled generation/{corpus}"
    return KeyedChoice(keyset.derive(keyset.primary, purpose=purpose, size_bytes=32))


class Fiction:
    """Draws fictional codes; the same key, name and counts give the same code.

    Guarantees: no drawn value contains a private value that `blocked` knows.
    Does not guarantee: that no person elsewhere has a drawn name.
    """

    def __init__(self, choice: KeyedChoice, blocked: Blocked = lambda text: False) -> None:
        self._choice = choice
        self._blocked = blocked

    def code(self, name: str, counts: Mapping[CodeType, int]) -> ControlCode:
        """Return the code of the sample `name`, with as many values of each type as `counts`."""
        return ControlCode.of(
            (kind, text)
            for kind in CodeType
            for number in range(counts.get(kind, 0))
            if (text := self._value(kind, f"{name}/{number}")) is not None
        )

    def _value(self, kind: CodeType, name: str) -> str | None:
        """Return a value; `None` where every try is a private value of the corpus."""
        for number in range(_TRIES):
            text = _DRAW[kind](self._pick_for(f"{kind}/{name}/{number}"))
            if not self._blocked(text):
                return text
        return None

    def _pick_for(self, name: str) -> Pick:
        return lambda below, part: self._choice.number(below, name, part)


@cache
def _names() -> tuple[tuple[str, ...], tuple[str, ...]]:
    women, men, family = faker_names("en_US")
    return tuple(sorted(women | men)), tuple(sorted(family))


@cache
def _cities() -> tuple[str, ...]:
    names = {city for cities in atlas().cities.values() for city in cities}
    return tuple(sorted(name for name in names if name[0] in _SCRIPT))


def _one_of(values: tuple[str, ...], pick: Pick, part: str) -> str:
    return values[pick(len(values), part)]


def _person(pick: Pick) -> str:
    given, family = _names()
    title = _one_of(_TITLES, pick, "title")
    return f"{title} {_one_of(given, pick, 'given')} {_one_of(family, pick, 'family')}"


def _code(pick: Pick) -> str:
    drawn = [_CODE_LETTERS[pick(len(_CODE_LETTERS), f"letter {i}")] for i in range(7)]
    return f"{''.join(drawn[:5])}/{''.join(drawn[5:])}"


def _organization(pick: Pick) -> str:
    return f"{_one_of(_names()[1], pick, 'name')} {_one_of(_KINDS, pick, 'kind')}"


def _description(pick: Pick) -> str:
    patterns = (
        f"{_one_of(_DESCENTS, pick, 'descent')} {_one_of(_JOBS, pick, 'job')}",
        f"{18 + pick(70, 'age')}-year-old {_one_of(_JOBS, pick, 'job')}",
        f"{_one_of(_DESCENTS, pick, 'descent')} descent",
    )
    return _one_of(patterns, pick, "pattern")


def _date(pick: Pick) -> str:
    drawn = _FIRST + timedelta(days=pick(_DAYS, "day"))
    return f"{drawn.day} {drawn:%B} {drawn.year}"


def _quantity(pick: Pick) -> str:
    if pick(2, "form"):
        return f"{1 + pick(99, 'share')}%"
    return f"${500 * (1 + pick(1_000, 'amount')):,}"


_DRAW: Mapping[CodeType, Callable[[Pick], str]] = {
    CodeType.CODE: _code,
    CodeType.PERSON: _person,
    CodeType.LOC: lambda pick: _one_of(_cities(), pick, "city"),
    CodeType.ORG: _organization,
    CodeType.DEM: _description,
    CodeType.DATETIME: _date,
    CodeType.QUANTITY: _quantity,
}
