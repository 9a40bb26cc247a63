"""What a user says about the last answer, and what is a question of its own."""

import pytest

from sage_rag.rag_server.remarks import Remark, is_courtesy, remark_of, without_remarks


@pytest.mark.parametrize(
    ("message", "remark"),
    [
        ("are you sure?", Remark.AGAIN),
        ("Are you really sure about that", Remark.AGAIN),
        ("is that right?", Remark.AGAIN),
        ("Repeat that please.", Remark.AGAIN),
        ("say it shorter", Remark.SHORTER),
        ("Can you make it a bit shorter, please?", Remark.SHORTER),
        ("in one sentence", Remark.SHORTER),
        ("summarise that", Remark.SHORTER),
        ("which record is that from?", Remark.SOURCE),
        ("Which document says that?", Remark.SOURCE),
        ("ok and where did you get that from", Remark.SOURCE),
        ("what's your source", Remark.SOURCE),
        ("What is your source?", Remark.SOURCE),
        ("source?", Remark.SOURCE),
    ],
)
def test_a_remark_is_about_the_last_answer(message, remark):
    assert remark_of(message) == remark


@pytest.mark.parametrize(
    "message",
    [
        "why?",
        "and when?",
        "which record is about the fire?",
        "are you sure that she paid?",
        "where is that street?",
        "Which letter mentions the cello?",
        "is it shorter than the old one?",
        "",
    ],
)
def test_a_question_about_the_records_is_no_remark(message):
    assert remark_of(message) is None


@pytest.mark.parametrize(
    "message",
    ["hi", "thanks a lot!", "can you help me?", "I need your help", "what documents do you have?"],
)
def test_what_is_said_to_the_program_asks_nothing(message):
    assert is_courtesy(message)


@pytest.mark.parametrize(
    "message",
    ["Does it help?", "What can help me sleep?", "Can you help the baby?", "Which records burned?"],
)
def test_a_question_that_mentions_help_or_records_is_no_courtesy(message):
    assert not is_courtesy(message)


def test_remarks_alone_stay_what_was_asked():
    assert without_remarks(["are you sure?"]) == ["are you sure?"]
    assert without_remarks(["Who paid?", "are you sure?"]) == ["Who paid?"]
