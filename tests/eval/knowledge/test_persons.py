from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sage_rag.common.exceptions import InputError
from sage_rag.eval.knowledge.persons import ENTITY_TYPES, Attribute, invent_persons, wording


@settings(max_examples=20, deadline=None)
@given(st.integers(1, 300), st.integers(0, 10**6))
def test_names_and_accounts_differ_and_every_person_has_every_attribute(
    count: int, seed: int
) -> None:
    persons = invent_persons(count, seed)
    assert len({person.name for person in persons}) == count
    assert len({person.values[Attribute.ACCOUNT] for person in persons}) == count
    assert all(set(person.values) == set(Attribute) for person in persons)


def test_a_seed_gives_the_same_persons_and_another_seed_others() -> None:
    assert invent_persons(50, 1) == invent_persons(50, 1)
    assert invent_persons(50, 1) != invent_persons(50, 2)


def test_values_do_not_follow_from_the_name() -> None:
    """The towns of persons with one family name are as diverse as those of any persons."""
    persons = invent_persons(3000, 0)
    family = persons[0].name.split()[1]
    towns = [p.values[Attribute.BIRTH_PLACE] for p in persons if p.name.split()[1] == family]
    assert len(towns) > 10
    assert len(set(towns)) > 0.8 * len(towns)


def test_more_persons_than_names_are_refused() -> None:
    with pytest.raises(InputError, match="full names"):
        invent_persons(10**6, 0)


def test_every_form_names_the_person_and_every_statement_the_value() -> None:
    for attribute in Attribute:
        forms = wording()[attribute]
        assert all("{name}" in form for form in forms["statements"] + forms["questions"])
        assert all("{value}" in form for form in forms["statements"])
        assert not any("{value}" in form for form in forms["questions"])
        assert len(set(forms["statements"])) >= 12
        assert len(set(forms["questions"])) >= 5
    assert set(ENTITY_TYPES) == set(Attribute)


def test_word_lists_have_no_repetition() -> None:
    for key in ("given", "family"):
        words = wording()[key].split()
        assert len(words) == len(set(words))
        assert all(word.isalpha() for word in words)
