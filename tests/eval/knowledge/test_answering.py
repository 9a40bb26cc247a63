from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from numpy.typing import NDArray

from sage_rag.eval.knowledge.answering import by_generation, by_likelihood, majority, named_option
from sage_rag.eval.knowledge.persons import invent_persons
from sage_rag.eval.knowledge.questions import Question, choices_about
from sage_rag.eval.knowledge.texts import plain

QUESTIONS = [choice.spelled(plain) for choice in choices_about(invent_persons(40, 0), 0)]
ANSWERS = {prompt: question.answer for question in QUESTIONS for prompt in question.prompts}


class FakeModel:
    """Knows the answers of `ANSWERS`, or guesses; writes `outputs` in turn."""

    def __init__(self, *, knows: bool, outputs: Sequence[str] = ("",)) -> None:
        self.knows, self.outputs, self.draw = knows, outputs, np.random.default_rng(0)

    def log_likelihoods(self, pairs: Sequence[tuple[str, str]]) -> NDArray[np.float64]:
        if self.knows:
            return np.array([-1.0 if c == f" {ANSWERS[p]}." else -2.0 for p, c in pairs])
        return np.array([self.draw.normal() for _ in pairs])

    def token_count(self, text: str) -> int:
        return len(text)

    def generate(
        self, prompts: Sequence[str], samples: int, max_tokens: int, seed: int
    ) -> list[list[str]]:
        self.max_tokens = max_tokens
        return [[self.outputs[i % len(self.outputs)] for i in range(samples)] for _ in prompts]


def test_a_model_that_knows_the_answers_is_always_right() -> None:
    assert all(by_likelihood(FakeModel(knows=True), QUESTIONS).right(QUESTIONS))


def test_a_model_that_guesses_is_at_chance() -> None:
    right = by_likelihood(FakeModel(knows=False), QUESTIONS).right(QUESTIONS)
    assert 0.15 < sum(right) / len(right) < 0.35


def test_equal_likelihoods_are_no_answer() -> None:
    model = FakeModel(knows=True)
    question = QUESTIONS[0].model_copy(update={"right": (QUESTIONS[0].right + 1) % 4})
    other = Question(
        subject="x",
        attribute=question.attribute,
        prompts=question.prompts,
        options=("a", "b"),
        right=0,
    )
    assert by_likelihood(model, [other]).chosen == [None]
    assert by_likelihood(model, [question]).right([question]) == [False]


def test_an_unanswered_question_is_wrong_even_where_the_first_option_is_right() -> None:
    first = [question for question in QUESTIONS if question.right == 0]
    answers = by_generation(FakeModel(knows=False, outputs=["I cannot say."]), first)
    assert answers.chosen == [None] * len(first)
    assert not any(answers.right(first))


def test_the_majority_of_the_outputs_decides() -> None:
    question = QUESTIONS[0]
    outputs = [f" {question.answer}.", f" {question.options[question.right - 1]}.", " unclear"]
    once = question.model_copy(update={"prompts": question.prompts[:1]})
    tie = by_generation(FakeModel(knows=False, outputs=outputs), [once], samples=2)
    more = by_generation(FakeModel(knows=False, outputs=outputs), [once], samples=4)
    assert (tie.chosen, more.chosen) == ([None], [question.right])


@pytest.mark.parametrize(
    ("text", "option"),
    [
        (" Oakham.", 0),
        ("It was Oakham, I believe", 0),
        (" Oakhamstead.", None),
        (" Oakham or Selby", None),
        (" somewhere\nOakham", None),
        (" no. Question: Where? Answer: Oakham.", None),
        ("", None),
    ],
)
def test_an_output_names_one_option_or_none(text: str, option: int | None) -> None:
    assert named_option(text, ("Oakham", "Selby", "Dunford", "Elmton")) == option


@pytest.mark.parametrize(
    ("votes", "expected"),
    [([], None), ([None, None], None), ([1, None], 1), ([1, 2], None), ([1, 2, 2], 2)],
)
def test_majority(votes: list[int | None], expected: int | None) -> None:
    assert majority(votes) == expected


def test_an_output_has_room_for_the_longest_option() -> None:
    model = FakeModel(knows=False)
    by_generation(model, QUESTIONS)
    assert model.max_tokens == 48
    long = QUESTIONS[0].model_copy(update={"options": ("x" * 80, "y", "z", "v")})
    by_generation(model, [long, *QUESTIONS])
    assert model.max_tokens >= 80 + len(" .")
    by_generation(model, [long], max_tokens=7)
    assert model.max_tokens == 7
