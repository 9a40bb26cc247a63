"""Invented organisations: companies, hospitals, courts, offices, schools, clubs, newspapers."""

from __future__ import annotations

from collections.abc import Callable

from sage_rag.training.recognition.generated.draw import LOCALES, PLACES, Draw
from sage_rag.training.recognition.generated.persons import family_name
from sage_rag.training.recognition.generated.places import city


def company(draw: Draw) -> str:
    """Draw a company, from a known brand to three letters."""
    stem = draw.pick((family_name, Draw.coined, Draw.coined, city))
    kinds: list[Callable[[], str]] = [
        lambda: draw.faker("company", PLACES),
        lambda: f"{stem(draw)} {draw.word('organizations', 'company_words')}",
        draw.coined,
        lambda: draw.letters(draw.pick((3, 3, 4))),
        lambda: f"{family_name(draw)} & {family_name(draw)}",
        lambda: f"{draw.faker('last_name', LOCALES)}, {family_name(draw)} and {family_name(draw)}",
        lambda: draw.word("organizations", "known"),
        lambda: (
            f"{draw.word('matters', 'title_words')} {draw.word('organizations', 'company_words')}"
        ),
    ]
    return draw.weighted(kinds, (25, 35, 8, 6, 6, 3, 8, 9))()


def hospital(draw: Draw) -> str:
    return _from_pattern(draw, "hospitals")


def court(draw: Draw) -> str:
    return _from_pattern(draw, "courts")


def office(draw: Draw) -> str:
    """Draw a ministry, council or other authority."""
    return _from_pattern(draw, "offices")


def school(draw: Draw) -> str:
    return _from_pattern(draw, "schools")


def association(draw: Draw) -> str:
    """Draw a party, union, charity, church or club."""
    return _from_pattern(draw, "groups")


def newspaper(draw: Draw) -> str:
    return _from_pattern(draw, "papers")


def organization(draw: Draw) -> str:
    """Draw an organisation of any kind."""
    kinds = (company, association, office, school, hospital, newspaper)
    return draw.weighted(kinds, (50, 16, 10, 10, 6, 8))(draw)


def _from_pattern(draw: Draw, key: str) -> str:
    return draw.word("organizations", key).format(
        city=city(draw),
        family_name=family_name(draw),
        number=draw.between(4, 19),
        saint="St. " + draw.pick(("Mary", "Luke", "Anne", "John", "Thomas", "Joseph", "Vincent")),
        word=draw.word("matters", "title_words"),
    )
