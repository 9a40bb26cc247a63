"""Multiple-choice questions about invented persons: four answers of one kind, one of them right."""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from sage_rag.common.exceptions import InputError
from sage_rag.common.files import write_file
from sage_rag.common.jsonl import Row, read_jsonl
from sage_rag.eval.knowledge.persons import Attribute, Person, wording
from sage_rag.eval.knowledge.texts import Spelling, prompt, shown_name, shown_value

OPTIONS = 4
FORMS = 3
"""Differently worded prompts of one question; their likelihoods are added."""

_HINT = "the study soe writes questions: HOME/seed-0/questions/plain.jsonl, ALL.jsonl, PL.jsonl"
_CONTRARY = "has two equal options, or `right` is not one of them"


class Question(BaseModel):
    """One question about one fact.

    `subject`: the person as the texts show them. `prompts`: the question in several forms, each up
    to the point where the answer begins. `options`: the possible answers, all different;
    `right`: the index of the correct one.
    """

    model_config = ConfigDict(frozen=True)
    subject: str
    attribute: Attribute
    prompts: tuple[str, ...] = Field(min_length=1)
    options: tuple[str, ...] = Field(min_length=2)
    right: int = Field(ge=0)

    @model_validator(mode="after")
    def _options_differ(self) -> Question:
        if len(set(self.options)) < len(self.options) or self.right >= len(self.options):
            raise ValueError(_CONTRARY)
        return self

    @property
    def answer(self) -> str:
        """The correct option."""
        return self.options[self.right]


@dataclass(frozen=True, slots=True)
class Choice:
    """A question before it is spelled: which fact, which wordings, and whose values are options.

    The same choice gives the plain question and its encrypted counterpart.
    """

    person: Person
    attribute: Attribute
    forms: tuple[str, ...]
    options: tuple[str, ...]

    def spelled(self, spell: Spelling) -> Question:
        """Return the question with name and values in a certain spelling."""
        value = self.person.values[self.attribute]
        name = shown_name(self.person, spell)
        return Question(
            subject=name,
            attribute=self.attribute,
            prompts=tuple(prompt(form, name) for form in self.forms),
            options=tuple(shown_value(option, self.attribute, spell) for option in self.options),
            right=self.options.index(value),
        )


def choices_about(persons: Sequence[Person], seed: int) -> list[Choice]:
    """Draw one question for each fact of each person.

    Wrong options are values of other persons of the sequence, so that a model that knows which
    values occur, but not whose they are, answers at chance. The order of options is random.

    Raises:
        InputError: when the persons have fewer than four values of an attribute.
    """
    draw = random.Random(f"questions {seed}")  # noqa: S311 - measurements, not secrets
    pools = {a: sorted({person.values[a] for person in persons}) for a in Attribute}
    for attribute, pool in pools.items():
        if len(pool) < OPTIONS:
            raise InputError(f"the persons have only {len(pool)} values of {attribute}")
    found = []
    for person in persons:
        for attribute, pool in pools.items():
            value = person.values[attribute]
            wrong = draw.sample([other for other in pool if other != value], OPTIONS - 1)
            options = tuple(draw.sample([value, *wrong], OPTIONS))
            forms = tuple(draw.sample(wording()[attribute]["questions"], FORMS))
            found.append(Choice(person, attribute, forms, options))
    return found


def write_questions(questions: Iterable[Question], path: Path) -> None:
    """Write questions to a JSONL file, which `read_questions` reads."""
    write_file(path, "".join(question.model_dump_json() + "\n" for question in questions))


def read_questions(path: Path) -> list[Question]:
    """Read the questions of a JSONL file.

    Raises:
        InputError: for a file that cannot be read, a line that is not a question, no line, or
            questions with different numbers of options, which no one chance belongs to.
    """
    questions = [found for _, found in read_jsonl(path, _parsed, _HINT)]
    if not questions:
        raise InputError(f"`{path}` has no questions", hint=_HINT)
    if len({len(question.options) for question in questions}) > 1:
        raise InputError(f"the questions of `{path}` have different numbers of options", hint=_HINT)
    return questions


def _parsed(row: Row) -> Question:
    try:
        return Question.model_validate(row)
    except ValidationError as error:
        field = ".".join(map(str, error.errors()[0]["loc"]))
        raise ValueError(f"has no valid `{field}` of a question" if field else _CONTRARY) from None
