"""What asks something, and what only looks as if it did."""

from __future__ import annotations

import pytest

from sage_rag.common.questions import asks, is_inverted, question_starts, reports_question
from tests.growth import LINEAR, growth


@pytest.mark.parametrize(
    "sentence",
    [
        "Is it safe?",
        "is it safe to swim",
        "Isn't there a pill",
        "how long does it take",
        "Which doctor should I see",
        "I want to know the cause.",
        "I wonder if it is broken.",
        "Please help.",
        "Kindly advise.",
        "Any ideas.",
        "So please tell me what to do.",
        "I need some advice.",
        "I don't know why it rings.",
        "Not sure if this is normal.",
        "Your advice would be appreciated.",
        "My ear rings can you tell me the cause",
        "Should I be worried, the ear rings.",
    ],
)
def test_what_asks(sentence: str) -> None:
    assert asks(sentence)


@pytest.mark.parametrize(
    "sentence",
    [
        "Should it hurt again, come back.",
        "Should you have another query, please feel free to ask.",
        "If you want to know more, call us.",
        "Do it daily.",
        "Do these exercises at noon.",
        "Have the wound dressed at noon.",
        "What helps is rest.",
        "I told him to rest.",
        "The dentist does not know why it rings.",
    ],
)
def test_what_asks_nothing(sentence: str) -> None:
    assert not asks(sentence)


@pytest.mark.parametrize(("sentence", "inverted"), [("Can we wait", True), ("We can wait", False)])
def test_the_order_of_a_question(sentence: str, inverted: bool) -> None:
    assert is_inverted(sentence) is inverted


@pytest.mark.parametrize(
    ("sentence", "reports"),
    [("The tenant asks about the lift.", True), ("The lift is broken.", False)],
)
def test_a_summary_says_that_someone_asks(sentence: str, reports: bool) -> None:
    assert reports_question(sentence) is reports


@pytest.mark.parametrize("sentence", ["It hurts, should I go", "It hurts and so can you tell me"])
def test_a_question_begins_after_a_statement(sentence: str) -> None:
    assert [sentence[: match.start()] for match in question_starts(sentence)] == ["It hurts"]


@pytest.mark.parametrize("words", [" ", ", ", "and ", "it burns, should i go "])
def test_a_long_sentence_is_searched_for_questions_in_linear_time(words: str) -> None:
    assert growth(lambda size: list(question_starts(f"It hurts {words * size}")), 300) < LINEAR
