"""Examples: values are hidden in records and questions alike, and answers keep their place."""

from __future__ import annotations

import random

import pytest

from sage_rag.agents.reading.pairs import Pair
from sage_rag.common.minilm.base import base_tokenizer
from sage_rag.privacy.ciphers.default import default_cipher
from sage_rag.privacy.entities import EntityType
from sage_rag.privacy.keyset.keyset import Keyset
from sage_rag.privacy.policy import preset
from sage_rag.privacy.protect import Protector
from sage_rag.privacy.testing import TableRecognizer
from sage_rag.training.reading.examples import (
    AskedText,
    ReadingExample,
    asked_of_others,
    asked_texts,
    numbered,
    reading_example,
)
from sage_rag.training.reading.questions import QuestionedRecord, RecordQuestion
from sage_rag.training.reading.views import ViewedRecord, viewed

TEXT = "Mr Ole Lind came on 3 May. He takes aspirin. Ole Lind sleeps badly since the summer."


@pytest.fixture(scope="module")
def protector() -> Protector:
    table = {"Ole Lind": EntityType.PERSON, "3 May": EntityType.DATE_TIME}
    cipher = default_cipher(Keyset.generate(), "test")
    return Protector(TableRecognizer(table), preset("soe-all"), cipher)


def asked(question: str, answer: str | None) -> RecordQuestion:
    place = None if answer is None else (TEXT.index(answer), TEXT.index(answer) + len(answer))
    return RecordQuestion(question, place)


RECORD = QuestionedRecord(
    "kettles",
    TEXT,
    (
        asked("What does Ole Lind take?", "aspirin"),
        asked("When did he come?", "on 3 May"),
        asked("Why does Ole Lind sleep badly?", None),
    ),
)


def drawn(records: list[ViewedRecord], seed: int) -> list[ReadingExample]:
    chance = random.Random(seed)  # noqa: S311 - not a secret
    asked = [*asked_texts(records, chance), *asked_of_others(records, chance)]
    return [example for text in asked if (example := reading_example(text)) is not None]


def decoded(pair: Pair, first: int, last: int) -> str:
    return base_tokenizer().decode(pair.row[0][first - 1 : last].tolist())


def test_placeholders_are_read_as_tokens_are(protector: Protector) -> None:
    hidden = viewed(RECORD, protector).hidden
    asked = numbered(hidden.questions[1], hidden.text)
    assert asked.answer is not None
    assert asked.text[slice(*asked.answer)] == "on date time 1"


def test_answers_keep_their_place_in_every_form_and_part(protector: Protector) -> None:
    records = [viewed(RECORD, protector)] * 2
    for seed in range(40):
        found = drawn(records, seed)
        assert len(found) >= 6
        for example in found:
            if example.answer is not None:
                shown = decoded(example.pair, *example.answer)
                assert shown in ("aspirin", "on 3 may", "on date time 1")


def test_a_short_text_is_no_sign_of_an_answer(protector: Protector) -> None:
    lengths: dict[bool, list[int]] = {True: [], False: []}
    for seed in range(60):
        for example in drawn([viewed(RECORD, protector)], seed):
            lengths[example.answer is not None].append(len(example.pair.offsets))
    answered, others = (sum(found) / len(found) for found in (lengths[True], lengths[False]))
    assert 0.6 < answered / others < 1.6


def test_a_question_on_another_record_is_taken_to_have_no_answer(protector: Protector) -> None:
    other = QuestionedRecord("ladders", "The ladder leans.", (RecordQuestion("Why?", None),))
    records = [viewed(record, protector) for record in (RECORD, other)]
    chance = random.Random(0)  # noqa: S311 - not a secret
    texts = [text for _ in range(20) for text in asked_of_others(records, chance)]
    assert {text.answer for text in texts} == {None}
    assert {text.question.lower() for text in texts} & {"why?", "why"} == set()


def test_an_answer_beyond_the_window_is_no_example() -> None:
    text = "The kettle is grey. " * 100 + "Its lid is red."
    place = (text.index("red"), text.index("red") + 3)
    assert reading_example(AskedText("What colour is the lid?", text, place)) is None
