import asyncio
from dataclasses import replace

import pytest

from sage_rag.indexer.passages import Passage
from sage_rag.rag_server.answering.offline import OfflineAnswerer
from sage_rag.rag_server.answering.protocols import AnswerContext


@pytest.mark.parametrize(
    "answer", ["", "one", " Rest well [1].\n\nDrink tea\t[2]. ", "患者 PERSON_[a] ok"]
)
def test_the_pieces_make_up_the_composed_answer(answer):
    async def read() -> list[str]:
        passages = [Passage("p", "s", {"text": "x"})]
        answerer = OfflineAnswerer(lambda context: answer)
        context = AnswerContext("q", passages)
        pieces = answerer.answer(replace(context, composed=answerer.compose(context)))
        return [piece.text async for piece in pieces]

    assert "".join(asyncio.run(read())) == answer
