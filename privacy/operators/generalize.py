"""Generalize a value: make it coarser, irreversibly."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from sage_rag.privacy.entities import EntityType
from sage_rag.privacy.operators.ages import age_band, age_up_to_89
from sage_rag.privacy.operators.dates import (
    BOUND,
    NUMBER_OF,
    PART_OF,
    Calendar,
    to_month,
    to_offset,
    to_year,
)
from sage_rag.privacy.operators.places import is_elsewhere, to_country, to_region
from sage_rag.privacy.operators.quantities import rounded

_FIGURES = 2
_LIMIT = re.compile(
    rf"{BOUND.pattern}"
    r"|\b(?:over|under|above|below|at\s+(?:least|most)|up\s+to|(?:more|less)\s+than)\s+\Z",
    re.IGNORECASE,
)
"""Before an age that is a limit: "until 1 year of age" is not "until 0-1 year of age"."""
_FIGURES_ONLY = re.compile(r"[\d./-]+")
_NO_DATES = Calendar()
_Coarsen = Callable[[str, Calendar, int], str | None]
_LEVELS: Mapping[EntityType, Mapping[str, _Coarsen]] = {
    EntityType.AGE: {
        "band": lambda value, *_: age_band(value),
        "up-to-89": lambda value, *_: age_up_to_89(value),
    },
    EntityType.DATE_TIME: {
        "month": lambda value, calendar, _: to_month(value, calendar),
        "year": lambda value, calendar, _: to_year(value, calendar),
        "offset": lambda value, calendar, _: to_offset(value, calendar),
    },
    EntityType.LOCATION: {
        "region": lambda value, *_: to_region(value),
        "country": lambda value, *_: to_country(value),
    },
    EntityType.QUANTITY: {"rounded": lambda value, _, figures: rounded(value, figures)},
}
LEVELS: Mapping[EntityType, tuple[str, ...]] = {t: tuple(levels) for t, levels in _LEVELS.items()}
"""The levels of each type, the default first; other types cannot be generalized."""


def generalize(
    value: str,
    entity_type: EntityType,
    *,
    to: str | None = None,
    figures: int | None = None,
    calendar: Calendar = _NO_DATES,
    before: str = "",
    after: str = "",
) -> str | None:
    """Return a coarser value, irreversible; `None` where the value is not what its type says.

    `to`: one of `LEVELS[entity_type]`, by default its first. `calendar`: the properties that the
    document's dates share. `figures`: the significant digits of a rounded quantity. `before`: the
    text before the value, in which a date can begin or end a time: "after 15 May" is not "after
    May", but "after a date in May". `after`: the text after it, which can say where a place is:
    "London, Ontario". A value is
    changed only where all of it reads as an age, a date, a place or a sum, and the result is true
    of it: nothing is guessed. `privacy.operators.durations` treats a time without a date.
    White space around the value stays, and so does a full stop at its end, which may end the
    sentence.

    Does not guarantee: that the result differs from a value that is already coarse.

    Raises:
        ValueError: for a type or level that `LEVELS` does not name.
    """
    level = to or LEVELS.get(entity_type, ("",))[0]
    if level not in LEVELS.get(entity_type, ()):
        raise ValueError(f"{entity_type} cannot be generalized to {level!r}")
    core = value.strip()
    left, right = value.split(core, 1) if core else ("", "")
    if entity_type is EntityType.LOCATION and is_elsewhere(core, after):
        return None
    found = BOUND.search(before) if entity_type is EntityType.DATE_TIME and not left else None
    bound = found.group() if found else ""
    coarsen = _LEVELS[entity_type][level]
    coarse = coarsen(bound + core, calendar, figures or _FIGURES)
    if coarse is None and bound and not any(map(str.isdigit, core)):
        coarse, bound = coarsen(core, calendar, figures or _FIGURES), ""  # "by Friday": no date
    if coarse is None or not coarse.startswith(bound):
        return None
    if coarse != bound + core and _is_limit_or_part(core, entity_type, before):
        return None
    coarse = coarse.removeprefix(bound)
    stop = "." if core.endswith(".") and not coarse.endswith(".") else ""
    return left + coarse + stop + right


def _is_limit_or_part(value: str, entity_type: EntityType, before: str) -> bool:
    """Return whether the words before a value say that something coarser would be untrue of it.

    An age can be a limit. Of a date, a part may be meant, and figures may number a section.
    """
    if entity_type is EntityType.AGE:
        return _LIMIT.search(before) is not None
    if entity_type is not EntityType.DATE_TIME:
        return False
    is_number = _FIGURES_ONLY.fullmatch(value) is not None and NUMBER_OF.search(before) is not None
    return is_number or PART_OF.search(before) is not None
