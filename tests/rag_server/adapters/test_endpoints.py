"""The other endpoints, asked by the openai client, at the server and through the edge."""

import json
import re

import numpy as np
import openai
import pytest

from sage_rag.privacy.entities import EntityType
from sage_rag.rag_server.answering.offline import OfflineAnswerer
from sage_rag.rag_server.answering.protocols import Piece
from tests.rag_server.conftest import World
from tests.rag_server.fakes import ScriptedAnswerer, ScriptedServer, WordsEmbedder, chunk, streamed

PERSON = EntityType.PERSON
QUESTION = "What does Maria Keller take?"


@pytest.fixture(params=["server", "edge"])
def client(world: World, request) -> openai.OpenAI:
    answerer = OfflineAnswerer(lambda context: "Take rest for a week [1].")
    server = world.serve(answerer)
    return world.openai(server if request.param == "server" else world.edge(server))


def about_maria(world: World) -> str:
    person = world.keys().hide_whole("Maria Keller", EntityType.PERSON)
    world.catalog.publish("clinic", [f"{person} takes rest"])
    answerer = ScriptedAnswerer([Piece(person[:9]), Piece(f"{person[9:]} rests [1]")])
    return world.edge(world.serve(answerer))


def test_a_completion(client):
    done = client.completions.create(model="clinic", prompt=QUESTION, max_tokens=3)
    assert (done.object, done.choices[0].text) == ("text_completion", "Take rest for")
    assert done.choices[0].finish_reason == "length"
    assert done.id.startswith("cmpl-")
    assert done.usage.completion_tokens == 3


def test_a_streamed_completion(client):
    parts = list(client.completions.create(model="clinic", prompt=[QUESTION], stream=True))
    assert "".join(p.choices[0].text for p in parts) == "Take rest for a week [1]."
    assert [p.choices[0].finish_reason for p in parts][-1] == "stop"
    assert parts[-1].model_extra["citations"][0]["index"] == 1


@pytest.mark.parametrize(
    "more",
    [{"prompt": ["a", "b"]}, {"prompt": [1, 2]}, {"echo": True}, {"suffix": "x"}, {"best_of": 2}],
)
def test_a_completion_that_is_not_offered_is_refused(client, more):
    with pytest.raises(openai.BadRequestError):
        client.completions.create(**{"model": "clinic", "prompt": "x", **more})


@pytest.mark.parametrize("stream", [False, True])
def test_a_response_has_its_citations_as_annotations(world: World, stream):
    client = world.openai(about_maria(world))
    asked = client.responses.create(model="clinic", input=QUESTION, stream=stream)
    events = list(asked) if stream else []
    done = events[-1].response if stream else asked
    part = done.output[0].content[0]
    [mark] = part.annotations
    assert mark.type == "url_citation"
    assert mark.url.startswith("urn:")
    assert part.text[mark.start_index : mark.end_index] == "[1]"
    added = [e for e in events if e.type == "response.output_text.annotation.added"]
    told = [(e.annotation_index, e.annotation.to_dict()) for e in added]
    assert told == [(0, mark.to_dict())] * stream
    assert [e.sequence_number for e in events] == list(range(len(events)))


def test_a_response(client):
    done = client.responses.create(model="clinic", input=QUESTION, instructions="Be brief.")
    assert (done.object, done.status, done.model) == ("response", "completed", "clinic")
    assert done.output_text == "Take rest for a week [1]."
    assert done.usage.total_tokens == done.usage.input_tokens + done.usage.output_tokens
    assert done.model_extra["citations"][0]["index"] == 1


def test_a_response_to_messages_that_is_cut(client):
    parts = [{"type": "input_text", "text": QUESTION}]
    turns = [
        {"role": "user", "content": "Hello"},
        {"role": "assistant", "content": [{"type": "output_text", "text": "Hi"}]},
        {"type": "message", "role": "user", "content": parts},
    ]
    done = client.responses.create(model="clinic", input=turns, max_output_tokens=2)
    assert (done.status, done.output_text) == ("incomplete", "Take rest")
    assert done.incomplete_details.reason == "max_output_tokens"


def test_a_streamed_response(client):
    events = list(client.responses.create(model="clinic", input=QUESTION, stream=True))
    kinds = [event.type.removeprefix("response.") for event in events]
    assert kinds[:4] == ["created", "in_progress", "output_item.added", "content_part.added"]
    assert kinds[-4:] == [
        *("output_text.done", "content_part.done", "output_item.done", "completed"),
    ]
    assert [event.sequence_number for event in events] == list(range(len(events)))
    deltas = [event.delta for event in events if event.type == "response.output_text.delta"]
    last = events[-1].response
    assert "".join(deltas) == last.output_text == "Take rest for a week [1]."
    assert last.usage.output_tokens > 0


@pytest.mark.parametrize(
    "more",
    [
        {"previous_response_id": "resp_1"},
        {"tools": [{"type": "web_search"}]},
        {"background": True},
        {"input": [{"type": "function_call_output", "call_id": "1", "output": "x"}]},
        {"input": [{"role": "user", "content": [{"type": "input_image", "image_url": "x"}]}]},
        {"text": {"format": {"type": "json_object"}}},
    ],
)
def test_a_response_that_is_not_offered_is_refused(client, more):
    with pytest.raises(openai.BadRequestError):
        client.responses.create(**{"model": "clinic", "input": "x", **more})


def test_a_response_is_not_stored_though_a_client_asks_for_it(client):
    reply = client.responses.with_raw_response.create(model="clinic", input="x", store=True)
    assert reply.headers["x-sage-rag-ignored"] == "store"
    assert reply.parse().store is False
    for earlier in ({"previous_response_id": "resp_1"}, {"conversation": "conv_1"}):
        with pytest.raises(openai.BadRequestError, match="earlier messages in `input`"):
            client.responses.create(model="clinic", input="x", **earlier)


def test_a_refusal_in_the_history_is_text(world: World):
    refused = "Maria Keller is not asked about."
    part = {"type": "refusal", "refusal": refused}
    asked = {"role": "user", "content": "and now?"}
    server = ScriptedAnswerer([Piece("Rest.")])
    at_server, hidden = world.serve(server), world.keys().hide_whole("Maria Keller", PERSON)
    for url in (at_server, world.edge(at_server)):
        own = world.openai(url)
        for more in ({"content": None, "refusal": refused}, {"content": [part]}):
            turns = [{"role": "assistant", **more}, asked]
            own.chat.completions.create(model="clinic", messages=turns)
        turns = [{"type": "message", "role": "assistant", "content": [part]}, asked]
        own.responses.create(model="clinic", input=turns)
        turns = [{"role": "user", "content": [part]}]
        with pytest.raises(openai.BadRequestError):
            own.chat.completions.create(model="clinic", messages=turns)
    texts = [conversation.history[0].text for conversation in server.conversations]
    assert texts == [refused] * 3 + [refused.replace("Maria Keller", hidden)] * 3


def test_every_response_has_an_id_of_its_own(client):
    first = client.chat.completions.create(
        model="clinic", messages=[{"role": "user", "content": "x"}]
    )
    second = client.responses.create(model="clinic", input="x")
    with pytest.raises(openai.NotFoundError) as refused:
        client.responses.create(
            model="nope", input="x", extra_headers={"x-request-id": "Maria Keller"}
        )
    ids = {first._request_id, second._request_id, refused.value.request_id}
    assert len(ids) == 3
    assert all(re.fullmatch("req_[0-9a-f]{32}", found) for found in ids)


def test_embeddings_are_the_corpus_embedders(client):
    texts = ["rest helps", "coffee"]
    wanted = WordsEmbedder().embed(texts)
    for form in ("float", "base64"):
        found = client.embeddings.create(model="clinic", input=texts, encoding_format=form)
        assert len(found.data) == 2
    vectors = client.embeddings.create(model="clinic", input=texts).data
    assert np.allclose([v.embedding for v in vectors], wanted)
    with pytest.raises(openai.BadRequestError):
        client.embeddings.create(model="clinic", input=texts, dimensions=3)
    with pytest.raises(openai.BadRequestError):
        client.embeddings.create(model="clinic", input=[[1, 2]])
    with pytest.raises(openai.NotFoundError):
        client.embeddings.create(model="nope", input="x")


def test_no_text_is_embedded_for_dimensions_that_are_not_offered(world: World):
    embedded = []

    class Recording(WordsEmbedder):
        def embed(self, texts):
            embedded.extend(texts)
            return super().embed(texts)

    client = world.openai(world.serve(embedder=Recording()))
    with pytest.raises(openai.BadRequestError, match="64"):
        client.embeddings.create(model="clinic", input="rest", dimensions=3)
    assert embedded == []
    client.embeddings.create(model="clinic", input="rest", dimensions=64)
    assert embedded == ["rest"]


def test_every_endpoint_of_the_edge_restores_names(world: World):
    client = world.openai(about_maria(world))
    wanted = "Maria Keller rests [1]"
    assert client.completions.create(model="clinic", prompt=QUESTION).choices[0].text == wanted
    parts = client.completions.create(model="clinic", prompt=QUESTION, stream=True)
    assert "".join(p.choices[0].text for p in parts) == wanted
    assert client.responses.create(model="clinic", input=QUESTION).output_text == wanted
    events = list(client.responses.create(model="clinic", input=QUESTION, stream=True))
    assert events[-1].response.output_text == wanted


def test_no_endpoint_of_the_edge_sends_a_name(world: World):
    server = ScriptedServer(lambda _: streamed([chunk({"content": "x"}, "stop")]))
    edge = world.edge(world.run(server))
    bodies = {
        "completions": {"prompt": QUESTION},
        "responses": {"input": QUESTION, "instructions": "Maria Keller asks"},
        "embeddings": {"input": [QUESTION]},
    }
    for path, body in bodies.items():
        world.http.post(f"{edge}/v1/{path}", json={"model": "clinic", **body})
    assert len(server.seen) == 3
    assert all("Keller" not in seen.raw.decode() for seen in server.seen)
    assert all("PERSON_[" in json.dumps(seen.body) for seen in server.seen)


def test_an_error_in_the_middle_of_a_streamed_response_is_an_error(world: World):
    answerer = ScriptedAnswerer([Piece("Take "), RuntimeError("x")])
    client = world.openai(world.serve(answerer))
    *_, last = client.responses.create(model="clinic", input=QUESTION, stream=True)
    assert (last.type, last.code) == ("error", "internal_error")
    with pytest.raises(openai.APIError):
        list(client.completions.create(model="clinic", prompt=QUESTION, stream=True))
    with pytest.raises(openai.NotFoundError):
        client.responses.create(model="nope", input="x")


def test_unknown_fields_are_named_by_every_endpoint(client):
    more = {"extra_body": {"foo": 1, "truncation": "auto"}}
    asked = {"model": "clinic", "input": QUESTION, **more}
    for endpoint in (client.embeddings, client.responses):
        reply = endpoint.with_raw_response.create(**asked)
        assert reply.headers["x-sage-rag-ignored"] == "foo, truncation"


def test_a_response_that_a_guard_ends_is_incomplete(world: World):
    withheld = [Piece("Take rest."), Piece("", "content_filter")]
    client = world.openai(world.edge(world.serve(ScriptedAnswerer(withheld))))
    done = client.responses.create(model="clinic", input="x")
    *_, last = client.responses.create(model="clinic", input="x", stream=True)
    assert last.type == "response.incomplete"
    for response in (done, last.response):
        assert response.status == "incomplete"
        assert response.incomplete_details.reason == "content_filter"


def test_the_verbosity_of_a_response_reaches_a_model_or_is_named(world: World, client):
    answerer = ScriptedAnswerer([Piece("Rest.")])
    more = {"input": "x", "text": {"verbosity": "low"}, "reasoning": {"effort": "low"}}
    asked = {"model": "clinic", **more}
    world.openai(world.serve(answerer)).responses.create(**asked)
    assert answerer.conversations[0].options == {"verbosity": "low", "reasoning_effort": "low"}
    reply = client.responses.with_raw_response.create(**asked)
    assert reply.headers["x-sage-rag-ignored"] == "reasoning.effort, text.verbosity"


USER = {"role": "user", "content": "x"}


@pytest.mark.parametrize(
    ("path", "more", "param"),
    [
        ("responses", {"input": "x", "max_output_tokens": 0}, "max_output_tokens"),
        ("responses", {"input": [{"role": "x", "content": "x"}]}, "input[0].role"),
        (
            "responses",
            {"input": [USER, {"role": "x", "content": "x"}], "instructions": "y"},
            "input[1].role",
        ),
        ("responses", {"input": [USER], "instructions": 3}, "instructions"),
        ("responses", {"input": ""}, "input"),
        ("responses", {"input": "x", "text": {"format": {"type": "json_object"}}}, "text.format"),
        ("completions", {"prompt": ""}, "prompt"),
        ("completions", {"prompt": "x", "stop": 3}, "stop"),
        ("embeddings", {"input": [1, 2]}, "input"),
        ("embeddings", {"input": 3}, "input"),
        ("completions", {"prompt": "x", "max_tokens": 0}, "max_tokens"),
    ],
)
def test_an_error_names_the_field_of_its_endpoint(world: World, client, path, more, param):
    response = world.http.post(f"{client.base_url}{path}", json={"model": "clinic", **more})
    error = response.json()["error"]
    assert response.status_code == 400
    assert error["param"].startswith(param)
    assert not error["param"].endswith(".str")
    assert "messages" not in error["message"]
    assert f"`{error['param']}`" in error["message"] or "user message" in error["message"]
