import asyncio
import json
import socket
import threading

import httpx
import pytest
from pydantic import SecretStr
from starlette.responses import JSONResponse, Response

from sage_rag.rag_server.answering.chat import ChatAnswerer
from sage_rag.rag_server.answering.condensing import QuestionCondenser
from sage_rag.rag_server.backends.openai_chat import OpenAIChatStream
from tests.rag_server.conftest import World, ask
from tests.rag_server.fakes import (
    ScriptedModel,
    ScriptedServer,
    chunk,
    chunks,
    completion,
    streamed,
)

pytestmark = pytest.mark.slow

CHAT = "/v1/chat/completions"
CANARY = "Maria Keller"


def server(world: World, reply, **options) -> tuple[str, ScriptedModel]:
    model = ScriptedModel(reply)
    url = f"{world.run(model)}/v1"
    backend = OpenAIChatStream(url, "small", api_key=SecretStr("sk-model"), **options)
    return world.serve(ChatAnswerer(backend)), model


def test_a_model_answers_through_the_server_with_aliases_only(world: World):
    world.catalog.publish("clinic", ["PERSON_[q2Zf] takes rest"])
    url, model = server(world, lambda _: streamed(chunks("[PER", "SON_1] rests ", "[1]")))
    body = ask("what does PERSON_[q2Zf] take?", max_tokens=7, temperature=0.5, stop=["END"])
    done = httpx.post(url + CHAT, json=body).json()
    assert done["choices"][0]["message"]["content"] == "PERSON_[q2Zf] rests [1]"
    assert done["citations"][0]["text"] == "PERSON_[q2Zf] takes rest"
    [seen] = model.seen
    assert "q2Zf" not in seen.raw.decode()
    assert seen.headers["authorization"] == "Bearer sk-model"
    sent = {name: seen.body[name] for name in ("model", "max_tokens", "temperature", "stop")}
    assert sent == {"model": "small", "max_tokens": 7, "temperature": 0.5, "stop": ["END"]}


def test_the_models_usage_is_reported(world: World):
    usage = {"prompt_tokens": 70, "completion_tokens": 3, "total_tokens": 73}
    *start, done = chunks("ok")
    last = chunk({}, usage=usage).replace(b'[{"index":0,"delta":{},"finish_reason":null}]', b"[]")
    url, _ = server(world, lambda _: streamed([*start, last, done]))
    assert httpx.post(url + CHAT, json=ask()).json()["usage"] == usage


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize(
    ("reply", "status"),
    [
        (lambda _: JSONResponse({"error": {"message": CANARY}}, 401), 502),
        (lambda _: JSONResponse({"error": {"message": CANARY}}, 400), 502),
        (lambda _: JSONResponse({"error": {"message": CANARY}}, 429), 429),
        (lambda _: JSONResponse({"error": {"message": CANARY}}, 503), 503),
        (lambda _: Response(CANARY, 500), 502),
        (lambda _: Response(CANARY, 200, media_type="text/event-stream"), 502),
        (lambda _: streamed([b'data: {"error": {"message": "Maria Keller"}}\n\n']), 502),
        (lambda _: streamed([b"data: {nonsense\n\n"]), 502),
    ],
)
def test_a_model_that_fails_at_once_has_a_status_without_its_words(
    world: World, reply, status, stream
):
    url, _ = server(world, reply)
    response = httpx.post(url + CHAT, json=ask(stream=stream))
    assert response.status_code == status
    codes = {502: "upstream_error", 429: "upstream_rate_limited", 503: "upstream_busy"}
    assert response.json()["error"]["code"] == codes[status]
    assert CANARY not in response.text


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize(
    "reply",
    [
        lambda _: Response("<html>Sign in</html>", 200, media_type="text/html"),
        lambda _: JSONResponse({"detail": CANARY}),
        lambda _: Response("", 200, media_type="text/event-stream"),
        lambda _: Response("{", 200, media_type="application/json"),
    ],
)
def test_a_page_or_another_answer_without_a_stream_is_reported_as_such(world: World, reply, stream):
    url, _ = server(world, reply)
    response = httpx.post(url + CHAT, json=ask(stream=stream))
    assert response.status_code == 502
    message = response.json()["error"]["message"]
    assert "the chat model answered without a stream" in message
    assert "is it the address of an OpenAI-compatible API" in message
    assert CANARY not in message


def test_a_whole_completion_of_an_endpoint_that_does_not_stream_is_read(world: World):
    world.catalog.publish("clinic", ["PERSON_[q2Zf] takes rest"])
    usage = {"prompt_tokens": 70, "completion_tokens": 3, "total_tokens": 73}
    url, _ = server(world, lambda _: completion("[PERSON_1] rests [1]", usage=usage))
    body = ask("what does PERSON_[q2Zf] take?")
    done = httpx.post(url + CHAT, json=body).json()
    assert done["choices"][0]["message"]["content"] == "PERSON_[q2Zf] rests [1]"
    assert done["usage"] == usage
    assert "rests [1]" in httpx.post(url + CHAT, json={**body, "stream": True}).text


@pytest.mark.parametrize("ping", [b"data:\n\n", b"data: \n\n", b"event: ping\n\n", b": ping\n\n"])
def test_an_event_without_data_keeps_a_stream_alive(world: World, ping: bytes):
    start, *rest = chunks("Rest ", "[1].")
    url, _ = server(world, lambda _: streamed([ping, start, ping, *rest]))
    assert both(url) == ["Rest [1]."] * 2


@pytest.mark.parametrize("stream", [False, True])
def test_a_busy_model_is_asked_once_and_the_client_learns_when_to_come_back(world: World, stream):
    busy = JSONResponse({"error": {"message": "slow down"}}, 429, headers={"retry-after": "30"})
    url, model = server(world, lambda _: busy)
    response = world.http.post(url + CHAT, json=ask(stream=stream))
    assert (response.status_code, response.headers["retry-after"]) == (429, "30")
    assert len(model.seen) == 1


def test_a_model_that_drops_a_connection_is_asked_again(world: World):
    whole = b"".join(chunks("Rest [1]."))
    head = b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n"
    replies = [b"", head + whole]
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def serve() -> None:
            for reply in replies:
                connection, _ = listener.accept()
                with connection, connection.makefile("rb") as sent:
                    length = 0
                    while (line := sent.readline().lower()).strip():
                        if line.startswith(b"content-length:"):
                            length = int(line.partition(b":")[2])
                    sent.read(length)
                    connection.sendall(reply)

        threading.Thread(target=serve, daemon=True).start()
        port = listener.getsockname()[1]
        model = OpenAIChatStream(f"http://127.0.0.1:{port}/v1", "small")
        answerer = ChatAnswerer(model, context_tokens=8000)
        response = world.http.post(world.serve(answerer) + CHAT, json=ask())
    assert response.json()["choices"][0]["message"]["content"] == "Rest [1]."


def test_a_model_that_is_away_is_a_502_with_a_hint(world: World):
    backend = OpenAIChatStream("http://127.0.0.1:9/v1", "small")
    url = world.serve(ChatAnswerer(backend))
    response = httpx.post(url + CHAT, json=ask())
    assert response.status_code == 502
    assert "hint: check --llm-base-url" in response.json()["error"]["message"]
    assert httpx.get(url + "/readyz").status_code == 503


def test_a_model_that_does_not_answer_in_time_is_a_504(world: World):
    async def never(_) -> Response:
        await asyncio.Event().wait()
        return JSONResponse({})

    url, _ = server(world, never, timeout_s=0.1)
    assert httpx.post(url + CHAT, json=ask()).status_code == 504


@pytest.mark.parametrize(
    "broken", [chunks("Take ")[:2], [*chunks("Take ")[:2], RuntimeError("cut")]]
)
def test_a_model_that_breaks_off_ends_the_stream_with_an_error(world: World, broken):
    url, _ = server(world, lambda _: streamed(broken))
    response = httpx.post(url + CHAT, json=ask(stream=True))
    assert response.status_code == 200
    assert "Take " in response.text
    last = json.loads(response.text.strip().split("\n\n")[-1].removeprefix("data: "))
    assert last["error"]["code"] == "upstream_error"
    assert "[DONE]" not in response.text


def test_a_follow_up_is_condensed_by_the_model_and_shows_it_no_real_name(world: World):
    world.catalog.publish("clinic", ["coffee keeps you awake", "rest helps against a cold"])

    def reply(request):
        is_asking = "Last question" in request.raw.decode()
        text = "Does rest help [PERSON_1] with a cold?" if is_asking else "Yes [1]."
        return streamed(chunks(text))

    model = ScriptedModel(reply)
    stream = OpenAIChatStream(f"{world.run(model)}/v1", "small")
    server = world.serve(ChatAnswerer(stream), condenser=QuestionCondenser(stream))
    body = ask(f"Why does {CANARY} cough?")
    body["messages"] += [
        {"role": "assistant", "content": f"{CANARY} has a cold."},
        {"role": "user", "content": "Does rest help?"},
    ]
    done = httpx.post(world.edge(server) + CHAT, json=body).json()
    assert done["citations"][0]["text"] == "rest helps against a cold"
    assert len(model.seen) == 2
    assert not any(part in r.raw.decode() for r in model.seen for part in CANARY.split())


def context_of(model: ScriptedModel, world: World, name: str = "small", times: int = 1):
    backend = OpenAIChatStream(f"{world.run(model)}/v1", name)

    async def ask_it() -> int | None:
        try:
            return [await backend.context_tokens() for _ in range(times)][-1]
        finally:
            await backend.close()

    return asyncio.run(ask_it())


@pytest.mark.parametrize(
    ("listed", "context"),
    [
        ([{"id": "small", "max_model_len": 4096}], 4096),
        ([{"id": "file.gguf", "meta": {"n_ctx": 8192, "n_ctx_train": 32768}}], 8192),
        ([{"id": "small", "context_length": 9000}, {"id": "large", "context_length": 1}], 9000),
        ([{"id": "other", "context_length": 9000}, {"id": "large"}], None),
        ([{"id": "small", "context_window": 0}], None),
        ([{"id": "small", "max_model_len": "4096", "meta": ["n_ctx"]}], None),
        ([{"id": "small", "max_model_len": True}], None),
        ([{"id": "small", "max_model_len": 10**40}], None),
        ([], None),
    ],
)
def test_an_endpoint_says_how_much_its_model_reads(world: World, listed, context):
    model = ScriptedModel(lambda _: streamed(chunks("ok")), listed)
    assert context_of(model, world, times=3) == context
    assert model.listings == 1


@pytest.mark.parametrize(
    "reply",
    [
        lambda _: JSONResponse({"error": {"message": "no"}}, 404),
        lambda _: JSONResponse(["small"]),
        lambda _: JSONResponse({"data": ["small"]}),
        lambda _: Response("busy", 503),
    ],
)
def test_an_endpoint_that_lists_no_model_says_nothing_of_its_context(world: World, reply):
    model = ScriptedServer(reply)
    assert context_of(model, world, times=3) is None
    assert len(model.seen) <= 2, "once, and the library's one retry"


def test_a_prompt_fits_the_context_that_the_endpoint_lists(world: World):
    world.catalog.publish("clinic", [f"rest number {n} " * 400 for n in range(3)])
    sizes = []
    for listed in ({"id": "small", "max_model_len": 4096}, {"id": "small"}):
        model = ScriptedModel(lambda _: streamed(chunks("ok")), [listed])
        url = world.serve(ChatAnswerer(OpenAIChatStream(f"{world.run(model)}/v1", "small")))
        assert world.http.post(url + CHAT, json=ask("what about rest?")).status_code == 200
        sizes.append(len(model.seen[0].raw))
    assert sizes[0] < 10_000 < sizes[1]


def event(delta: str, finish_reason: str | None = None) -> bytes:
    """Return a chunk whose delta is JSON as an endpoint sends it."""
    reason = json.dumps(finish_reason)
    choice = f'{{"index": 0, "delta": {delta}, "finish_reason": {reason}}}'
    return f'data: {{"choices": [{choice}]}}\n\n'.encode()


def both(url: str) -> list[str]:
    """Return the text of a whole answer, and that of a stream."""
    whole = httpx.post(url + CHAT, json=ask())
    assert whole.status_code == 200, whole.text
    streamed = httpx.post(url + CHAT, json=ask(stream=True)).text
    lines = [json.loads(line[6:]) for line in streamed.splitlines() if line.startswith("data: {")]
    deltas = [choice["delta"] for line in lines for choice in line["choices"]]
    return [
        whole.json()["choices"][0]["message"]["content"],
        "".join(delta.get("content", "") for delta in deltas),
    ]


@pytest.mark.parametrize(
    ("halves", "shown"),
    [
        (["A \\ud83d", "\\ude00 B"], "A 😀 B"),
        (["A \\ud83d", "B"], "A \ufffdB"),
        (["A \\ude00 B"], "A \ufffd B"),
        (["A \\ud83d"], "A \ufffd"),
    ],
)
def test_a_character_in_two_halves_is_whole_and_a_half_alone_is_a_replacement(
    world: World, halves, shown
):
    pieces = [event(f'{{"content": "{half}"}}') for half in halves]
    url, _ = server(world, lambda _: streamed([*pieces, event("{}", "stop")]))
    assert both(url) == [shown, shown]


def test_a_half_of_a_character_in_a_tool_call_is_joined(world: World):
    call = '"index": 0, "id": "c\\ud83d", "function": {"name": "f", "arguments": "\\ud83d"}'
    pieces = [call, '"index": 0, "function": {"arguments": "\\ude00"}']
    events = [event(f'{{"tool_calls": [{{{piece}}}]}}') for piece in pieces]
    url, _ = server(world, lambda _: streamed([*events, event("{}", "tool_calls")]))
    tool = {"type": "function", "function": {"name": "f", "parameters": {}}}
    choice = httpx.post(url + CHAT, json=ask(tools=[tool])).json()["choices"][0]
    [made] = choice["message"]["tool_calls"]
    assert (made["id"], made["function"]["arguments"]) == ("c\ufffd", "😀")


def test_an_empty_finish_reason_does_not_end_an_answer(world: World):
    """Some servers send "" with each piece."""
    pieces = [event(f'{{"content": "{text}"}}', "") for text in ("by [PERSON_", "1] ", "[1]")]
    world.catalog.publish("clinic", ["PERSON_[q2Zf] rests against a cold"])
    url, _ = server(world, lambda _: streamed([*pieces, event("{}", "stop")]))
    assert both(url) == ["by the person [1]"] * 2
    url, _ = server(world, lambda _: streamed(pieces))
    assert httpx.post(url + CHAT, json=ask()).status_code == 502


@pytest.mark.parametrize("reason", ["stop", "length", "content_filter"])
def test_the_finish_reason_of_a_model_reaches_the_client(world: World, reason: str):
    pieces = [event('{"content": "Rest"}', ""), event("{}", reason)]
    url, _ = server(world, lambda _: streamed(pieces))
    whole = httpx.post(url + CHAT, json=ask()).json()
    assert whole["choices"][0]["finish_reason"] == reason
    assert f'"finish_reason":"{reason}"' in httpx.post(url + CHAT, json=ask(stream=True)).text


def test_a_refusal_is_the_answer(world: World):
    pieces = [event('{"refusal": ""}'), event('{"refusal": "I can not help."}')]
    url, _ = server(world, lambda _: streamed([*pieces, event("{}", "stop")]))
    assert both(url) == ["I can not help."] * 2


def test_counts_that_no_answer_has_are_replaced_by_ours(world: World):
    usage = {"prompt_tokens": 10**30, "completion_tokens": -3, "total_tokens": 1}
    *start, done = chunks("ok")
    url, _ = server(world, lambda _: streamed([*start, chunk({}, usage=usage), done]))
    reported = httpx.post(url + CHAT, json=ask()).json()["usage"]
    assert 0 < reported["total_tokens"] < 1000
