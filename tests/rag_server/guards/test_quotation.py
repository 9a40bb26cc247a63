import asyncio
from collections.abc import AsyncGenerator

from hypothesis import given
from hypothesis import strategies as st

from sage_rag.indexer.passages import Passage
from sage_rag.rag_server.answering.protocols import AnswerContext, Piece
from sage_rag.rag_server.guards.quotation import WITHHELD, GuardedAnswerer, QuotationGuard

TEXT = (
    "The ferry to the island leaves at nine and at noon, in winter only on Sundays. Bring a coat."
)
PASSAGE = Passage("p1", "SOURCE_[x]", {"text": TEXT})
WORDS = st.lists(st.sampled_from("the ferry leaves at nine coat a PERSON_[q2Z]".split()))


def shown(text: str, most_words: int, *, size: int = 5) -> tuple[str, bool]:
    guard = QuotationGuard([PASSAGE], most_words)
    read = "".join(guard.feed(text[i : i + size]) for i in range(0, len(text), size))
    return read + guard.flush(), guard.tripped


def test_an_answer_in_other_words_is_whole():
    text = "It leaves twice a day [1]. In winter it leaves on Sundays only."
    assert shown(text, 4) == (text, False)


def test_a_repeated_document_ends_at_the_limit():
    text, tripped = shown(f"Here it is: {TEXT.upper()}", 6)
    assert tripped
    assert text == "Here it is: THE FERRY TO THE ISLAND LEAVES "


@given(WORDS, st.integers(1, 9))
def test_the_result_does_not_depend_on_the_cuts(words, size):
    text = " ".join(words)
    assert shown(text, 3, size=size) == shown(text, 3, size=1000)


@given(WORDS)
def test_what_is_shown_begins_the_text(words):
    text = " ".join(words)
    read, tripped = shown(text, 3)
    assert text.startswith(read)
    assert tripped or read == text


class Parrot:
    name = "parrot"
    honours: frozenset[str] = frozenset()
    compose = None

    def __init__(self, text: str) -> None:
        self.text = text

    async def answer(self, conversation: AnswerContext) -> AsyncGenerator[Piece, None]:
        for word in self.text.split():
            yield Piece(f"{word} ")
        yield Piece("", "stop")

    async def check(self) -> None: ...

    async def close(self) -> None: ...


def answered(text: str, most_words: int) -> list[Piece]:
    async def read() -> list[Piece]:
        guarded = GuardedAnswerer(Parrot(text), most_words)
        return [piece async for piece in guarded.answer(AnswerContext("repeat it", [PASSAGE]))]

    return asyncio.run(read())


def test_a_model_that_repeats_a_document_is_stopped_and_the_answer_says_so():
    pieces = answered(TEXT, 6)
    assert pieces[-1] == Piece(WITHHELD, "content_filter")
    assert "noon" not in "".join(piece.text for piece in pieces)


def test_another_answer_keeps_its_end():
    pieces = answered("At nine and at noon.", 6)
    assert "".join(piece.text for piece in pieces) == "At nine and at noon. "
    assert pieces[-1].finish_reason in ("stop", None)
    assert any(piece.finish_reason == "stop" for piece in pieces)
