import asyncio
import json
import logging
import threading

import httpx
import openai
import pytest
from openai import AsyncOpenAI
from pydantic import SecretStr
from starlette.responses import JSONResponse, RedirectResponse, Response, StreamingResponse

from sage_rag.common.web.pool import WorkPool
from sage_rag.privacy.entities import EntityType
from sage_rag.privacy.policy import preset
from sage_rag.privacy.testing import FailingRecognizer, TableRecognizer
from sage_rag.rag_server.access.gate import Gate
from sage_rag.rag_server.access.keys import KeyFile, Scope, add_key, make_key
from sage_rag.rag_server.answering.protocols import Piece
from sage_rag.rag_server.edge.keyring import Keyring
from sage_rag.rag_server.observability.audit import AuditLog
from tests.rag_server.conftest import TABLE, World, ask
from tests.rag_server.fakes import (
    ScriptedAnswerer,
    ScriptedServer,
    chunk,
    chunks,
    completion,
    streamed,
)

CHAT = "/v1/chat/completions"
QUESTION = "What does Maria Keller from Lindau take?"


def scripted(world: World, reply, **options) -> tuple[str, ScriptedServer]:
    server = ScriptedServer(reply)
    return world.edge(world.run(server), **options), server


def echo(seen) -> Response:
    """Answer with the question, as a server that knows nothing else would."""
    return completion(seen.body["messages"][-1]["content"])


def echo_stream(seen) -> Response:
    question = seen.body["messages"][-1]["content"]
    pieces = [question[i : i + 7] for i in range(0, len(question), 7)]
    return streamed(chunks(*pieces))


def corpus_about_maria(world: World) -> str:
    keys = world.keys()
    person = keys.hide_whole("Maria Keller", EntityType.PERSON)
    world.catalog.publish("clinic", [f"{person} takes rest"])
    answerer = ScriptedAnswerer([Piece(person[:9]), Piece(f"{person[9:]} takes rest [1]")])
    return world.edge(world.serve(answerer))


def test_client_edge_and_server_together_answer_with_plain_names(world: World):
    client = world.openai(corpus_about_maria(world))
    assert [m.id for m in client.models.list()] == ["clinic"]
    assert client.models.retrieve("clinic").owned_by == "sage-rag"
    done = client.chat.completions.create(**ask(QUESTION))
    assert done.choices[0].message.content == "Maria Keller takes rest [1]"
    assert done.model_extra["citations"][0]["text"] == "Maria Keller takes rest"


def test_client_edge_and_server_together_stream_plain_names(world: World):
    client = world.openai(corpus_about_maria(world))
    parts = list(client.chat.completions.create(**ask(QUESTION), stream=True))
    text = "".join(c.choices[0].delta.content or "" for c in parts)
    assert text == "Maria Keller takes rest [1]"
    assert parts[-1].model_extra["citations"][0]["text"] == "Maria Keller takes rest"


def test_the_async_client_works_on_two_corpora_at_once(world: World):
    url, server = scripted(world, echo_stream)

    async def read(client: AsyncOpenAI, model: str) -> str:
        stream = await client.chat.completions.create(**ask(QUESTION, model=model), stream=True)
        return "".join([c.choices[0].delta.content or "" async for c in stream])

    async def both() -> list[str]:
        async with AsyncOpenAI(base_url=f"{url}/v1", api_key="x", max_retries=0) as client:
            return await asyncio.gather(read(client, "clinic"), read(client, "office"))

    assert asyncio.run(both()) == [QUESTION, QUESTION]
    sent = {seen.body["messages"][0]["content"] for seen in server.seen}
    assert len(sent) == 2, "tokens of different corpora must differ"


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize("kind", ["json_object", "json_schema"])
def test_an_answer_that_was_asked_for_in_json_is_json(world: World, kind: str, stream: bool):
    name = 'Jo "Ace" Q\\ay'
    written = json.dumps({"who": world.keys().hide_whole(name, EntityType.PERSON)})
    reply = streamed(chunks(written)) if stream else completion(written)
    url, _ = scripted(world, lambda _: reply)
    form = {"type": kind, "json_schema": {"name": "x", "schema": {"type": "object"}}}
    done = world.openai(url).chat.completions.create(**ask(stream=stream, response_format=form))
    text = (
        "".join(c.choices[0].delta.content or "" for c in done)
        if stream
        else done.choices[0].message.content
    )
    assert json.loads(text) == {"who": name}


@pytest.mark.parametrize("stream", [False, True])
def test_nothing_plain_reaches_the_server_and_the_clients_key_does_not_either(world: World, stream):
    reply = echo_stream if stream else echo
    url, server = scripted(world, reply, api_key=SecretStr("sk-server"))
    client = world.openai(url, organization="org-canary", default_headers={"x-note": "Keller"})
    client.chat.completions.create(**ask(QUESTION), stream=stream, extra_query={"q": "Keller"})
    [seen] = server.seen
    arrived = f"{seen.path}{dict(seen.headers)}{seen.raw.decode()}"
    for plain in ("Keller", "Lindau", "sk-own", "org-canary"):
        assert plain not in arrived
    assert seen.headers["authorization"] == "Bearer sk-server"


def test_without_a_key_of_its_own_the_edge_sends_none(world: World):
    url, server = scripted(world, echo)
    world.openai(url).chat.completions.create(**ask())
    assert "authorization" not in server.seen[0].headers


@pytest.mark.parametrize("path", [CHAT, "/v1/pseudonymize"])
@pytest.mark.parametrize("stream", [False, True])
def test_when_recognising_fails_nothing_is_sent(world: World, path, stream, caplog, capfd):
    caplog.set_level(logging.DEBUG)
    url, server = scripted(world, echo, recognizer=FailingRecognizer())
    body = {**ask(QUESTION, stream=stream), "input": QUESTION}
    if path == CHAT:
        body.pop("input")
    response = httpx.post(url + path, json=body)
    assert response.status_code == 500
    assert response.json()["error"]["code"] == "protection_failed"
    assert server.seen == []
    assert "Keller" not in response.text + caplog.text + "".join(capfd.readouterr())


@pytest.mark.parametrize(
    ("body", "param"),
    [
        (ask(QUESTION, model="Maria Keller"), "model"),
        (ask([{"type": "image_url", "image_url": {"url": "x"}}]), "messages[0].content[0].type"),
    ],
)
def test_what_is_not_understood_is_refused_and_nothing_is_sent(world: World, body, param):
    url, server = scripted(world, echo)
    response = httpx.post(url + CHAT, json=body)
    assert response.status_code == 400
    assert response.json()["error"]["param"] == param
    assert "Keller" not in response.text
    assert server.seen == []


def test_the_edge_shows_what_it_would_send(world: World):
    url, server = scripted(world, echo)
    shown = httpx.post(f"{url}/v1/pseudonymize", json={"model": "clinic", "input": QUESTION})
    httpx.post(url + CHAT, json=ask(QUESTION))
    sent = server.seen[0].body
    assert shown.json() == {
        "output": sent["messages"][0]["content"],
        "search_words": sent["search_words"],
        "search_tokens": [],
    }
    assert "Keller" not in shown.text


@pytest.mark.parametrize("value", [None, 3, ["Keller"]])
def test_only_a_text_can_be_shown(world: World, value):
    url = world.edge("http://127.0.0.1:9")
    response = httpx.post(f"{url}/v1/pseudonymize", json={"model": "clinic", "input": value})
    assert response.status_code == 400


def test_an_error_of_the_server_keeps_its_status_and_is_restored(world: World):
    def refuse(seen) -> Response:
        question = seen.body["messages"][0]["content"]
        return JSONResponse({"error": {"message": f"bad: {question}", "code": "x"}}, 404)

    url, _ = scripted(world, refuse)
    with pytest.raises(openai.NotFoundError) as caught:
        world.openai(url).chat.completions.create(**ask(QUESTION), stream=True)
    assert QUESTION in caught.value.message


@pytest.mark.parametrize(
    ("reply", "status", "code"),
    [
        (lambda _: Response("<html>", 200), 502, "upstream_error"),
        (lambda _: Response("<html>", 500), 502, "upstream_error"),
        (lambda _: JSONResponse({"detail": "x"}, 500), 502, "upstream_error"),
        (lambda _: JSONResponse({"error": {"message": "x"}}, 401), 502, "upstream_error"),
        (lambda _: Response("busy", 503), 503, "upstream_busy"),
        (lambda _: Response("busy", 429), 503, "upstream_busy"),
    ],
)
@pytest.mark.parametrize("stream", [False, True])
def test_what_is_no_answer_of_a_server_has_a_status_of_its_own(
    world: World, reply, status, code, stream
):
    url, server = scripted(world, reply)
    response = httpx.post(url + CHAT, json=ask(stream=stream))
    assert response.status_code == status
    assert response.json()["error"]["code"] == code
    assert len(server.seen) == 1


def test_a_redirect_is_not_followed(world: World):
    elsewhere = ScriptedServer(echo)
    target = world.run(elsewhere) + CHAT
    url, _ = scripted(world, lambda _: RedirectResponse(target, 307))
    response = httpx.post(url + CHAT, json=ask(QUESTION))
    assert response.status_code == 502
    assert "redirects" in response.json()["error"]["message"]
    assert elsewhere.seen == []


def test_a_server_that_is_away_is_a_502_with_a_hint(world: World):
    url = world.edge("http://127.0.0.1:9")
    response = httpx.post(url + CHAT, json=ask())
    assert response.status_code == 502
    assert "hint: is the server running?" in response.json()["error"]["message"]
    assert httpx.get(f"{url}/healthz").status_code == 200
    assert httpx.get(f"{url}/readyz").status_code == 503


def test_a_server_that_does_not_answer_in_time_is_a_504(world: World):
    async def never(_) -> Response:
        await asyncio.Event().wait()
        return Response()

    url, _ = scripted(world, never, timeout_s=0.2)
    response = httpx.post(url + CHAT, json=ask())
    assert response.status_code == 504
    assert "within 0.2 s" in response.json()["error"]["message"]
    assert "--timeout-s" in response.json()["error"]["message"]


def test_readiness_is_the_servers(world: World):
    assert httpx.get(world.edge(world.serve()) + "/readyz").status_code == 200
    world.catalog.versions.clear()
    assert httpx.get(world.edge(world.serve()) + "/readyz").status_code == 503


def test_readiness_names_corpora_and_reasons_to_callers_with_a_key_alone(world: World, tmp_path):
    plain, stored = make_key("user", frozenset({Scope.CHAT}))
    add_key(tmp_path / "tokens.json", stored)
    gate = Gate(KeyFile(tmp_path / "tokens.json"))
    known = {"authorization": f"Bearer {plain}"}
    unknown = {"authorization": f"Bearer {plain[:-4]}AAAA"}
    ready, away = world.edge(world.serve(), gate=gate), world.edge("http://127.0.0.1:9", gate=gate)
    for headers in ({}, unknown):
        assert httpx.get(f"{ready}/readyz", headers=headers).json() == {"status": "ready"}
        assert httpx.get(f"{away}/readyz", headers=headers).json() == {"status": "not ready"}
    assert "clinic" in httpx.get(f"{ready}/readyz", headers=known).text
    assert "reached" in httpx.get(f"{away}/readyz", headers=known).text
    assert "clinic" in httpx.get(world.edge(world.serve()) + "/readyz").text


def test_an_edge_with_an_audit_log_is_ready_while_all_its_threads_recognise(world, tmp_path):
    begun, may_end = threading.Event(), threading.Event()

    class Slow(TableRecognizer):
        def recognize(self, text: str):
            begun.set()
            assert may_end.wait(60)
            return super().recognize(text)

    audit, work = AuditLog(tmp_path / "audit"), WorkPool(1, waiting=0)
    url = world.edge(world.serve(), Slow(TABLE), audit=audit, work=work)
    asking = threading.Thread(target=httpx.post, args=(url + CHAT,), kwargs={"json": ask()})
    asking.start()
    try:
        assert begun.wait(60)
        assert httpx.get(f"{url}/readyz").json()["status"] == "ready"
    finally:
        may_end.set()
        asking.join()


@pytest.mark.parametrize(
    "pieces",
    [
        [chunk({"content": "Take PERSON_["})],
        [chunk({"content": "Take PERSON_["}), RuntimeError("cut")],
    ],
)
def test_a_stream_that_breaks_off_ends_with_an_error_and_loses_no_text(world: World, pieces):
    url, _ = scripted(world, lambda _: streamed(pieces))
    response = httpx.post(url + CHAT, json=ask(stream=True))
    *parts, last = [
        json.loads(line.removeprefix("data: ")) for line in response.text.strip().split("\n\n")
    ]
    assert "".join(p["choices"][0]["delta"]["content"] for p in parts) == "Take PERSON_["
    assert last["error"]["code"] == "upstream_error"
    assert "[DONE]" not in response.text


def test_a_stream_that_is_too_long_ends_with_an_error(world: World, monkeypatch):
    monkeypatch.setattr("sage_rag.rag_server.edge.upstream._MAX_ANSWER_BYTES", 10_000)
    url, _ = scripted(world, lambda _: streamed(chunks(*["word "] * 1_000)))
    response = httpx.post(url + CHAT, json=ask(stream=True))
    assert "too long" in response.text.strip().split("\n\n")[-1]
    assert len(response.content) < 20_000


def test_an_error_event_of_the_server_is_passed_on_once(world: World):
    error = b'data: {"error": {"message": "away", "code": "upstream_error"}}\n\n'
    url, _ = scripted(world, lambda _: streamed([chunk({"content": "a"}), error]))
    response = httpx.post(url + CHAT, json=ask(stream=True))
    assert response.text.count('"error"') == 1
    assert "away" in response.text


def test_a_client_that_hangs_up_ends_the_request_to_the_server(world: World):
    gone = threading.Event()

    async def endless():
        try:
            yield chunk({"content": "Take "})
            await asyncio.Event().wait()
        finally:
            gone.set()

    url, _ = scripted(world, lambda _: StreamingResponse(endless(), media_type="text/event-stream"))
    with httpx.stream("POST", url + CHAT, json=ask(stream=True)) as response:
        next(response.iter_bytes())
    assert gone.wait(5)


def test_a_long_request_is_refused(world: World):
    url, server = scripted(world, echo)
    response = httpx.post(url + CHAT, json=ask("x" * (1024 * 1024)))
    assert response.status_code == 413
    assert server.seen == []


@pytest.mark.parametrize("stream", [False, True])
def test_damaged_tokens_are_counted_in_the_log_and_shown_as_such(world: World, stream, caplog):
    forged = "PERSON_[" + "A" * 60 + "]"
    reply = streamed(chunks(forged, " left")) if stream else completion(f"{forged} left")
    url, _ = scripted(world, lambda seen: reply)
    with caplog.at_level("WARNING", "sage_rag"):
        done = world.openai(url).chat.completions.create(**ask(QUESTION), stream=stream)
        text = (
            "".join(c.choices[0].delta.content or "" for c in done)
            if stream
            else done.choices[0].message.content
        )
    assert text == "[PERSON: unreadable] left"
    [line] = [r.getMessage() for r in caplog.records if "tokens since the start" in r.getMessage()]
    assert line.endswith("tokens since the start: 1 malformed")


def test_the_log_says_what_to_do_where_an_edge_lacks_the_new_key(world: World, caplog):
    rotated = Keyring(world.keyset.rotate(), TableRecognizer(TABLE), preset("sage"))
    token = rotated.for_model("clinic").hide_whole("Maria Keller", EntityType.PERSON)
    url, _ = scripted(world, lambda _: completion(token))
    with caplog.at_level("WARNING", "sage_rag"):
        httpx.post(url + CHAT, json=ask())
    [line] = [r.getMessage() for r in caplog.records if "tokens since the start" in r.getMessage()]
    assert "1 unknown key; if the keys were rotated, start the edge again" in line


@pytest.mark.parametrize("stream", [False, True])
def test_a_rate_limit_of_the_server_keeps_its_status_and_its_time(world: World, stream):
    error = {"error": {"message": "slow down", "code": "rate_limit_exceeded"}}
    reply = JSONResponse(error, 429, headers={"retry-after": "7"})
    url, _ = scripted(world, lambda _: reply)
    response = httpx.post(url + CHAT, json=ask(stream=stream))
    assert (response.status_code, response.headers["retry-after"]) == (429, "7")
    assert response.json() == error


UNUSABLE = ["NaN", "1e999", '"\\ud800"', "[" * 500 + "]" * 500, "[" * 3000 + "]" * 3000]
"""JSON values that Python reads, or nearly, and that no client can be sent."""


@pytest.mark.parametrize("value", UNUSABLE)
def test_an_answer_that_is_no_usable_json_is_the_servers_failure(world: World, value):
    body = completion("Rest").body.decode()[:-1] + f', "citations": [{value}]}}'
    url, _ = scripted(world, lambda _: Response(body, media_type="application/json"))
    for path, asked in ((CHAT, ask()), ("/v1/embeddings", {"model": "clinic", "input": "x"})):
        response = httpx.post(url + path, json=asked)
        assert (response.status_code, response.json()["error"]["code"]) == (502, "upstream_error")


@pytest.mark.parametrize("value", UNUSABLE)
def test_an_event_that_is_no_usable_json_ends_a_stream_with_an_error(world: World, value):
    bad = f'data: {{"choices": [], "citations": [{value}]}}\n\n'.encode()
    # In one piece: what comes before the event is kept, also where it arrives together with it.
    pieces = [b"".join([chunk({"content": "Rest"}), bad, *chunks("more")]), b"data: {"]
    url, _ = scripted(world, lambda _: streamed(pieces))
    text = httpx.post(url + CHAT, json=ask(stream=True)).text
    events = [json.loads(line.removeprefix("data: ")) for line in text.strip().split("\n\n")]
    assert events[0]["choices"][0]["delta"] == {"content": "Rest"}
    assert events[-1]["error"]["code"] == "upstream_error"
    assert len(events) == 2


def test_a_request_that_nests_too_deeply_is_refused(world: World):
    url, server = scripted(world, echo)
    deep = "[" * 500 + "]" * 500
    body = json.dumps(ask())[:-1] + f', "metadata": {{"a": {deep}}}}}'
    response = httpx.post(url + CHAT, content=body)
    assert (response.status_code, response.json()["error"]["code"]) == (400, "invalid_json")
    assert server.seen == []
