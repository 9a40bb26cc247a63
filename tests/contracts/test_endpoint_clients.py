"""All that asks an OpenAI-compatible endpoint is hardened in the same way."""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Callable
from contextlib import closing

import pytest
from pydantic import SecretStr

from sage_rag.agents.chat.backends.openai_chat import OpenAIChatModel
from sage_rag.agents.chat.protocols import ChatMessage
from sage_rag.common.exceptions import UpstreamError
from sage_rag.eval.targets.backends.openai_url import UrlTarget
from sage_rag.rag_server.answering.protocols import ConversationTurn
from sage_rag.rag_server.backends.openai_chat import OpenAIChatStream
from sage_rag.rag_server.client import Client
from tests.agents.endpoint import Answer, endpoint, refused, said

pytestmark = pytest.mark.slow

QUESTION, KEY = "does [PERSON_1] cough?", "sk-quelch"
OWN_KEY = {"agents", "answerer", "attack"}


async def agents(url: str) -> str:
    model = OpenAIChatModel(url, "tiny", api_key=KEY)
    try:
        return (await model.complete([ChatMessage("user", QUESTION)])).text
    finally:
        await model.close()


async def answerer(url: str) -> str:
    model = OpenAIChatStream(url, "tiny", api_key=SecretStr(KEY))
    try:
        pieces = model.stream([ConversationTurn("user", QUESTION)], {})
        return "".join([piece.text async for piece in pieces])
    finally:
        await model.close()


async def ask(url: str) -> str:
    async with Client(url) as client:
        return "".join([piece async for piece in client.stream("tiny", QUESTION)])


async def ask_json(url: str) -> str:
    async with Client(url) as client:
        completion = await client.complete("tiny", QUESTION)
    return str(completion["choices"][0]["message"]["content"])


def attack(url: str) -> str:
    with closing(UrlTarget(url, "tiny", api_key=KEY)) as target:
        return target.ask(QUESTION)[0]


def awaited(call: Callable[[str], object]) -> Callable[[str], str]:
    return lambda url: asyncio.run(call(url))  # type: ignore[arg-type]


CALLERS: dict[str, Callable[[str], str]] = {
    "agents": awaited(agents),
    "answerer": awaited(answerer),
    "attack": attack,
    "ask": awaited(ask),
    "ask --json": awaited(ask_json),
}
callers = pytest.mark.parametrize("caller", CALLERS)


def fine(body: dict[str, object], number: int) -> Answer:
    """Answer as the request wants it, in one piece or as a stream."""
    if not body.get("stream"):
        return said("fine")
    choice = {"index": 0, "delta": {"content": "fine"}, "finish_reason": "stop"}
    events = f"data: {json.dumps({'choices': [choice]})}\n\ndata: [DONE]\n\n"
    return Answer(body=events.encode(), headers={"content-type": "text/event-stream"})


@callers
def test_the_question_arrives_and_the_answer_comes_back(caller: str) -> None:
    with endpoint(fine) as server:
        assert CALLERS[caller](server.url) == "fine"
    assert server.asked[0]["messages"] == [{"role": "user", "content": QUESTION}]
    assert server.keys == [f"Bearer {KEY if caller in OWN_KEY else 'none'}"]


@callers
def test_no_header_describes_the_machine(caller: str) -> None:
    with endpoint(fine) as server:
        CALLERS[caller](server.url)
    (headers,) = server.headers
    assert not [name for name in headers if "stainless" in name]


@callers
def test_redirects_are_not_followed(caller: str) -> None:
    with endpoint(fine) as elsewhere:
        to = {"location": f"{elsewhere.url}/chat/completions"}
        with (
            endpoint(lambda body, number: Answer(307, headers=to)) as server,
            pytest.raises(UpstreamError, match="answered 307"),
        ):
            CALLERS[caller](server.url)
        assert elsewhere.asked == []


@callers
def test_a_loopback_address_is_not_asked_through_a_proxy(
    caller: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    with endpoint(fine) as server:
        assert CALLERS[caller](server.url) == "fine"


@callers
@pytest.mark.parametrize(
    "answer",
    [
        refused(401),
        refused(422),
        Answer(body=b"cough"),
        Answer(body=b'data: {"error": {"message": "cough"}}\n\n'),
        Answer(body=b"data: {cough\n\n"),
        Answer(body=b'data: {"choices": [{"delta": "cough"}]}\n\n'),
        Answer(body=fine({"stream": True}, 0).body, drop=True),
        Answer(body=b"no gzip", headers={"content-encoding": "gzip"}),
    ],
    ids=range(8),
)
def test_no_error_or_log_repeats_the_key_the_prompt_or_the_server(
    caller: str, answer: Answer, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    with (
        endpoint(lambda body, number: answer) as server,
        pytest.raises(UpstreamError) as caught,
    ):
        CALLERS[caller](server.url)
    error = caught.value
    shown = f"{error}{error.hint}{vars(error)}"
    # `ask` asks a sage-rag server, whose messages quote nothing and are shown.
    private = (KEY, QUESTION) if caller.startswith("ask") else (KEY, QUESTION, "cough")
    assert not [word for word in private if word in shown + caplog.text]
    assert error.__cause__ is None
    assert error.__suppress_context__ or error.__context__ is None
