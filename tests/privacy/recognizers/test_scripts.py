"""Words in scripts that no other recognizer reads."""

from __future__ import annotations

import pytest

from sage_rag.privacy.languages import uncovered_language
from sage_rag.privacy.recognizers.default import default_recognizer
from sage_rag.privacy.recognizers.scripts import ScriptRecognizer


def found(text: str) -> list[str]:
    return [text[s.start : s.end] for s in ScriptRecognizer().recognize(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The patient สมชาย came in.", ["สมชาย"]),
        ("The patient (रोहित शर्मा) came in.", ["रोहित शर्मा"]),
        ("The patient አበበ came in.", ["አበበ"]),
        ("اسمي خالد", ["اسمي خالد"]),
        ("田中太郎です", ["田中太郎です"]),
        ("김 called 박서준, again", ["김", "박서준"]),
        ("no. ٥٥٥ ٠١٤٢, α-blocker, Петров, Müller, 王小明", []),
        ("被告人王小明于去年三月在东京认识了被害人たなか，后来一起回到上海市。", ["たなか"]),
        ("she \u05d2\u20ac\u201c go figure", []),
        ("card 4111\u31641111\u115f1111", []),
    ],
)
def test_a_few_words_in_an_unread_script_are_hidden_whole(text: str, expected: list[str]) -> None:
    assert found(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "اسمي خالد وأسكن في عمان وعندي ألم في الركبة",
        "私の名前は田中です。東京に住んでいます。膝が痛いです。",
    ],
)
def test_a_text_that_shows_its_language_is_left_to_the_check_of_languages(text: str) -> None:
    assert found(text) == []
    assert uncovered_language([text], {"en", "zh"}) is not None


def test_the_default_recognizer_leaves_no_word_of_a_short_text() -> None:
    text = "मेरा नाम रोहित"
    covered = {i for s in default_recognizer().recognize(text) for i in range(s.start, s.end)}
    assert all(i in covered for i, c in enumerate(text) if c.isalpha())
