"""Answers of a tiny language model in this process, made on the spot."""

from __future__ import annotations

import asyncio
from contextlib import aclosing
from pathlib import Path

import pytest

from sage_rag.common.exceptions import InputError, UpstreamError
from sage_rag.rag_server.answering.protocols import ConversationTurn, Piece
from sage_rag.rag_server.backends.transformers_stream import TransformersChatStream
from tests.agents.backends.tiny_chat import chat_folder

pytestmark = pytest.mark.slow

TAUGHT = {
    "(system) Answer.\n(user) where\n(assistant) ": "[PERSON_1] goes by bus.",
}
ASK = [ConversationTurn("system", "Answer."), ConversationTurn("user", "where")]


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> TransformersChatStream:
    return TransformersChatStream(str(chat_folder(tmp_path_factory.mktemp("m") / "tiny", TAUGHT)))


def pieces(model: TransformersChatStream, turns=ASK, **options) -> list[Piece]:
    async def read() -> list[Piece]:
        return [piece async for piece in model.stream(turns, options)]

    return asyncio.run(read())


def test_the_answer_comes_in_pieces_and_with_its_counts(model: TransformersChatStream) -> None:
    *texts, last = pieces(model)
    assert "".join(piece.text for piece in texts) == "[PERSON_1] goes by bus."
    assert len(texts) > 1
    assert last.finish_reason == "stop"
    assert last.usage is not None
    assert last.usage.prompt_tokens == asyncio.run(model.count_tokens(ASK))


def test_an_answer_ends_at_its_limit(model: TransformersChatStream) -> None:
    *texts, last = pieces(model, max_tokens=3)
    assert last.finish_reason == "length"
    assert "".join(piece.text for piece in texts) in "[PERSON_1] goes by"


def test_a_reader_that_leaves_ends_the_answer(model: TransformersChatStream) -> None:
    async def leave() -> Piece:
        async with aclosing(model.stream(ASK, {})) as stream:
            return await anext(stream)

    assert asyncio.run(leave()).text
    assert pieces(model)[-1].finish_reason == "stop"


def test_a_prompt_without_room_for_an_answer_is_an_error(model: TransformersChatStream) -> None:
    long = [ConversationTurn("user", "where " * asyncio.run(model.context_tokens()))]
    with pytest.raises(UpstreamError, match="too long"):
        pieces(model, long)


def test_the_loop_goes_on_while_a_long_prompt_is_counted(model: TransformersChatStream) -> None:
    long = [ConversationTurn("user", "where to " * 200_000)]

    async def turns_of_the_loop() -> int:
        counting, turns = asyncio.ensure_future(model.count_tokens(long)), 0
        while not counting.done():
            await asyncio.sleep(0.001)
            turns += 1
        assert await counting > 400_000
        return turns

    assert asyncio.run(turns_of_the_loop()) > 3


def test_a_folder_without_a_model_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError):
        TransformersChatStream(str(tmp_path))
