"""The slots of the English templates: how each value is drawn, and its entity type.

`templates/README.md` explains the syntax of the templates.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from sage_rag.privacy.entities import EntityType
from sage_rag.privacy.recognizers.lexicon import fold
from sage_rag.training.recognition.generated import (
    figures,
    medicine,
    organizations,
    persons,
    places,
)
from sage_rag.training.recognition.generated.draw import Draw
from sage_rag.training.recognition.generated.persons import InventedPerson

Value = Callable[[Draw], str]
Mention = Callable[[Draw, InventedPerson], str]


def _word(table: str, key: str) -> Value:
    return lambda draw: draw.word(table, key)


def _one_of(*options: str) -> Value:
    return lambda draw: draw.pick(options)


def _filled(key: str) -> Value:
    """Draw a pattern from a list and fill in a town, a word and a given name."""
    return lambda draw: draw.word("matters", key).format(
        city=places.city(draw),
        word=draw.word("matters", "title_words"),
        given_name=persons.given_name(draw, "female"),
    )


def _of_a_case(key: str) -> Value:
    """Draw from a list of the words of judgments; fill in a number, names and a state."""
    return lambda draw: draw.word("court", key).format(
        number=draw.between(2, 990),
        family=persons.family_name(draw),
        other=persons.family_name(draw),
        country=draw.pick(("Turkey", "Poland", "Austria", "France", "the United Kingdom")),
    )


def _typed(entity_type: EntityType, **values: Value) -> dict[str, tuple[EntityType | None, Value]]:
    return {name: (entity_type, value) for name, value in values.items()}


_DRAWN: Mapping[EntityType, Sequence[Value]] = {
    EntityType.LOCATION: (
        places.city, places.country, places.region, places.building, places.landmark,
        places.street, places.address, places.postcode,
    ),
    EntityType.ORGANIZATION: (
        organizations.organization, organizations.company, organizations.hospital,
        organizations.court, organizations.office, organizations.school,
        organizations.association, organizations.newspaper,
    ),
    EntityType.DATE_TIME: (
        figures.date, figures.year, figures.month, figures.month_year, figures.weekday,
        figures.time, figures.timestamp, figures.duration, figures.long_adjective,
    ),
    EntityType.AGE: (
        figures.age, figures.age_phrase, figures.years_old, figures.decade_of_life,
    ),
    EntityType.ID: (figures.application_number, figures.identifier),
    EntityType.QUANTITY: (
        figures.money, figures.measure, figures.percentage, figures.area, figures.weight,
        figures.height, figures.quantity, figures.judgment_sum, figures.head_count,
    ),
}  # fmt: skip
"""Slots with a type; each is named like its function."""

VALUES: dict[str, tuple[EntityType | None, Value]] = {
    **{value.__name__: (kind, value) for kind, values in _DRAWN.items() for value in values},
    **_typed(
        EntityType.LOCATION,
        place=lambda draw: draw.pick((places.city, places.city, places.country, places.region))(
            draw
        ),
    ),
    **_typed(
        EntityType.ORGANIZATION,
        government=lambda draw: f"{draw.word('people', 'nationalities')} Government",
        republic=lambda draw: f"Republic of {draw.pick(('Turkey', 'Poland', 'Austria', 'Malta'))}",
    ),
    **_typed(
        EntityType.DEMOGRAPHIC,
        nationality=_word("people", "nationalities"),
        religion=_word("people", "religions"),
        ethnicity=_word("people", "ethnic"),
        people_group=_word("people", "peoples"),
        occupation=_word("people", "jobs"),
        marital_status=_word("people", "marital"),
        political_view=_word("people", "politics"),
    ),
    **_typed(
        EntityType.MISC,
        benefit=_word("matters", "benefits"),
        law=_word("matters", "acts"),
        named_event=_filled("events"),
        work_title=_filled("works"),
        ship=_filled("ships"),
        programme=_word("matters", "courses"),
    ),
    "topic": (None, _word("matters", "topics")),
    **_typed(
        EntityType.DEMOGRAPHIC,
        illness=_word("court", "illnesses"),
        injury=_word("court", "injuries"),
        gravely=_one_of("seriously injured", "severely wounded", "badly burnt", "left disabled"),
        state_of_life=_word("court", "states"),
        life_event=_word("court", "life"),
        education=_word("court", "education"),
    ),
    **_typed(
        EntityType.MISC,
        substance=_of_a_case("substances"),
        case_object=_of_a_case("objects"),
        mishap=_of_a_case("mishaps"),
        accusation=_of_a_case("accusations"),
        case_name=_of_a_case("judgments"),
    ),
    "eponym_name": (EntityType.PERSON, medicine.eponym),
    **{
        value.__name__: (None, value)
        for value in (
            medicine.drug,
            medicine.condition,
            medicine.medical_test,
            medicine.reading,
            medicine.temperature,
            medicine.course,
            medicine.frequency,
            medicine.share,
        )
    },
    "eponym_condition": (None, lambda draw: f"{medicine.eponym(draw)} disease"),
    "body_thing": (None, _word("medicine", "things")),
    "tablets": (None, _word("medicine", "tablets")),
    "score": (
        None,
        lambda draw: draw.pick((str(draw.between(1, 15)), f"{draw.between(1, 15)}/15")),
    ),
    "product": (None, _word("goods", "products")),
    "subject": (None, _word("goods", "subjects")),
    "heading": (None, _word("goods", "headings")),
    "complaint": (None, _word("medicine", "complaints")),
    "dose": (None, _word("medicine", "doses")),
    "phone": (None, lambda draw: draw.faker("phone_number", ("en_US", "en_GB", "de_DE", "fr_FR"))),
    "domain": (
        None,
        lambda draw: (
            f"{fold(draw.coined())}.{draw.pick(('com', 'org', 'net', 'example', 'co.uk'))}"
        ),
    ),
    "handle": (
        None,
        lambda draw: fold(draw.coined()) + draw.pick(("", "_", "x")) + str(draw.between(1, 99)),
    ),
    "mailbox": (None, _one_of("info", "support", "no-reply", "sales", "office", "billing", "hr")),
    "blood_pressure": (None, lambda draw: f"{draw.between(95, 190)}/{draw.between(55, 110)}"),
    "file_extension": (
        None,
        _one_of("doc", "docx", "pdf", "xls", "xlsx", "jpg", "txt", "zip", "ppt"),
    ),
}
"""The type and the source of each value; a value without a type is not marked."""

OPEN: dict[str, Value] = {
    "open_duration": figures.duration,
    "open_day": _one_of(
        "yesterday", "tomorrow", "last week", "this morning", "last night", "next month", "today"
    ),
    "open_count": figures.quantity,
    "open_few": _one_of("two", "three", "four", "3", "five"),
    "open_measure": figures.measure,
}
"""Values on which annotated sets disagree; their ranges are `unsure`."""

MENTIONS: dict[str, Mention] = {
    "full_name": persons.full_name,
    "name": lambda _, who: who.plain,
    "first": lambda _, who: who.given,
    "last": lambda _, who: who.family,
    "last_first": lambda _, who: f"{who.family} {who.given}",
    "last_comma_first": persons.last_comma_first,
    "initials": persons.initials,
    "initial_last": lambda _, who: f"{who.given[0]}. {who.family}",
    "first_initial": lambda _, who: f"{who.given} {who.family[0]}.",
    "user_name": persons.user_name,
    "file_stem": persons.file_stem,
}
"""Mentions of a person, marked as PERSON."""


def _by_sex(female: str, male: str) -> Mention:
    return lambda _, who: female if who.sex == "female" else male


def _kin(draw: Draw, who: InventedPerson) -> str:
    return draw.word("medicine", f"kin_{who.sex}")


ABOUT: dict[str, Mention] = {
    "title": persons.title,
    "short_title": _by_sex("Ms", "Mr"),
    "he": _by_sex("she", "he"),
    "his": _by_sex("her", "his"),
    "him": _by_sex("her", "him"),
    "gender": _by_sex("female", "male"),
    "man_or_woman": _by_sex("woman", "man"),
    "sex_letter": _by_sex("F", "M"),
    "kin": _kin,
}
"""Words that agree with a person: the numbered one, or else the person mentioned last."""

TITLED: dict[str, tuple[Mention, Mention]] = {
    "titled": (persons.title, MENTIONS["last"]),
    "titled_full": (persons.title, MENTIONS["full_name"]),
    "titled_short": (ABOUT["short_title"], MENTIONS["initial_last"]),
    "doctor": (
        lambda draw, _: draw.pick(("Dr.", "Dr.", "Dr", "Dr", "Doctor", "Prof.")),
        lambda draw, who: draw.pick((who.family, who.family, who.plain)),
    ),
}
"""A title, which is not marked, and the mention after it."""


def known(name: str) -> bool:
    """Return whether a slot of this name is defined."""
    return any(name in table for table in (VALUES, OPEN, MENTIONS, ABOUT, TITLED))
