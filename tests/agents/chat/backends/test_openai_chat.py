"""The real client against a real server that does not always do as it should."""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Sequence
from typing import Any

import pytest

from sage_rag.agents.chat.backends.openai_chat import OpenAIChatModel
from sage_rag.agents.chat.calls import ModelCalls
from sage_rag.agents.chat.protocols import (
    ChatMessage,
    ChatModel,
    Reply,
    RetryableError,
    TokenUsage,
    UnusableReplyError,
)
from sage_rag.agents.chat.retries import RetryPolicy
from sage_rag.common.exceptions import InputError, UpstreamError
from tests.agents.endpoint import ASK, Answer, Endpoint, endpoint, refused, said

pytestmark = pytest.mark.slow

SHAPE = {"type": "object", "properties": {"safe": {"type": "boolean"}}, "required": ["safe"]}


def once(answer: Answer, **options: Any) -> Reply:
    """Ask an endpoint that answers so, once."""
    with endpoint(lambda body, number: answer) as server:
        return ask(OpenAIChatModel(server.url, "tiny", **options))


def ask(*models: ChatModel, messages: Sequence[ChatMessage] = ASK, **how: Any) -> Reply:
    async def main() -> Reply:
        reply = Reply("")
        try:
            for model in models:
                reply = await model.complete(messages, **how)
            return reply
        finally:
            for model in set(models):
                await model.close()  # type: ignore[attr-defined]

    return asyncio.run(main())


def calls(server: Endpoint, *, patience_s: float = 20.0, **options: Any) -> ModelCalls:
    """Wrap a model as a run does, with short pauses."""
    model = OpenAIChatModel(server.url, "tiny", **options)
    retries = RetryPolicy(patience_s, jitter=lambda low, high: high / 100)
    return ModelCalls(model, retries=retries, on_close=model.close)


def test_text_usage_and_end_are_read() -> None:
    assert once(said("fine")) == Reply("fine", TokenUsage(100, 20))
    assert once(said("cut of", finish="length")) == Reply(
        "cut of", TokenUsage(100, 20), finished=False
    )


def test_messages_go_out_in_order_with_the_settings() -> None:
    with endpoint(lambda body, number: said()) as server:
        model = OpenAIChatModel(server.url, "tiny", max_tokens=77)
        ask(model, model, stage="extract", shape=SHAPE)
    first, second = server.asked
    assert [m["role"] for m in first["messages"]] == ["system", "user"]
    assert first["messages"][0] == {"role": "system", "content": ASK[0].content}
    assert (first["temperature"], first["seed"], first["max_tokens"]) == (0, 0, 77)
    assert first["response_format"] == {
        "type": "json_schema", "json_schema": {"name": "extract", "schema": SHAPE},
    }  # fmt: skip
    assert first == second
    assert json.loads(model.settings) == {"temperature": 0, "seed": 0, "max_tokens": 77}


@pytest.mark.parametrize(("stage", "name"), [("", "answer"), ("a b", "answer"), ("infer", "infer")])
def test_a_shape_has_a_name_that_servers_take(stage: str, name: str) -> None:
    with endpoint(lambda body, number: said()) as server:
        ask(OpenAIChatModel(server.url, "tiny"), stage=stage, shape=SHAPE)
    assert server.asked[0]["response_format"]["json_schema"]["name"] == name


@pytest.mark.parametrize("status", [400, 422])
def test_a_server_without_schemas_gets_one_only_once(status: int) -> None:
    def answer(body: dict[str, Any], number: int) -> Answer:
        return refused(status) if "response_format" in body else said()

    with endpoint(answer) as server:
        model = OpenAIChatModel(server.url, "tiny")
        assert ask(model, model, model, shape=SHAPE).text == "fine"
    assert ["response_format" in body for body in server.asked] == [True, False, False, False]


def test_a_refusal_that_has_nothing_to_do_with_the_shape_is_not_remembered() -> None:
    def answer(body: dict[str, Any], number: int) -> Answer:
        return refused(400) if number < 2 else said()

    with endpoint(answer) as server:
        model = OpenAIChatModel(server.url, "tiny")
        with pytest.raises(UpstreamError, match="answered 400"):
            ask(model, shape=SHAPE)
        ask(model, shape=SHAPE)
    assert ["response_format" in body for body in server.asked] == [True, False, True]


def test_settings_that_a_model_does_not_take_are_left_out_and_the_limit_renamed() -> None:
    def answer(body: dict[str, Any], number: int) -> Answer:
        for name in ("max_tokens", "temperature", "top_p"):
            if name in body:
                error = {"error": {"message": "no", "param": name, "code": "unsupported"}}
                return Answer(400, json.dumps(error).encode())
        return said()

    with endpoint(answer) as server:
        model = OpenAIChatModel(server.url, "tiny", max_tokens=9, top_p=0.9)
        assert ask(model, model, shape=SHAPE).text == "fine"
    assert len(server.asked) == 5
    last = server.asked[-1]
    assert last["max_completion_tokens"] == 9
    assert {"seed", "response_format"} <= set(last)
    assert not {"max_tokens", "temperature", "top_p"} & set(last)


@pytest.mark.parametrize(
    "answer",
    [
        said(None),
        said(""),
        said(" \n"),
        said("", finish="length"),
        said("half", finish="content_filter"),
        said(None, message={"refusal": "I would rather not"}),
        said(None, message={"tool_calls": []}, finish="tool_calls"),
    ],
)
def test_no_answer_to_this_question_is_no_fault_of_the_endpoint(answer: Answer) -> None:
    with pytest.raises(UnusableReplyError) as caught:
        once(answer)
    assert caught.value.usage == TokenUsage(100, 20)
    assert "rather not" not in str(caught.value)


@pytest.mark.parametrize(
    "usage",
    [None, {}, [], {"prompt_tokens": None}, {"prompt_tokens": "9"}, {"completion_tokens": -3}],
)
def test_unreported_usage_is_zero(usage: Any) -> None:
    assert once(said(usage=usage)) == Reply("fine", TokenUsage())


def test_lone_surrogates_and_byte_order_marks_are_removed() -> None:
    assert once(said("a \ud800 b")).text == "a � b"
    assert once(Answer(body=b"\xef\xbb\xbf" + said("fine").body)).text == "fine"
    with endpoint(lambda body, number: said()) as server:
        model = OpenAIChatModel(server.url, "tiny")
        ask(model, messages=[ChatMessage("user", "a \ud800 b")])
    assert server.asked[0]["messages"][0]["content"] == "a � b"


def test_an_encoding_that_is_declared_is_read_and_one_that_lies_is_not_guessed() -> None:
    body = json.loads(said("Käse").body)
    latin = json.dumps(body, ensure_ascii=False).encode("latin-1")
    declared = {"content-type": "application/json; charset=latin-1"}
    assert once(Answer(body=latin, headers=declared)).text == "Käse"
    with pytest.raises(UnusableReplyError, match="no readable encoding"):
        once(Answer(body=latin))
    unknown = {"content-type": "application/json; charset=klingon"}
    assert once(Answer(body=said("fine").body, headers=unknown)).text == "fine"


@pytest.mark.parametrize(
    ("body", "line"),
    [
        (b"<html><h1>cough clinic</h1></html>", "answered without JSON"),
        (b"", "answered without JSON"),
        (said("fine").body[:-30], "answered without JSON"),
        (b"[" * 100_000, "answered without JSON"),
        (b'"cough"', "answered without a completion"),
        (b'{"error": {"message": "cough"}}', "answered without a completion"),
        (b'{"choices": []}', "answered without a completion"),
        (b'{"choices": [{"message": {"content": ["cough"]}}]}', "answered without a completion"),
        (b'{"choices": [{"message": null}]}', "answered without a completion"),
    ],
    ids=range(9),
)
@pytest.mark.parametrize("content_type", ["application/json", "text/html"])
def test_an_answer_that_is_not_a_completion_is_one_line(
    body: bytes, line: str, content_type: str
) -> None:
    with pytest.raises(RetryableError, match=line) as caught:
        once(Answer(body=body, headers={"content-type": content_type}))
    assert caught.value.max_tries == 3
    assert "cough" not in f"{caught.value}{caught.value.hint}"


@pytest.mark.parametrize("status", [408, 409, 425, 429, 500, 502, 503, 504, 529])
def test_statuses_that_may_pass(status: int) -> None:
    with pytest.raises(RetryableError, match=f"answered {status}$") as caught:
        once(refused(status, retry_after="7"))
    assert caught.value.retry_after_s == 7.0


@pytest.mark.parametrize("status", [400, 401, 403, 404, 405, 422, 501])
def test_statuses_that_last(status: int) -> None:
    with pytest.raises(UpstreamError, match=f"answered {status}$") as caught:
        once(refused(status))
    assert not isinstance(caught.value, RetryableError | UnusableReplyError)
    assert "cough" not in f"{caught.value}{caught.value.hint}{caught.value.__context__ and ''}"


@pytest.mark.parametrize(
    ("status", "error"),
    [
        (400, {"code": "context_length_exceeded", "message": "x"}),
        (400, {"message": "This model's maximum context length is 2048 tokens"}),
        (400, {"type": "exceed_context_size_error", "message": "exceeds the context size"}),
        (413, {"message": "x"}),
        (400, {"code": "content_filter", "message": "x"}),
    ],
)
def test_a_prompt_that_cannot_be_answered_concerns_this_record_alone(
    status: int, error: dict[str, str]
) -> None:
    with pytest.raises(UnusableReplyError):
        once(Answer(status, json.dumps({"error": error}).encode()))


def test_an_account_without_credit_is_not_waited_for() -> None:
    body = json.dumps({"error": {"code": "insufficient_quota", "message": "x"}}).encode()
    with pytest.raises(UpstreamError, match="no credit") as caught:
        once(Answer(429, body))
    assert not isinstance(caught.value, RetryableError)


def test_slow_and_dripping_endpoints_end_in_time() -> None:
    for answer in (Answer(body=said().body, delay_s=2.0), Answer(body=said().body, drip_s=0.05)):
        with pytest.raises(RetryableError, match="did not answer within"):
            once(answer, timeout_s=0.3)  # each answer would come whole without the limit


@pytest.mark.parametrize(
    "answer",
    [
        Answer(drop=True),
        Answer(body=said().body, drop=True),
        Answer(raw=b"220 this is a mail server\r\n\r\n"),
        Answer(raw=b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nxyz\r\n"),
        Answer(raw=b"HTTP/1.1 200 OK\r\nx: " + b"x" * 100_000 + b"\r\n\r\n"),
    ],
)
def test_dropped_connections_may_pass(answer: Answer) -> None:
    with pytest.raises(RetryableError, match="dropped the connection") as caught:
        once(answer)
    assert caught.value.answered


def test_data_that_cannot_be_decompressed_is_not_retried_long() -> None:
    with pytest.raises(RetryableError, match="cannot be decompressed") as caught:
        once(Answer(body=b"no gzip", headers={"content-encoding": "gzip"}))
    assert caught.value.max_tries == 3


def test_an_endpoint_that_never_answered_is_marked() -> None:
    with pytest.raises(RetryableError, match="cannot be reached") as caught:
        ask(OpenAIChatModel("http://127.0.0.1:9/v1", "tiny"))
    assert not caught.value.answered


@pytest.mark.parametrize(
    "url", ["", "127.0.0.1:8000/v1", "ftp://x/v1", "http://", "http://[::1/v1", "http://a:pw@x/v1"]
)
def test_invalid_addresses_are_refused(url: str) -> None:
    with pytest.raises(InputError, match="the endpoint's address") as caught:
        OpenAIChatModel(url, "tiny")
    assert "pw" not in f"{caught.value}{caught.value.hint}"


def test_the_key_comes_from_the_environment_and_is_shown_to_the_server_alone(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    monkeypatch.setenv("SAGE_RAG_LLM_API_KEY", "sk-quelch\n")
    with endpoint(lambda body, number: refused(401)) as server:
        model = OpenAIChatModel(server.url, "tiny")
        with pytest.raises(UpstreamError) as caught:
            ask(model)
    assert server.keys == ["Bearer sk-quelch"]
    assert "quelch" not in f"{caught.value}{caught.value.hint}{model!r}{vars(caught.value)}"
    assert "quelch" not in caplog.text
    assert "condense" not in caplog.text
    with pytest.raises(InputError, match="the API key") as refusal:
        OpenAIChatModel(server.url, "tiny", api_key="sk-é")
    assert "sk-" not in str(refusal.value)


def test_one_model_serves_several_loops() -> None:
    with endpoint(lambda body, number: said()) as server:
        model = OpenAIChatModel(server.url, "tiny")
        assert [ask(model).text, ask(model).text] == ["fine", "fine"]


def test_a_storm_of_429s_passes_and_every_record_is_answered() -> None:
    def storm(body: dict[str, Any], number: int) -> Answer:
        return refused(429) if number < 40 else said(f"to {body['messages'][1]['content']}")

    with endpoint(storm) as server:
        model = calls(server)

        async def main() -> list[Reply]:
            asked = (model.complete([ASK[0], ChatMessage("user", str(n))]) for n in range(30))
            try:
                return await asyncio.gather(*asked)
            finally:
                await model.close()

        replies = asyncio.run(main())
    assert [reply.text for reply in replies] == [f"to {n}" for n in range(30)]
    assert server.most_at_once <= 8
    total = model.costs.total
    assert (total.calls, total.retries) == (30, 40)
    assert len(server.asked) == 70  # the client tries nothing again by itself


@pytest.mark.slow
def test_different_faults_in_a_row_end_in_an_answer() -> None:
    faults = [
        refused(429, retry_after="0.2"),
        refused(500),
        Answer(drop=True),
        Answer(body=said().body, drop=True),
        Answer(body=b"<html>", headers={"content-type": "text/html"}),
        Answer(body=said().body, delay_s=3.0),
        refused(503, retry_after="nonsense"),
    ]

    def script(body: dict[str, Any], number: int) -> Answer:
        return faults[number] if number < len(faults) else said()

    with endpoint(script) as server:
        model = calls(server, timeout_s=2.0)
        assert ask(model).text == "fine"
    assert model.costs.total.retries == len(faults)


def test_patience_ends_in_one_line() -> None:
    given_up = pytest.raises(UpstreamError, match=r"answered 503; given up after \d+ tries in 1 s")
    with endpoint(lambda body, number: refused(503)) as server, given_up:
        ask(calls(server, patience_s=1.0))


def test_a_page_of_a_proxy_is_given_up_after_three_tries() -> None:
    with endpoint(lambda body, number: Answer(body=b"<html>")) as server:
        with pytest.raises(UpstreamError, match="without JSON, 3 times in a row") as caught:
            ask(calls(server))
        assert "ending in /v1" in (caught.value.hint or "")
    assert len(server.asked) == 3
