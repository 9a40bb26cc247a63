"""Answers of a given shape: what is taken, what is asked for again, and what is given up."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sage_rag.agents.chat.calls import ModelCalls
from sage_rag.agents.chat.protocols import Reply
from sage_rag.agents.chat.reply_cache import ReplyCache
from sage_rag.agents.chat.structured import (
    as_json,
    ask,
    keyed_model,
    placeholder_complaint,
    record_model,
    values_of,
)
from sage_rag.agents.exceptions import AgentOutputError
from tests.agents.stage_one import AskedModel, run

RECORD = record_model(("question", "answer"))
GOOD = '{"question": "Q", "answer": "A"}'


def asked(model: AskedModel, check=lambda _: None) -> dict[str, str]:
    return values_of(run(ask(model, "system", "user", RECORD, stage="generate", check=check)))


@pytest.mark.parametrize(
    "answer",
    [
        GOOD,
        f"```json\n{GOOD}\n```",
        f"```\n{GOOD}\n```\nAnything else?",
        f"Here you are: {GOOD} Enjoy!",
        f"<think>Braces {{ may stand }} anywhere.</think>{GOOD}",
        f'{{"draft": 1}} No, better: {GOOD}',
        '{"question": " Q ", "answer": "A", "mood": "good"}',
    ],
)
def test_json_is_found_in_an_answer(answer: str) -> None:
    model = AskedModel(answer)
    assert asked(model) == {"question": "Q", "answer": "A"}
    assert len(model.asked) == 1


BAD = {
    "": "no JSON object",
    "I cannot do that.": "no JSON object",
    "[]": "no JSON object",
    '"question"': "no JSON object",
    GOOD[:-3]: "no JSON object",
    '{"question": "zebra"}': "answer: missing",
    '{"question": "zebra", "answer": 1}': "answer: string type",
    '{"question": "zebra", "answer": null}': "answer: string type",
    '{"question": "zebra", "answer": "  "}': "answer: blank",
    '{"question": "...", "answer": "The river is deep."}': "question: blank",
    '{"question": "zebra", "answer": "\\ud800"}': "no JSON object",
    "{" * 9_999: "no JSON object",
    '{"a":' * 9_999: "no JSON object",
}


@pytest.mark.parametrize("bad", BAD, ids=range(len(BAD)))
def test_an_answer_that_does_not_fit_is_asked_for_once_more_with_the_reason(bad: str) -> None:
    model = AskedModel(bad, GOOD)
    assert asked(model) == {"question": "Q", "answer": "A"}
    before, after = model.asked
    assert after[:2] == before
    assert [m.role for m in after] == ["system", "user", "assistant", "user"]
    assert after[2].content
    assert BAD[bad] in after[3].content
    assert "zebra" not in after[3].content


@pytest.mark.parametrize("bad", BAD, ids=range(len(BAD)))
def test_twice_unfitting_is_given_up_without_quoting_it(bad: str) -> None:
    model = AskedModel(bad, bad)
    with pytest.raises(AgentOutputError) as caught:
        asked(model)
    assert BAD[bad] in str(caught.value)
    assert "zebra" not in str(caught.value)
    assert caught.value.__context__ is None
    assert len(model.asked) == 2


def test_keys_of_the_answer_are_not_quoted_either() -> None:
    shape = keyed_model("Information", ("pain",), list[int])
    model = AskedModel('{"pain": {"Ada Novak": 1}}', '{"Ada Novak": 1}')
    with pytest.raises(AgentOutputError) as caught:
        run(ask(model, "s", "u", shape, stage="extract"))
    assert "Novak" not in model.asked[1][-1].content + str(caught.value)


def test_a_cut_off_answer_is_called_that() -> None:
    model = AskedModel(Reply('{"question": "Q", "answ', finished=False), GOOD)
    assert asked(model)["answer"] == "A"
    assert "cut off" in model.asked[1][-1].content


def test_a_long_bad_answer_is_sent_back_shortened() -> None:
    model = AskedModel("so " * 100_000, GOOD)
    asked(model)
    assert len(model.asked[1][2].content) < 5_000


def complain_of_q(answer) -> str | None:
    return "it says Q" if values_of(answer)["question"] == "Q" else None


def test_an_answer_with_a_complaint_is_asked_for_once_more() -> None:
    model = AskedModel(GOOD, '{"question": "R", "answer": "A"}')
    assert asked(model, complain_of_q)["question"] == "R"
    assert "it says Q" in model.asked[1][-1].content


@pytest.mark.parametrize("second", [GOOD, "no", ""])
def test_a_complaint_alone_never_gives_a_record_up(second: str) -> None:
    model = AskedModel(GOOD, second)
    assert asked(model, complain_of_q)["question"] == "Q"
    assert len(model.asked) == 2


def test_answers_that_do_not_fit_are_asked_for_again_by_the_next_run(tmp_path: Path) -> None:
    model = AskedModel("no", "no", "no", GOOD)
    for _ in range(2):
        cached = ModelCalls(model, cache=ReplyCache(tmp_path / "replies.sqlite"))
        if model.asked:
            assert asked(cached) == {"question": "Q", "answer": "A"}
        else:
            with pytest.raises(AgentOutputError):
                asked(cached)
        run(cached.close())
    assert len(model.asked) == 4
    again = ModelCalls(model, cache=ReplyCache(tmp_path / "replies.sqlite"))
    assert asked(again) == {"question": "Q", "answer": "A"}
    assert len(model.asked) == 4
    run(again.close())


def test_a_complaint_that_stands_is_an_error_where_the_check_is_strict() -> None:
    def strictly(model: AskedModel) -> dict[str, str]:
        asking = ask(model, "s", "u", RECORD, stage="e", check=complain_of_q, strict=True)
        return values_of(run(asking))

    with pytest.raises(AgentOutputError, match="it says Q"):
        strictly(AskedModel(GOOD, GOOD))
    assert strictly(AskedModel(GOOD, '{"question": "R", "answer": "A"}'))["question"] == "R"


def test_stage_and_shape_reach_the_model() -> None:
    model = AskedModel("no", GOOD)
    asked(model)
    assert model.stages == ["generate", "generate"]
    assert model.shapes[0] == model.shapes[1]
    assert model.shapes[0] == {
        "type": "object",
        "properties": {"question": {"type": "string"}, "answer": {"type": "string"}},
        "required": ["question", "answer"],
        "additionalProperties": False,
    }


@settings(max_examples=25)
@given(st.lists(st.text(min_size=1, max_size=8), min_size=1, max_size=4, unique=True), st.data())
def test_a_record_may_have_fields_of_any_name(names: list[str], data) -> None:
    texts = {name: data.draw(st.from_regex(r"[a-z]{1,9}", fullmatch=True)) for name in names}
    shape = record_model(names)
    assert values_of(shape.model_validate(json.loads(json.dumps(texts)))) == texts
    assert list(shape.model_json_schema()["properties"]) == names


@pytest.mark.parametrize(
    ("expected", "text", "complaint"),
    [
        ({"[PERSON_1]"}, "[PERSON_1] is ill", None),
        (set(), "nobody [sic] is ill", None),
        ({"[PERSON_1]"}, "she is ill", "lost [PERSON_1]"),
        ({"[PERSON_1]"}, "[person_1] is ill", "lost [PERSON_1]"),
        ({"[PERSON_1]", "[PERSON_11]"}, "[PERSON_11] is ill", "lost [PERSON_1]"),
        ({"[PERSON_1]"}, "[PERSON_1] and [PERSON_2]", "marks in brackets"),
        (set(), "call [PHONE_NUMBER_1]", "marks in brackets"),
        (set(), "call PERSON_[c2VjcmV0c2VjcmV0c2VjcmV0]", "marks in brackets"),
    ],
)
def test_lost_and_invented_placeholders_are_reported(expected, text, complaint) -> None:
    found = placeholder_complaint(frozenset(expected), text)
    assert found is None if complaint is None else complaint in (found or "")


@pytest.mark.parametrize(
    "content",
    [
        {},
        {"question": 'He said "no".\n}', "ответ": "да \\ é"},
        {"course": ["worse at night", 'a "b"'], "findings": []},
    ],
)
def test_content_is_json_with_a_line_for_each_entry(content: dict[str, object]) -> None:
    text = as_json(content)
    assert json.loads(text) == content
    assert len(text.splitlines()) == len(content) + 2 or not content
    assert "\\u" not in text
