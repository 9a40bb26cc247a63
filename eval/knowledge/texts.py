"""Texts and question-answer pairs about invented persons, in plain words or under a cipher."""

from __future__ import annotations

import random
from collections.abc import Callable, Collection, Iterator, Sequence

from sage_rag.common.exceptions import InputError
from sage_rag.eval.knowledge.persons import ENTITY_TYPES, Attribute, Person, wording
from sage_rag.privacy.entities import EntityType
from sage_rag.privacy.protocols import EntityCipher

Spelling = Callable[[str, EntityType], str]
"""How a value appears in a text: unchanged, or as the token of a cipher."""

_TRIES = 1000


def plain(value: str, entity_type: EntityType) -> str:
    """Return the value unchanged."""
    return value


def encrypted(cipher: EntityCipher, types: Collection[EntityType] = tuple(EntityType)) -> Spelling:
    """Return a spelling that encrypts the values of `types` and leaves the others in clear."""

    def spell(value: str, entity_type: EntityType) -> str:
        return cipher.encrypt(value, entity_type) if entity_type in types else value

    return spell


def shown_name(person: Person, spell: Spelling) -> str:
    """Return the full name as texts show it."""
    return spell(person.name, EntityType.PERSON)


def shown_value(value: str, attribute: Attribute, spell: Spelling) -> str:
    """Return a value of an attribute as texts show it."""
    return spell(value, ENTITY_TYPES[attribute])


def prompt(form: str, name: str) -> str:
    """Return a question up to the point where its answer begins."""
    return f"Question: {form.format(name=name)} Answer:"


def answered(prompt: str, value: str) -> str:
    """Return a prompt with its answer."""
    return f"{prompt} {value}."


def biography(person: Person, spell: Spelling, draw: random.Random) -> str:
    """Return one sentence with the full name for each attribute, in a random order.

    The same draw gives the same sentences in every spelling.
    """
    order = draw.sample(list(Attribute), len(Attribute))
    name = shown_name(person, spell)
    return " ".join(
        draw.choice(wording()[attribute]["statements"]).format(
            name=name, value=shown_value(person.values[attribute], attribute, spell)
        )
        for attribute in order
    )


def biographies(persons: Sequence[Person], count: int, spell: Spelling, seed: int) -> Iterator[str]:
    """Yield `count` texts for each person, no two of one person worded equally.

    Raises:
        InputError: when the statements do not allow as many.
    """
    draw = random.Random(f"biographies {seed}")  # noqa: S311 - measurements, not secrets
    for person in persons:
        seen: dict[str, None] = {}
        for _ in range(_TRIES * count):
            if len(seen) == count:
                break
            seen[biography(person, spell, draw)] = None
        else:
            raise InputError(f"the statements do not give {count} texts for each person")
        yield from seen


def statements(persons: Sequence[Person], count: int, spell: Spelling, seed: int) -> Iterator[str]:
    """Yield `count` texts of one sentence for each fact of each person, all worded differently.

    Raises:
        InputError: when an attribute has fewer statements.
    """
    draw = random.Random(f"statements {seed}")  # noqa: S311 - measurements, not secrets
    for attribute in Attribute:
        if count > (known := len(wording()[attribute]["statements"])):
            raise InputError(f"{attribute} has {known} statements, {count} are needed")
    for person in persons:
        name = shown_name(person, spell)
        for attribute in Attribute:
            value = shown_value(person.values[attribute], attribute, spell)
            for form in draw.sample(wording()[attribute]["statements"], count):
                yield form.format(name=name, value=value)


def question_answers(
    persons: Sequence[Person], count: int, spell: Spelling, seed: int
) -> Iterator[str]:
    """Yield `count` question-answer pairs for each fact of each person, in random forms."""
    draw = random.Random(f"question-answer pairs {seed}")  # noqa: S311 - measurements, not secrets
    for person in persons:
        name = shown_name(person, spell)
        for attribute in Attribute:
            value = shown_value(person.values[attribute], attribute, spell)
            for _ in range(count):
                form = draw.choice(wording()[attribute]["questions"])
                yield answered(prompt(form, name), value)
