import asyncio

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
        pieces = OfflineAnswerer(lambda context: answer).answer(AnswerContext("q", passages))
        return [piece.text async for piece in pieces]

    assert "".join(asyncio.run(read())) == answer
