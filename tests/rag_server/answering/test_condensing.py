import asyncio
from collections.abc import AsyncGenerator

import pytest

from sage_rag.common.exceptions import UpstreamError
from sage_rag.rag_server.answering.condensing import CondensedQuestion, QuestionCondenser
from sage_rag.rag_server.answering.protocols import ConversationTurn, Piece
from sage_rag.rag_server.completions import CompletionUsage
from sage_rag.rag_server.followups import standalone
from tests.rag_server.answering.test_chat import Parrot

KELLER, LINDE = "PERSON_[aa]", "PERSON_[bb]"
ASKED = [f"What does {KELLER} take against gout?", "And at night?"]


def condense(model, *asked: str, timeout_s: float = 10.0) -> CondensedQuestion:
    turns = [ConversationTurn("user", text) for text in asked or ASKED]
    turns.insert(1, ConversationTurn("assistant", f"{LINDE} gave colchicine."))
    return asyncio.run(QuestionCondenser(model, timeout_s).condense(turns))


def test_the_model_reads_aliases_and_its_line_is_searched_with_tokens():
    model = Parrot("What does [PERSON_1] take ", "against gout at night?")
    found = condense(model)
    assert found.text == f"What does {KELLER} take against gout at night?"
    assert found.names_kept
    prompt = "\n".join(turn.text for turn in model.turns)
    assert "_[" not in prompt
    assert prompt.endswith("Last question: And at night?")
    assert "Assistant: [PERSON_2] gave colchicine." in prompt


@pytest.mark.parametrize(
    "line",
    [
        "",
        "At night:\nwhat does [PERSON_1] take?",
        "What does [PERSON_9] take at night?",
        "What does [PERSON_2] take at night?",
        "I cannot help with that.",
        "night " * 200,
    ],
)
def test_the_rules_decide_where_a_line_is_unusable(line):
    assert condense(Parrot(line)).text == standalone(ASKED)


def test_a_line_without_a_name_of_the_last_question_is_unusable():
    asked = (ASKED[0], f"And what does {LINDE} take?")
    assert condense(Parrot("What does [PERSON_1] take?"), *asked).text == standalone(asked)


def test_blind_words_are_not_searched_where_the_line_leaves_their_names_out():
    found = condense(Parrot("Which drugs help at night?"))
    assert (found.text, found.names_kept) == ("Which drugs help at night?", False)


def test_a_first_question_needs_no_model():
    model = Parrot("something else")
    turns = [ConversationTurn("user", "what helps?")]
    found = asyncio.run(QuestionCondenser(model).condense(turns))
    assert (found.text, model.turns) == ("what helps?", ())


class Failing(Parrot):
    """A chat model that fails, or never answers."""

    async def stream(self, turns, options) -> AsyncGenerator[Piece, None]:
        if not self.pieces:
            raise UpstreamError("the chat model failed")
        await asyncio.Event().wait()
        yield Piece("")


@pytest.mark.parametrize("model", [Failing(), Failing("late")])
def test_the_rules_decide_where_the_model_fails_or_is_late(model):
    found = condense(model, timeout_s=0.01)
    assert found.text == standalone(ASKED)
    assert found.usage is not None  # the model has read the conversation
    assert found.usage.prompt_tokens > 60


class Counting(Parrot):
    """A chat model that reports its tokens."""

    async def stream(self, turns, options) -> AsyncGenerator[Piece, None]:
        yield Piece("What does [PERSON_1] take at night?", "stop", CompletionUsage(40, 9))


def test_a_line_that_is_not_read_to_its_end_counts_with_what_was_read():
    found = condense(Parrot("one two\n", "three", "four"))
    assert found.usage is not None
    assert found.usage.completion_tokens == 3


def test_the_tokens_of_the_model_are_reported():
    assert condense(Counting()).usage == CompletionUsage(40, 9)
