from __future__ import annotations

from pathlib import Path

import pytest

from sage_rag.common.exceptions import InputError
from sage_rag.eval.knowledge.persons import Attribute, invent_persons
from sage_rag.eval.knowledge.questions import (
    OPTIONS,
    choices_about,
    read_questions,
    write_questions,
)
from sage_rag.eval.knowledge.texts import encrypted, plain
from sage_rag.privacy.keyset.keyset import Keyset
from sage_rag.training.ciphers.codebook import CodebookCipher

PERSONS = invent_persons(40, 3)


def test_options_are_values_of_the_same_attribute_of_the_same_persons() -> None:
    pools = {a: {person.values[a] for person in PERSONS} for a in Attribute}
    choices = choices_about(PERSONS, 0)
    assert len(choices) == len(PERSONS) * len(Attribute)
    for choice in choices:
        question = choice.spelled(plain)
        assert len(set(question.options)) == OPTIONS
        assert set(question.options) <= pools[choice.attribute]
        assert question.answer == choice.person.values[choice.attribute]
        assert all(choice.person.name in prompt for prompt in question.prompts)


def test_the_right_option_is_in_every_place_about_equally_often() -> None:
    places = [choice.spelled(plain).right for choice in choices_about(PERSONS, 0)]
    assert all(30 <= places.count(place) <= 70 for place in range(OPTIONS))


def test_encrypted_questions_ask_the_same_and_show_no_plain_value(tmp_path: Path) -> None:
    cipher = CodebookCipher(tmp_path / "codebook", Keyset.generate(), "persons")
    for choice in choices_about(PERSONS, 0)[:20]:
        own, hidden = choice.spelled(plain), choice.spelled(encrypted(cipher))
        assert [cipher.decrypt(option) for option in hidden.options] == list(own.options)
        assert hidden.right == own.right
        assert choice.person.name not in " ".join(hidden.prompts)


def test_questions_are_read_as_they_were_written(tmp_path: Path) -> None:
    questions = [choice.spelled(plain) for choice in choices_about(PERSONS, 0)]
    write_questions(questions, tmp_path / "q.jsonl")
    assert read_questions(tmp_path / "q.jsonl") == questions


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("", "has no questions"),
        ('{"subject": "Alma Verhoeven"}', "line 1 has no valid `attribute` of a question"),
        (
            '{"subject": "x", "attribute": "school", "prompts": ["?"], "options": ["a", "a"], "right": 0}',
            "line 1 has two equal options",
        ),
    ],
)
def test_a_file_without_proper_questions_is_refused(
    tmp_path: Path, line: str, message: str
) -> None:
    (tmp_path / "q.jsonl").write_text(line, "utf-8")
    with pytest.raises(InputError, match=message) as raised:
        read_questions(tmp_path / "q.jsonl")
    assert "Verhoeven" not in str(raised.value)


def test_questions_with_different_numbers_of_options_are_refused(tmp_path: Path) -> None:
    first, *rest = [choice.spelled(plain) for choice in choices_about(PERSONS, 0)]
    fewer = first.model_copy(update={"options": (first.answer, "none"), "right": 0})
    write_questions([fewer, *rest], tmp_path / "q.jsonl")
    with pytest.raises(InputError, match="different numbers of options"):
        read_questions(tmp_path / "q.jsonl")


def test_too_few_persons_for_four_options_are_refused() -> None:
    with pytest.raises(InputError, match="values of"):
        choices_about(PERSONS[:3], 0)
