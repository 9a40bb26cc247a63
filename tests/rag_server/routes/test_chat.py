import asyncio
import json
import logging
import threading

import httpx
import openai
import pytest
from openai import AsyncOpenAI

from sage_rag.privacy.entities import EntityType
from sage_rag.rag_server.answering.offline import OfflineAnswerer
from sage_rag.rag_server.answering.protocols import Piece
from sage_rag.rag_server.completions import CompletionUsage
from tests.rag_server.conftest import ANSWER, World, ask, asking
from tests.rag_server.fakes import ScriptedAnswerer

CHAT = "/v1/chat/completions"


def events(response: httpx.Response) -> list:
    lines = [line for line in response.text.split("\n\n") if line]
    assert all(line.startswith("data: ") for line in lines)
    data = [line.removeprefix("data: ") for line in lines]
    return [d if d == "[DONE]" else json.loads(d) for d in data]


def test_the_openai_client_gets_an_answer_with_citations_and_usage(world: World):
    client = world.openai(world.serve())
    done = client.chat.completions.create(**ask())
    assert done.object == "chat.completion"
    assert done.model == "clinic"
    assert done.choices[0].message.content == "Take rest [1]."
    assert done.choices[0].message.role == "assistant"
    assert done.choices[0].finish_reason == "stop"
    assert done.usage.total_tokens == done.usage.prompt_tokens + done.usage.completion_tokens
    [citation] = done.model_extra["citations"]
    assert citation["text"] == "rest helps against a cold"
    assert citation["source"] == "SOURCE_[s0]"
    assert "score" not in citation


def test_the_openai_client_gets_the_same_answer_as_a_stream(world: World):
    client = world.openai(world.serve())
    chunks = list(client.chat.completions.create(**ask(), stream=True))
    text = "".join(c.choices[0].delta.content or "" for c in chunks)
    assert text == "Take rest [1]."
    assert {c.id for c in chunks} == {chunks[0].id}
    assert [c["index"] for c in chunks[-1].model_extra["citations"]] == [1]


def test_the_async_client_reads_two_corpora_at_once(world: World):
    world.catalog.publish("office", ["tea is in the kitchen"])
    both_inside = threading.Barrier(2)

    async def meet() -> None:
        await asyncio.to_thread(both_inside.wait, 5)

    url = world.serve(ScriptedAnswerer([meet, *ANSWER]))

    async def both() -> list:
        async with AsyncOpenAI(base_url=f"{url}/v1", api_key="x", max_retries=0) as client:
            asked = [
                client.chat.completions.create(**ask("what", model=m)) for m in ("clinic", "office")
            ]
            return await asyncio.gather(*asked)

    one, two = asyncio.run(both())
    assert (one.model, two.model) == ("clinic", "office")
    assert one.model_extra["citations"][0]["text"] != two.model_extra["citations"][0]["text"]


def test_not_streaming_is_the_default(world: World):
    url = world.serve()
    for body in (ask(), ask(stream=None), ask(stream=False)):
        assert httpx.post(url + CHAT, json=body).json()["object"] == "chat.completion"


def test_a_stream_follows_the_contract(world: World):
    response = httpx.post(world.serve() + CHAT, json=ask(stream=True))
    assert response.headers["content-type"].startswith("text/event-stream")
    assert response.headers["cache-control"] == "no-cache"
    *chunks, done = events(response)
    assert done == "[DONE]"
    choices = [choice for chunk in chunks for choice in chunk["choices"]]
    assert all(choice["index"] == 0 for choice in choices)
    assert choices[0]["delta"]["role"] == "assistant"
    assert [c["finish_reason"] for c in choices] == [None] * (len(choices) - 1) + ["stop"]
    assert choices[-1]["delta"] == {}
    assert all("role" not in c["delta"] for c in choices[1:])
    assert all("usage" not in c for c in chunks)
    assert [c["index"] for c in chunks[-1]["citations"]] == [1]
    assert all("citations" not in c for c in chunks[:-1])


def test_usage_comes_in_a_chunk_of_its_own_when_asked_for(world: World):
    asked = ask(stream=True, stream_options={"include_usage": True})
    *chunks, last, done = events(httpx.post(world.serve() + CHAT, json=asked))
    assert done == "[DONE]"
    assert last["choices"] == []
    assert last["usage"] == {"prompt_tokens": 6, "completion_tokens": 6, "total_tokens": 12}
    assert all(chunk["usage"] is None for chunk in chunks)


def test_the_models_own_usage_and_finish_reason_are_passed_on(world: World):
    cut = ScriptedAnswerer(
        [Piece("Ta"), Piece("", "length"), Piece("", None, CompletionUsage(70, 3))]
    )
    done = world.openai(world.serve(cut)).chat.completions.create(**ask())
    assert done.choices[0].finish_reason == "length"
    assert done.usage.total_tokens == 73


@pytest.mark.parametrize("stream", [False, True])
def test_sources_can_be_had_as_markdown(world: World, stream):
    client = world.openai(world.serve())
    body = {**ask(), "extra_body": {"sources": "markdown"}, "stream": stream}
    answer = client.chat.completions.create(**body)
    text = (
        "".join(c.choices[0].delta.content or "" for c in answer)
        if stream
        else answer.choices[0].message.content
    )
    assert text == "Take rest [1].\n\n**Sources**\n\n- [1] SOURCE_[s0]"


def test_the_last_user_message_is_the_question_and_the_rest_is_kept(world: World):
    answerer = ScriptedAnswerer(ANSWER)
    messages = [
        {"role": "system", "content": "Be brief."},
        {"role": "developer", "content": "Be kind."},
        {"role": "user", "content": "first"},
        {"role": "assistant", "content": None, "tool_calls": []},
        {"role": "tool", "tool_call_id": "1", "content": "found"},
        {"role": "user", "content": [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]},
        {"role": "assistant", "content": "wait"},
    ]
    body = {"model": "clinic", "messages": messages, "max_tokens": 9, "unknown": {"x": 1}}
    assert httpx.post(world.serve(answerer) + CHAT, json=body).status_code == 200
    [seen] = answerer.conversations
    assert seen.question == "a\nb"
    assert [(t.role, t.text) for t in seen.history] == [
        ("system", "Be brief."),
        ("system", "Be kind."),
        ("user", "first"),
        ("assistant", ""),
        ("user", "found"),
        ("assistant", "wait"),
    ]
    assert seen.options == {"max_tokens": 9}


def test_top_k_passages_reach_the_answerer(world: World):
    answerer = ScriptedAnswerer(ANSWER)
    url = world.serve(answerer, top_k=1)
    httpx.post(url + CHAT, json=ask())
    assert [p.id for p in answerer.conversations[0].passages] == ["p0"]


def test_a_new_version_answers_the_next_request(world: World):
    client = world.openai(world.serve())
    world.catalog.publish("clinic", ["sleep helps against a cold"])
    done = client.chat.completions.create(**ask())
    assert done.model_extra["citations"][0]["text"] == "sleep helps against a cold"


@pytest.mark.parametrize("stream", [False, True])
def test_a_client_that_hangs_up_stops_the_work(world: World, stream):
    started = threading.Event()

    async def for_ever() -> None:
        started.set()
        await asyncio.Event().wait()

    answerer = ScriptedAnswerer([Piece("Take "), for_ever])
    url = world.serve(answerer)
    if stream:
        with httpx.stream("POST", url + CHAT, json=ask(stream=True)) as response:
            next(response.iter_bytes())
            assert started.wait(30)
    else:
        with asking(url, ask()):
            assert started.wait(30)
    assert answerer.cancelled.wait(30)


def test_a_broken_stream_is_an_error_for_the_openai_client(world: World):
    client = world.openai(world.serve(ScriptedAnswerer([Piece("Take "), RuntimeError("x")])))
    chunks = iter(client.chat.completions.create(**ask(), stream=True))
    assert [next(chunks).choices[0].delta.content for _ in range(2)] == ["", "Take "]
    with pytest.raises(openai.APIError, match="failed to process"):
        next(chunks)


def test_neither_question_nor_answer_is_logged(world: World, caplog, capfd):
    caplog.set_level(logging.DEBUG)
    answerer = ScriptedAnswerer([Piece("answer-canary [1]"), Piece("", "stop")])
    url = world.serve(answerer)
    for stream in (False, True):
        httpx.post(url + CHAT, json=ask("question-canary", stream=stream))
    logged = caplog.text + "".join(capfd.readouterr())
    assert "corpus=clinic passages=2" in logged
    assert "canary" not in logged
    assert "rest helps" not in logged


def test_an_empty_answer_is_complete(world: World):
    client = world.openai(world.serve(ScriptedAnswerer([])))
    assert client.chat.completions.create(**ask()).choices[0].message.content == ""
    assert list(client.chat.completions.create(**ask(), stream=True))[-1].choices[0].finish_reason


@pytest.mark.parametrize("stream", [False, True])
def test_a_footnote_of_a_record_cites_no_passage(world: World, stream):
    token = world.keys().hide_whole("Maria Keller", EntityType.PERSON)
    record = f"{token} rests, as the trial [2] showed: 4 [3, 16] mg helps against a cold [1][1,2]"
    world.catalog.publish("clinic", [record, "tea"])
    quoting = OfflineAnswerer(lambda context: f"{context.passages[0].text}. [1]")
    response = httpx.post(world.serve(quoting) + CHAT, json=ask(stream=stream))
    if stream:
        last = events(response)[-2]
        text = "".join(e["choices"][0]["delta"].get("content", "") for e in events(response)[:-1])
    else:
        last = response.json()
        text = last["choices"][0]["message"]["content"]
    assert text == (
        f"{token} rests, as the trial (2) showed: 4 [3, 16] mg helps against a cold (1)(1,2). [1]"
    )
    assert [(c["index"], c["text"]) for c in last["citations"]] == [(1, record)]
