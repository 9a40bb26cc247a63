import asyncio
from collections.abc import AsyncGenerator, Mapping, Sequence
from typing import Any

from sage_rag.indexer.passages import Passage
from sage_rag.rag_server.answering.chat import ChatAnswerer
from sage_rag.rag_server.answering.protocols import AnswerContext, ConversationTurn, Piece

TOKEN, OTHER = "PERSON_[q2Zf3k]", "LOCATION_[z9]"


class Parrot:
    """A chat model that says given pieces and records what it read."""

    honours: frozenset[str] = frozenset()
    context: int | None = None

    def __init__(self, *pieces: str) -> None:
        self.pieces = pieces
        self.turns: Sequence[ConversationTurn] = ()
        self.options: Mapping[str, Any] = {}

    async def stream(self, turns, options) -> AsyncGenerator[Piece, None]:
        self.turns, self.options = turns, options
        for piece in self.pieces:
            yield Piece(piece)
        yield Piece("", "stop")

    async def context_tokens(self) -> int | None:
        return self.context

    async def count_tokens(self, turns) -> int | None:
        return None

    async def check(self) -> None: ...

    async def close(self) -> None: ...


def answer(model: Parrot, **more) -> str:
    passages = [Passage("p", "SOURCE_[s]", {"q": f"{TOKEN} coughs", "a": f"go to {OTHER}"})]
    conversation = AnswerContext(f"where does {TOKEN} go?", passages, **more)

    async def read() -> str:
        return "".join([p.text async for p in ChatAnswerer(model).answer(conversation)])

    return asyncio.run(read())


def test_the_model_reads_aliases_and_its_aliases_come_back_as_tokens():
    model = Parrot("[PERS", "ON_1] goes to [LOCATION_1", "] [1].")
    assert answer(model) == f"{TOKEN} goes to {OTHER} [1]."
    prompt = "\n".join(turn.text for turn in model.turns)
    assert "_[" not in prompt
    assert "[1] [PERSON_1] coughs\ngo to [LOCATION_1]" in prompt
    assert prompt.endswith("Question: where does [PERSON_1] go?")


def test_the_model_reads_the_passages_of_the_person_alone_under_their_own_numbers():
    other = "PERSON_[x9]"
    texts = (f"{other} takes iron", f"{TOKEN} takes zinc", f"{other} asks after {TOKEN}")
    passages = [Passage(text, "SOURCE_[s]", {"a": text}) for text in texts]
    model = Parrot("zinc [2], iron [1]")

    async def read(question: str) -> str:
        conversation = AnswerContext(question, passages)
        return "".join([p.text async for p in ChatAnswerer(model).answer(conversation)])

    assert asyncio.run(read(f"what does {TOKEN} take?")) == "zinc [2], iron"
    prompt = model.turns[-1].text
    assert "[1]" not in prompt
    assert "iron" not in prompt
    assert "[2] [PERSON_1] takes zinc" in prompt
    assert "[3] [PERSON_2] asks after [PERSON_1]" in prompt
    asyncio.run(read("who takes iron?"))
    assert all(f"[{number}]" in model.turns[-1].text for number in (1, 2, 3))


def test_system_messages_and_history_are_kept_with_aliases():
    model = Parrot("ok")
    history = [
        ConversationTurn("system", f"You help {TOKEN}."),
        ConversationTurn("user", f"hello from {OTHER}"),
        ConversationTurn("assistant", ""),
        ConversationTurn("assistant", "hello"),
    ]
    answer(model, history=history, options={"temperature": 0.2})
    assert [turn.role for turn in model.turns] == ["system", "user", "assistant", "user"]
    assert model.turns[0].text.endswith("You help [PERSON_1].")
    assert model.turns[1].text == "hello from [LOCATION_1]"
    assert model.options == {"temperature": 0.2}


def test_an_alias_that_never_ends_is_shown_as_damage():
    assert answer(Parrot("see [PERSON_")) == "see [PERSON: unreadable]"


def test_an_answer_cut_at_its_longest_shows_no_other_person():
    names = [f"PERSON_[p{n}]" for n in range(1, 14)]
    history = [ConversationTurn("user", " ".join(names))]
    assert answer(Parrot("Dr. ", "[PERSON_", "1"), history=history) == "Dr. [PERSON: unreadable]"
    assert answer(Parrot("Dr. ", "[PERSON_", "13"), history=history) == f"Dr. {names[12]}"


def test_without_passages_the_prompt_says_so():
    model = Parrot("I do not know.")

    async def read() -> None:
        async for _ in ChatAnswerer(model).answer(AnswerContext("why?", [])):
            pass

    asyncio.run(read())
    assert "(no passage was found)" in model.turns[-1].text


class CountingParrot(Parrot):
    """Has a context of 400 tokens, one for each word."""

    context = 400

    async def count_tokens(self, turns) -> int | None:
        return sum(len(turn.text.split()) for turn in turns)


def test_a_prompt_has_as_many_tokens_as_the_model_can_read():
    model = CountingParrot("ok")
    passages = [Passage(f"p{n}", "s", {"text": f"text {n} " * 60}) for n in range(9)]
    question = AnswerContext("why?", passages, options={"max_tokens": 100})

    async def read() -> None:
        async for _ in ChatAnswerer(model).answer(question):
            pass

    asyncio.run(read())
    tokens = asyncio.run(model.count_tokens(model.turns))
    assert tokens is not None
    assert 200 < tokens <= 300
    assert model.turns[-1].text.endswith("Question: why?")
