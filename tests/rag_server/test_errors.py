import json
import logging
from contextlib import ExitStack

import httpx
import pytest

from sage_rag.common.exceptions import (
    InputError,
    ProtectionError,
    UpstreamError,
    UpstreamTimeoutError,
)
from sage_rag.common.web.errors import as_api_error
from sage_rag.rag_server.answering.protocols import Piece
from sage_rag.rag_server.limits import RequestLimits
from tests.rag_server.conftest import ANSWER, World, ask
from tests.rag_server.fakes import ScriptedAnswerer

CHAT = "/v1/chat/completions"
CANARY = "Maria Keller"


def with_message(**message) -> dict:
    return {"model": "clinic", "messages": [message]}


IMAGE = {"type": "image_url", "image_url": {"url": f"http://x/{CANARY}"}}

REFUSED = [
    ("POST", CHAT, ask(model=CANARY), 404, "model_not_found"),
    ("POST", CHAT, {"messages": []}, 400, "invalid_value"),
    ("POST", CHAT, {"model": "clinic", "messages": []}, 400, "invalid_value"),
    ("POST", CHAT, {"model": "clinic", "messages": CANARY}, 400, "invalid_value"),
    ("POST", CHAT, with_message(role=CANARY, content="x"), 400, "invalid_value"),
    ("POST", CHAT, with_message(role="user"), 400, "invalid_value"),
    ("POST", CHAT, with_message(role="user", content="  "), 400, "invalid_value"),
    ("POST", CHAT, with_message(role="user", content=[IMAGE]), 400, "invalid_value"),
    ("POST", CHAT, with_message(role="user", content=[CANARY]), 400, "invalid_value"),
    ("POST", CHAT, with_message(role="user", content={CANARY: 1}), 400, "invalid_value"),
    ("POST", CHAT, with_message(role="assistant", content="x"), 400, "invalid_value"),
    ("POST", CHAT, ask(n=2), 400, "invalid_value"),
    ("POST", CHAT, ask(n=0), 400, "invalid_value"),
    ("POST", CHAT, ask(stream=CANARY), 400, "invalid_value"),
    ("POST", CHAT, ask(max_tokens=0), 400, "invalid_value"),
    ("POST", CHAT, ask(max_tokens=True), 400, "invalid_value"),
    ("POST", CHAT, ask(max_tokens="5"), 400, "invalid_value"),
    ("POST", CHAT, ask(n=True), 400, "invalid_value"),
    ("POST", CHAT, ask(seed=1.5), 400, "invalid_value"),
    ("POST", CHAT, ask(temperature="1"), 400, "invalid_value"),
    ("POST", CHAT, ask(stream="true"), 400, "invalid_value"),
    ("POST", CHAT, ask(stream_options={"include_usage": 1}), 400, "invalid_value"),
    ("POST", CHAT, ask(temperature=CANARY), 400, "invalid_value"),
    ("POST", CHAT, ask(sources="html"), 400, "invalid_value"),
    ("POST", CHAT, ask("x" * 3000), 413, "request_too_large"),
    ("GET", CHAT, None, 405, "method_not_allowed"),
    ("GET", "/v1/nothing", None, 404, "not_found"),
    ("GET", f"/v1/models/{CANARY}", None, 404, "model_not_found"),
    ("GET", "/docs", None, 404, "not_found"),
]


def assert_error_object(response: httpx.Response, status: int, code: str | None) -> None:
    assert response.status_code == status
    error = response.json()["error"]
    assert set(error) == {"message", "type", "param", "code"}
    assert error["code"] == code
    assert error["type"] == ("invalid_request_error" if status < 500 else "server_error")
    assert CANARY not in response.text


@pytest.fixture(scope="module")
def narrow():
    """Return the address of a server that takes 2048 bytes."""
    with ExitStack() as stack:
        world = World(stack)
        world.catalog.publish("clinic", ["rest helps"])
        yield world.serve(limits=RequestLimits(body_bytes=2048))


@pytest.mark.parametrize(("method", "path", "body", "status", "code"), REFUSED)
def test_a_refusal_is_an_error_object_that_repeats_nothing(
    narrow, method, path, body, status, code
):
    assert_error_object(httpx.request(method, narrow + path, json=body), status, code)


@pytest.mark.parametrize(
    "raw",
    [
        b"",
        b"{",
        b"[]",
        b'"x"',
        b"\xff\xfe",
        b'{"model": NaN}',
        b'{"model": "\\ud800"}',
        b'{"model": "\xed\xa0\x80"}',
        b"[" * 2000,
    ],
)
def test_a_body_that_is_no_json_object_is_refused(narrow, raw):
    response = httpx.post(narrow + CHAT, content=raw)
    assert_error_object(response, 400, "invalid_json")


def test_a_compressed_body_is_refused_as_one(narrow):
    response = httpx.post(narrow + CHAT, content=b"x", headers={"content-encoding": "gzip"})
    assert_error_object(response, 415, "compressed_body")


@pytest.mark.parametrize("path", ["/healthz", "/readyz", "/v1/models", "/v1/nothing", CHAT])
def test_head_is_answered_as_get_without_a_body(narrow, path):
    head, get = httpx.head(narrow + path), httpx.get(narrow + path)
    assert head.status_code == get.status_code
    assert head.headers["content-length"] == get.headers["content-length"]
    assert not head.content


def test_a_long_body_without_a_declared_length_is_refused(world: World):
    pieces = (b"x" * 1000 for _ in range(10))
    response = httpx.post(world.serve(limits=RequestLimits(body_bytes=4096)) + CHAT, content=pieces)
    assert_error_object(response, 413, "request_too_large")


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize(
    ("failure", "status", "code"),
    [
        (UpstreamError("no model", hint="start it"), 502, "upstream_error"),
        (UpstreamTimeoutError("slow model"), 504, "upstream_timeout"),
        (ProtectionError("not safe"), 500, "protection_failed"),
        (InputError(f"bad {CANARY}"), 500, "internal_error"),
        (RuntimeError(f"cannot analyse {CANARY}"), 500, "internal_error"),
    ],
)
def test_a_failure_before_the_first_piece_has_a_real_status(
    world: World, failure, status, code, stream, caplog, capfd
):
    caplog.set_level(logging.DEBUG)
    url = world.serve(ScriptedAnswerer([failure, *ANSWER]))
    assert_error_object(httpx.post(url + CHAT, json=ask(stream=stream)), status, code)
    assert CANARY not in caplog.text + "".join(capfd.readouterr())


def test_a_corpus_that_cannot_be_opened_answers_503(world: World):
    world.catalog.publish("foreign", ["a"], embedder="other")
    response = httpx.post(world.serve() + CHAT, json=ask(model="foreign"))
    assert_error_object(response, 503, "corpus_unavailable")


def test_a_failure_in_the_middle_of_a_stream_is_an_error_event_without_done(world: World):
    url = world.serve(ScriptedAnswerer([Piece("Take "), RuntimeError(CANARY)]))
    response = httpx.post(url + CHAT, json=ask(stream=True))
    *_, last = [line for line in response.text.split("\n\n") if line]
    assert set(json.loads(last.removeprefix("data: "))["error"]) >= {"message", "type", "code"}
    assert "[DONE]" not in response.text
    assert '"finish_reason":"stop"' not in response.text
    assert CANARY not in response.text


def test_the_allowed_methods_are_told(world: World):
    assert httpx.get(world.serve() + CHAT).headers["allow"] == "POST"


def test_no_answer_is_open_to_other_origins(world: World):
    url = world.serve() + CHAT
    response = httpx.post(url, json=ask(), headers={"origin": "http://evil.example"})
    assert "access-control-allow-origin" not in response.headers


def test_a_hint_is_part_of_the_message():
    shown = as_api_error(UpstreamError("no model", hint="start it"))
    assert shown.message == "no model; hint: start it"
