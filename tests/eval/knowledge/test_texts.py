from __future__ import annotations

from pathlib import Path

import pytest

from sage_rag.common.exceptions import InputError
from sage_rag.eval.knowledge.arms import PL
from sage_rag.eval.knowledge.persons import Attribute, Person, invent_persons
from sage_rag.eval.knowledge.texts import (
    biographies,
    encrypted,
    plain,
    question_answers,
    statements,
)
from sage_rag.privacy.keyset.keyset import Keyset
from sage_rag.privacy.tokens import TOKEN
from sage_rag.training.ciphers.codebook import CodebookCipher

PERSONS = invent_persons(12, 0)


@pytest.fixture
def cipher(tmp_path: Path) -> CodebookCipher:
    return CodebookCipher(tmp_path / "codebook", Keyset.generate(), "persons")


def values(person: Person) -> list[str]:
    return [person.name, *person.values.values()]


def test_a_biography_states_every_fact_under_the_full_name() -> None:
    text = next(biographies(PERSONS, 1, plain, 0))
    assert all(value in text for value in values(PERSONS[0]))
    assert text.count(PERSONS[0].name) == len(Attribute)


def test_the_texts_of_a_person_are_worded_differently() -> None:
    texts = list(biographies(PERSONS[:3], 60, plain, 0))
    assert len(texts) == len(set(texts)) == 180


def test_more_texts_than_wordings_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sage_rag.eval.knowledge.texts._TRIES", 0)
    with pytest.raises(InputError, match="do not give"):
        list(biographies(PERSONS[:1], 2, plain, 0))


def test_encrypted_texts_are_the_plain_ones_with_tokens(cipher: CodebookCipher) -> None:
    own = list(biographies(PERSONS, 3, plain, 5)) + list(question_answers(PERSONS, 2, plain, 5))
    hidden = list(biographies(PERSONS, 3, encrypted(cipher), 5))
    hidden += question_answers(PERSONS, 2, encrypted(cipher), 5)
    assert not any(v in text for text in hidden for person in PERSONS for v in values(person))
    assert [TOKEN.sub(lambda m: cipher.decrypt(m.group()), text) for text in hidden] == own


def test_policy_pl_hides_names_and_places_alone(cipher: CodebookCipher) -> None:
    person = PERSONS[0]
    text = next(biographies(PERSONS, 1, encrypted(cipher, PL), 0))
    shown = {attribute for attribute, value in person.values.items() if value in text}
    assert person.name not in text
    assert shown == set(Attribute) - {Attribute.BIRTH_PLACE}


def test_statements_state_one_fact_each_and_none_twice() -> None:
    persons = invent_persons(3, 0)
    texts = list(statements(persons, 4, plain, 0))
    assert len(texts) == len(set(texts)) == 3 * 5 * 4
    for number, text in enumerate(texts):
        person = persons[number // 20]
        assert person.name in text
        assert sum(value in text for value in person.values.values()) == 1
    with pytest.raises(InputError, match="are needed"):
        list(statements(persons, 1000, plain, 0))
