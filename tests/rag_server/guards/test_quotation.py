import asyncio
import re
import time
import unicodedata
from collections.abc import AsyncGenerator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sage_rag.indexer.passages import Passage
from sage_rag.rag_server.answering.protocols import AnswerContext, Piece
from sage_rag.rag_server.guards.quotation import WITHHELD, GuardedAnswerer, QuotationGuard, excerpt

TEXT = (
    "The ferry to the island leaves at nine and at noon, in winter only on Sundays. Bring a coat."
)
PASSAGE = Passage("p1", "SOURCE_[x]", {"text": TEXT})
WORDS = st.lists(st.sampled_from("the ferry leaves at nine coat a PERSON_[q2Z]".split()))


HAN = "患者应每天服用两次药物并且避免饮酒直到症状完全消失为止。"
"""A sentence of 27 characters in a script without spaces."""
MIXED = st.text(alphabet="the f\u0301\u0065漢字か\u3099ガｶﾞ。 \u00a0ﬁ", max_size=30)


def shown(text: str, most_words: int, *, size: int = 5, passage: str = TEXT) -> tuple[str, bool]:
    guard = QuotationGuard([Passage("p1", "SOURCE_[x]", {"text": passage})], most_words)
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


@pytest.mark.parametrize("between", ["[1]", "[1, 2]", "(see [1], [2])", "x" * 40])
def test_up_to_three_words_between_two_of_a_run_do_not_hide_it(between: str):
    words = TEXT.split()
    text = " ".join(f"{word} {between}" for word in words)
    read, tripped = shown(text, 6)
    assert tripped
    assert read.replace(between, "").split() == words[:6]


@pytest.mark.parametrize("joiner", ["_", "-", ".", "/", "\u200b", "__", "*_", "\u2060 "])
def test_a_copy_with_other_signs_for_its_spaces_is_a_copy(joiner: str):
    read, tripped = shown(f"Here: {joiner.join(TEXT.split())} end", 6)
    assert tripped
    assert "noon" not in read
    ring = f"seen_by_PERSON_[q2Z_x]{joiner}"
    assert shown(f"It was {ring * 3}", 6, passage="seen by PERSON_[q2Z_x] " * 3)[1]


LETTERS = "".join(re.findall(r"\w", TEXT))


@pytest.mark.parametrize(
    "copy",
    [
        "".join(word.strip(",.").title() for word in TEXT.split()),
        f"Answer{LETTERS}",
        " ".join(LETTERS),
        " ".join(LETTERS[i : i + 7] for i in range(0, len(LETTERS), 7)),
        " [1] ".join(LETTERS[i : i + 9] for i in range(0, len(LETTERS), 9)),
    ],
)
def test_a_copy_without_its_spaces_or_with_others_is_a_copy(copy: str):
    read, tripped = shown(f"Here: {copy} end", 6)
    assert tripped
    assert "noon" not in re.sub(r"\W", "", read)


def test_words_that_hold_words_of_a_passage_are_no_copy():
    text = "Theatre ferryman: toothsome islander leavest attic nineteen, and at noonday."
    assert shown(text, 4) == (text, False)
    long = "Donaudampfschifffahrtselektrizitätenhauptbetriebswerk is a word."
    assert shown(long, 4) == (long, False)


@pytest.mark.parametrize("unseen", ["\u00ad", "\u200d", "\u2060", "\ufeff", "\u202c"])
def test_a_copy_with_unseen_characters_in_its_words_is_a_copy(unseen: str):
    assert shown(" ".join(unseen.join(word) for word in TEXT.split()), 6)[1]


def test_a_run_does_not_go_on_from_one_passage_to_the_next():
    passages = [Passage(name, "s", {"text": f"{name} b c"}) for name in "ad"]
    guard = QuotationGuard(passages, 3)
    assert guard.feed("a b c d b c ") == "a b c d b c "
    assert not guard.tripped


def test_each_character_of_a_script_without_spaces_is_a_word():
    assert shown(f"说明：{HAN}", 8, passage=HAN) == ("说明：患者应每天服用两", True)
    assert shown("每天两次，不要饮酒。", 8, passage=HAN) == ("每天两次，不要饮酒。", False)


@pytest.mark.parametrize("form", ["NFC", "NFD", "NFKC", "NFKD"])
@pytest.mark.parametrize("written", ["NFC", "NFD"])
def test_a_copy_in_another_unicode_form_is_a_copy(form: str, written: str):
    text = "Müller prüfte die Größe der ﬁlternden Gefäße täglich um fünf nach zwölf."
    passage = unicodedata.normalize(written, text)
    read, tripped = shown(unicodedata.normalize(form, text), 6, passage=passage)
    assert tripped
    assert len(read.split()) == 6


@given(MIXED, MIXED, st.integers(1, 9))
def test_mixed_scripts_do_not_depend_on_the_cuts_either(text: str, passage: str, size: int):
    whole = shown(text, 2, size=1000, passage=passage)
    assert shown(text, 2, size=size, passage=passage) == whole


@pytest.mark.parametrize("size", [1, 7, 100_000])
def test_a_word_of_more_characters_than_a_token_has_is_withheld(size: int):
    assert shown("Here: " + "a" * 9_000 + " end", 6, size=size) == ("Here: ", True)
    assert shown("Here: " + "a" * 4_000 + " end", 6, size=size)[1] is False


@pytest.mark.parametrize("letter", ["漢", "ก", "a"])
def test_a_long_answer_without_spaces_takes_linear_time(letter: str):
    start = time.process_time()
    shown(letter * 40_000, 60, size=2)
    assert time.process_time() - start < 2


def test_a_passage_of_one_word_does_not_hold_up_an_answer_that_has_it_often():
    start = time.process_time()
    shown("no so to is as it a b c d " * 100, 60, size=8, passage="no " * 10_000)
    assert time.process_time() - start < 2


def test_an_excerpt_is_the_beginning_that_an_answer_may_repeat():
    assert excerpt(PASSAGE, 5).text == "The ferry to the island …"
    assert excerpt(PASSAGE, 30).text == TEXT
    assert excerpt(Passage("p1", "s", {"text": HAN}), 5).text == "患者应每天 …"
    assert excerpt(Passage("p1", "s", {"text": "a" * 9_000}), 5).text == " …"


@given(WORDS, st.integers(1, 9))
def test_an_excerpt_is_as_long_as_the_answer_that_repeats_the_passage(words, most_words):
    text = " ".join(words)
    read, tripped = shown(text, most_words, passage=text)
    wanted = f"{read.rstrip()} …" if tripped else text
    assert excerpt(Passage("p1", "s", {"text": text}), most_words).text == wanted


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
