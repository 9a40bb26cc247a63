"""Tool calls from a client through edge and server to a chat model, and back."""

from __future__ import annotations

import json
from typing import Any

import pytest

from sage_rag.rag_server.answering.chat import ChatAnswerer
from sage_rag.rag_server.backends.openai_chat import OpenAIChatStream
from sage_rag.rag_server.chat_request import TOOLS
from sage_rag.rag_server.guards.quotation import GuardedAnswerer
from tests.rag_server.conftest import World, ask
from tests.rag_server.fakes import ScriptedModel, chunk, chunks, streamed

CHAT = "/v1/chat/completions"
QUESTION = "When is Maria Keller of Lindau free?"
TOOL = {
    "type": "function",
    "function": {
        "name": "calendar",
        "description": "Free hours, for example of Zoë Ødegård",
        "parameters": {"type": "object", "properties": {"who": {"type": "string"}}},
    },
}
CALL = {"id": "call_1", "type": "function"}


def arguments(*pieces: str, number: int | None = 0, **first: Any) -> list[bytes]:
    """Return the chunks of a call."""
    named = {"index": number, **CALL, **first, "function": {"name": "calendar", "arguments": ""}}
    parts = [{"index": number, "function": {"arguments": piece}} for piece in pieces]
    return [chunk({"tool_calls": [part]}) for part in (named, *parts)]


def calling(*calls: list[bytes]) -> list[bytes]:
    """Return a stream that calls tools."""
    *_, done = chunks()
    return [*(piece for call in calls for piece in call), chunk({}, "tool_calls"), done]


def services(world: World, reply) -> tuple[str, ScriptedModel]:
    """Return an edge, before a server, before a model that replies."""
    model = ScriptedModel(reply)
    backend = OpenAIChatStream(f"{world.run(model)}/v1", "small")
    return world.edge(world.serve(ChatAnswerer(backend))), model


def asked_of(model: ScriptedModel) -> list[dict[str, Any]]:
    return model.seen[-1].body["messages"]


@pytest.mark.parametrize("stream", [False, True])
def test_a_call_has_plain_arguments_at_the_client_and_aliases_at_the_model(
    world: World, stream: bool
) -> None:
    pieces = ('{"who": "[PER', 'SON_1]", "where": "[LOCA', 'TION_1]"}')
    second = arguments('{"who": "[PERSON_2]"}', number=1, id="call_2")
    edge, model = services(world, lambda _: streamed(calling(arguments(*pieces), second)))
    calls, finish = called(world, edge, stream)
    plain = {"who": "Maria Keller", "where": "Lindau"}
    assert finish == "tool_calls"
    assert [(number, name) for number, name, _ in calls] == [
        ("call_1", "calendar"),
        ("call_2", "calendar"),
    ]
    assert json.loads(calls[0][2]) == plain
    assert json.loads(calls[1][2]) == {"who": "Zoë Ødegård"}, "an alias of the tool's description"
    (seen,) = model.seen
    assert seen.body["tools"][0]["function"]["name"] == "calendar"
    assert seen.body["tool_choice"] == "auto"
    shown = seen.raw.decode()
    assert not any(
        value in shown for value in ("Keller", "Lindau", "Ødegård", "PERSON_[", "\\u00d8")
    )


def called(world: World, edge: str, stream: bool) -> tuple[list[tuple[str, str, str]], str]:
    """Return the calls of an answer, each with id, name and arguments, and the finish reason."""
    body = ask(QUESTION, tools=[TOOL], tool_choice="auto", stream=stream)
    reply = world.openai(edge).chat.completions.create(**body)
    if stream:
        return assembled(reply)
    choice = reply.choices[0]
    assert choice.message.content is None
    calls = [(c.id, c.function.name, c.function.arguments) for c in choice.message.tool_calls]
    return calls, choice.finish_reason


def assembled(events) -> tuple[list[tuple[str, str, str]], str]:
    """Return the calls of a stream as a client puts them together, and the finish reason."""
    calls: dict[int, list[str]] = {}
    finish = ""
    for event in events:
        for choice in event.choices:
            finish = choice.finish_reason or finish
            for call in choice.delta.tool_calls or ():
                whole = calls.setdefault(call.index, ["", "", ""])
                parts = (call.id, call.function.name, call.function.arguments)
                calls[call.index] = [a + (b or "") for a, b in zip(whole, parts, strict=True)]
    return [(a, b, c) for a, b, c in calls.values()], finish


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize("number", [0, None])
def test_calls_that_share_a_number_are_told_apart_by_their_ids(
    world: World, number: int | None, stream: bool
) -> None:
    """Gemini's endpoint sends each call whole with number 0, others send no number."""
    first = arguments('{"who": "[PER', 'SON_1]"}', number=number)
    second = arguments('{"who": ', '"[PERSON_2]"}', number=number, id="call_2")
    edge, _ = services(world, lambda _: streamed(calling(first, second)))
    assert called(world, edge, stream)[0] == [
        ("call_1", "calendar", '{"who": "Maria Keller"}'),
        ("call_2", "calendar", '{"who": "Zoë Ødegård"}'),
    ]


@pytest.mark.parametrize("stream", [False, True])
def test_a_call_whose_pieces_repeat_its_id_and_name_is_one_call(world: World, stream: bool) -> None:
    pieces = ('{"who": ', '"[PERSON_1]"}')
    function = [{"name": "calendar", "arguments": piece} for piece in pieces]
    parts = [chunk({"tool_calls": [{"index": 0, **CALL, "function": f}]}) for f in function]
    edge, _ = services(world, lambda _: streamed(calling(parts)))
    wanted = [("call_1", "calendar", '{"who": "Maria Keller"}')]
    assert called(world, edge, stream)[0] == wanted


@pytest.mark.parametrize("stream", [False, True])
def test_arguments_that_are_cut_off_show_no_other_person_and_keep_their_names(
    world: World, stream: bool
) -> None:
    cut = arguments('{"person_1": 1, "id_1": "[LOCATION_1]', '", "who": "[PERSON_')
    edge, _ = services(world, lambda _: streamed(calling(cut)))
    calls, _ = called(world, edge, stream)
    wanted = '{"person_1": 1, "id_1": "Lindau", "who": "[PERSON: unreadable]'
    assert [text for *_, text in calls] == [wanted]


def test_the_result_of_a_tool_is_protected_and_follows_the_question(world: World) -> None:
    edge, model = services(world, lambda _: streamed(chunks("[PERSON_1] is free at nine.")))
    call = {**CALL, "function": {"name": "calendar", "arguments": '{"who": "Maria Keller"}'}}
    body = ask(QUESTION, tools=[TOOL])
    body["messages"] += [
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "call_1", "content": "Zoë Ødegård fills in at nine"},
    ]
    done = world.http.post(edge + CHAT, json=body).json()
    assert done["choices"][0]["message"]["content"] == "Maria Keller is free at nine."
    *_, question, called, result = asked_of(model)
    assert question["role"] == "user"
    assert "Passages:" in question["content"]
    assert called["tool_calls"][0]["function"]["arguments"] == '{"who": "[PERSON_1]"}'
    assert called["content"] is None
    assert (result["role"], result["tool_call_id"]) == ("tool", "call_1")
    assert result["content"] == "[PERSON_2] fills in at nine"


def test_a_result_without_its_call_is_a_message_of_the_user(world: World) -> None:
    edge, model = services(world, lambda _: streamed(chunks("ok")))
    body = ask(QUESTION)
    body["messages"].append({"role": "tool", "tool_call_id": "lost", "content": "nine"})
    assert world.http.post(edge + CHAT, json=body).status_code == 200
    assert {message["role"] for message in asked_of(model)} == {"system", "user"}


def test_a_person_that_the_question_does_not_name_is_in_no_argument(world: World) -> None:
    world.catalog.publish("clinic", ["PERSON_[q2Zf] rests against a cold"])
    edge, _ = services(world, lambda _: streamed(calling(arguments('{"who": "[PERSON_1]"}'))))
    body = ask(tools=[{"type": "function", "function": {"name": "calendar"}}])
    (call,) = world.http.post(edge + CHAT, json=body).json()["choices"][0]["message"]["tool_calls"]
    assert json.loads(call["function"]["arguments"]) == {"who": "the person"}


@pytest.mark.parametrize(
    ("more", "param"),
    [
        ({"tools": [{"type": "custom", "custom": {"name": "x"}}]}, "tools"),
        ({"tools": [{"type": "function", "function": {}}]}, "tools"),
        ({"tool_choice": "required"}, "tool_choice"),
    ],
)
def test_tools_that_cannot_be_passed_on_are_a_400(world: World, more, param) -> None:
    model = ScriptedModel(lambda _: streamed(chunks("ok")))
    url = world.serve(ChatAnswerer(OpenAIChatStream(f"{world.run(model)}/v1", "small")))
    response = world.http.post(url + CHAT, json=ask(**more))
    assert response.status_code == 400
    assert response.json()["error"]["param"].startswith(param)
    assert not model.seen


def test_a_guarded_model_gets_no_tools(world: World) -> None:
    model = ScriptedModel(lambda _: streamed(chunks("ok")))
    backend = OpenAIChatStream(f"{world.run(model)}/v1", "small")
    url = world.serve(GuardedAnswerer(ChatAnswerer(backend)))
    must = {"type": "function", "function": {"name": "calendar"}}
    assert world.http.post(url + CHAT, json=ask(tools=[TOOL], tool_choice=must)).status_code == 400
    for choice in ({}, {"tool_choice": "auto"}, {"tool_choice": "none"}):
        response = world.http.post(url + CHAT, json=ask(tools=[TOOL], **choice))
        assert response.status_code == 200
        assert not model.seen[-1].body.keys() & TOOLS


LARGE = {"type": "function", "function": {"name": "notes", "description": "It writes. " * 900}}


@pytest.mark.parametrize(
    ("tools", "more", "is_sent"),
    [
        ([LARGE], {}, False),
        ([LARGE], {"tool_choice": "auto"}, False),
        ([LARGE], {"tool_choice": "required"}, True),
        ([TOOL], {}, True),
    ],
)
def test_tools_that_leave_no_room_for_passages_are_not_offered(
    world: World, tools, more, is_sent: bool
) -> None:
    model = ScriptedModel(lambda _: streamed(chunks("ok")))
    backend = OpenAIChatStream(f"{world.run(model)}/v1", "small")
    url = world.serve(ChatAnswerer(backend, context_tokens=7000 if is_sent else 4000))
    assert world.http.post(url + CHAT, json=ask(tools=tools, **more)).status_code == 200
    assert ("tools" in model.seen[-1].body) is is_sent
    assert "Passages:" in asked_of(model)[-1]["content"]


def test_the_tokens_of_tools_are_not_taken_for_those_of_the_prompt(world: World) -> None:
    world.catalog.publish("clinic", ["Take rest against a cold. " * 150 + "The last words."])
    usage = {"prompt_tokens": 11_000, "completion_tokens": 1, "total_tokens": 11_001}
    *pieces, done = chunks("ok")
    model = ScriptedModel(lambda _: streamed([*pieces, chunk({}, usage=usage), done]))
    backend = OpenAIChatStream(f"{world.run(model)}/v1", "small")
    url = world.serve(ChatAnswerer(backend, context_tokens=12_000))
    for tools in ([LARGE], None):
        body = ask(tools=tools) if tools else ask()
        assert world.http.post(url + CHAT, json=body).status_code == 200
        assert "The last words." in asked_of(model)[-1]["content"]
