"""Invented and well-known places, streets and postal addresses."""

from __future__ import annotations

from collections.abc import Callable

from sage_rag.training.recognition.generated.draw import ENGLISH, PLACES, Draw
from sage_rag.training.recognition.generated.persons import family_name


def city(draw: Draw) -> str:
    """Draw a town; half are well known, and some names are also words ("Reading")."""
    if draw.chance(0.5):
        return draw.word("places", "cities")
    return draw.coined() if draw.chance(0.1) else draw.faker("city", PLACES)


def country(draw: Draw) -> str:
    return draw.word("places", "countries")


def region(draw: Draw) -> str:
    return draw.word("places", "regions")


def building(draw: Draw) -> str:
    """Draw a named building, square or park."""
    name = draw.pick((family_name, city, Draw.coined))(draw)
    return f"{name} {draw.word('places', 'landmarks')}"


def landmark(draw: Draw) -> str:
    """Draw a named building, water, mountain or the like."""
    if draw.chance(0.65):
        return building(draw)
    name = draw.pick((family_name, city, Draw.coined))(draw)
    return draw.word("places", "natural").format(name=name)


def street(draw: Draw) -> str:
    """Draw a street, half of them with a house number."""
    if draw.chance(0.35):
        return draw.faker("street_address", PLACES).replace("\n", ", ").strip()
    name = draw.pick((family_name, lambda d: d.word("organizations", "known"), Draw.coined))(draw)
    line = f"{name} {draw.word('places', 'streets')}"
    return f"{draw.between(1, 240)} {line}" if draw.chance(0.5) else line


def postcode(draw: Draw) -> str:
    return draw.faker("postcode", PLACES)


def address(draw: Draw) -> str:
    """Draw a whole postal address on one line or several."""
    kinds: list[Callable[[], str]] = [
        lambda: draw.faker("address", PLACES),
        lambda: draw.faker("address", ENGLISH),
        lambda: f"{street(draw)}, {city(draw)}",
        lambda: f"{street(draw)}, {postcode(draw)} {city(draw)}",
        lambda: f"{street(draw)}\n{postcode(draw)} {city(draw)}\n{country(draw)}",
        lambda: f"Flat {draw.between(1, 40)}, {street(draw)}, {city(draw)}, {postcode(draw)}",
    ]
    break_ = draw.pick((", ", ", ", "\n"))
    return draw.pick(kinds)().replace("\n", break_)
