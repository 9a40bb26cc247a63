"""Every field of a request is honoured, refused clearly, or named in a header."""

import json
import time

import pytest

from sage_rag.privacy.entities import EntityType
from sage_rag.rag_server.answering.offline import OfflineAnswerer
from sage_rag.rag_server.answering.protocols import Piece
from sage_rag.rag_server.chat_request import IGNORED_HEADER
from sage_rag.rag_server.completions import CompletionUsage
from sage_rag.rag_server.cutting import cut
from sage_rag.rag_server.guards.quotation import GuardedAnswerer
from tests.rag_server.conftest import World, ask
from tests.rag_server.fakes import ScriptedAnswerer

CHAT = "/v1/chat/completions"
TOKEN = "PERSON_[q2ZfENDk]"
TEXT = f"Rest helps {TOKEN}, as tea does. [1] Stop smoking. [2]"


def extractive(world: World) -> str:
    return world.serve(OfflineAnswerer(lambda context: TEXT))


def answered(world: World, url: str, **more) -> tuple[str, str]:
    """Return text and finish reason, after making sure that a stream gives the same."""
    choice = world.http.post(url + CHAT, json=ask(**more)).json()["choices"][0]
    lines = world.http.post(url + CHAT, json=ask(**more, stream=True)).text.split("\n\n")
    parts = [json.loads(line[6:]) for line in lines if line and "[DONE]" not in line]
    deltas = [c["delta"].get("content") or "" for part in parts for c in part["choices"]]
    reasons = [c["finish_reason"] for p in parts for c in p["choices"] if c["finish_reason"]]
    found = choice["message"]["content"], choice["finish_reason"]
    assert ("".join(deltas), reasons[-1]) == found
    return found


@pytest.mark.parametrize(
    ("more", "text", "reason"),
    [
        ({}, TEXT, "stop"),
        ({"max_tokens": 1}, "Rest", "length"),
        ({"max_tokens": 3}, f"Rest helps {TOKEN}", "length"),
        ({"max_completion_tokens": 2, "max_tokens": 9}, "Rest helps", "length"),
        ({"max_tokens": 1000}, TEXT, "stop"),
        ({"stop": "Stop"}, f"Rest helps {TOKEN}, as tea does. [1] ", "stop"),
        ({"stop": ["absent", " as"]}, f"Rest helps {TOKEN},", "stop"),
        ({"stop": "END"}, TEXT, "stop"),
        ({"stop": TOKEN}, "Rest helps ", "stop"),
        ({"stop": "tea", "max_tokens": 2}, "Rest helps", "length"),
    ],
)
def test_an_extractive_answer_ends_where_the_client_wants(world: World, more, text, reason):
    assert answered(world, extractive(world), **more) == (text, reason)


def test_a_passage_cited_after_the_cut_is_no_source(world: World):
    url = extractive(world)
    cited = world.http.post(url + CHAT, json=ask(stop="Stop")).json()["citations"]
    assert [c["index"] for c in cited] == [1]


def test_a_stop_sequence_that_overlaps_a_token_is_not_found_in_it():
    assert cut(TEXT, None, ["helps PERSON_["]) == (TEXT, None)
    assert cut(TEXT, None, ["k],"]) == (TEXT, None)
    assert cut(f"{TOKEN} k],", None, ["k]"]) == (f"{TOKEN} ", "stop")
    assert cut(TEXT, 0, []) == ("", "length")


@pytest.mark.parametrize(
    ("honours", "more", "text", "reason"),
    [
        ({"max_tokens"}, {"stop": "four"}, "one two three ", "stop"),
        ({"max_tokens"}, {"stop": "four", "max_tokens": 2}, "one two three ", "stop"),
        ({"max_tokens"}, {"stop": "absent"}, "one two three four", "length"),
        ({"max_tokens"}, {"max_tokens": 2}, "one two three four", "length"),
        ({"stop"}, {"stop": "two", "max_tokens": 3}, "one two three", "length"),
        ({"stop"}, {"stop": "two"}, "one two three four", "length"),
    ],
)
@pytest.mark.parametrize("guarded", [False, True])
def test_what_a_model_does_not_honour_is_cut_by_the_server(
    world: World, honours, more, text, reason, guarded
):
    usage = CompletionUsage(7, 40)
    pieces = [Piece("one two"), Piece(" three four"), Piece("", "length", usage)]
    model = ScriptedAnswerer(pieces, honours=frozenset(honours))
    url = world.serve(GuardedAnswerer(model) if guarded else model)
    assert answered(world, url, **more) == (text, reason)
    done = world.http.post(url + CHAT, json=ask(**more))
    assert done.json()["usage"]["completion_tokens"] == 40
    assert IGNORED_HEADER not in done.headers


def test_the_longest_list_of_stop_sequences_that_fits_a_request_is_refused_at_once(world: World):
    server = extractive(world)
    for url in (server, world.edge(server)):
        assert world.http.post(url + CHAT, json=ask(stop=["a", "b", "c", "d"])).status_code == 200
    started = time.monotonic()
    stops = [f"{n:x}" for n in range(40_000)]
    response = world.http.post(server + CHAT, json=ask(stop=stops))
    assert (response.status_code, response.json()["error"]["param"]) == (400, "stop")
    assert "at most 4" in response.json()["error"]["message"]
    assert time.monotonic() - started < 1


def test_an_option_that_needs_another_model_says_which(world: World):
    in_process = ScriptedAnswerer([Piece("x")], honours=frozenset({"max_tokens"}))
    response = world.http.post(world.serve(in_process) + CHAT, json=ask(logit_bias={"1": 1}))
    assert "a model at an endpoint (--llm-base-url)" in response.json()["error"]["message"]


@pytest.mark.parametrize(
    "more",
    [
        {"n": 2},
        {"logprobs": True},
        {"top_logprobs": 3},
        {"response_format": {"type": "json_object"}},
        {"response_format": {"type": "json_schema", "json_schema": {"name": "x", "schema": {}}}},
        {"logit_bias": {"50256": -100}},
        {"tool_choice": "required", "tools": [{"type": "function", "function": {"name": "f"}}]},
        {"functions": [{"name": "f"}]},
        {"tool_choice": "required"},
        {"audio": {"voice": "x", "format": "wav"}},
        {"web_search_options": {"search_context_size": "low"}},
        {"web_search_options": {}},
        {"modalities": ["audio"]},
        {"stop": ""},
        {"stop": ["x", ""]},
        {"stop": ["a", "b", "c", "d", "e"]},
    ],
)
def test_what_is_not_offered_is_a_400_that_names_it_also_through_the_edge(world: World, more):
    server = extractive(world)
    for url in (server, world.edge(server)):
        response = world.http.post(url + CHAT, json=ask(**more))
        assert response.status_code == 400, more
        error = response.json()["error"]
        assert next(iter(more)) in error["param"]
        assert next(iter(more)) in error["message"]


@pytest.mark.parametrize(
    ("more", "named"),
    [
        ({}, None),
        ({"max_tokens": 9, "stop": "x", "user": None}, None),
        ({"n": 1, "logprobs": False, "response_format": {"type": "text"}}, None),
        ({"tools": [{"type": "function", "function": {"name": "f"}}], "tool_choice": "none"}, None),
        ({"tools": [{"type": "function", "function": {"name": "f"}}]}, "tools"),
        ({"prediction": {"type": "content", "content": "Maria Keller"}}, "prediction"),
        ({"store": True}, "store"),
        ({"store": False}, None),
        ({"temperature": 1, "top_p": 1, "seed": 3}, "seed, temperature, top_p"),
        ({"repeat_penalty": 1.1, "chat_id": "c"}, "chat_id, repeat_penalty"),
    ],
)
def test_what_has_no_effect_is_named_in_a_header(world: World, more, named):
    server = extractive(world)
    for url in (server, world.edge(server)):
        for stream in (False, True):
            response = world.http.post(url + CHAT, json=ask(**more, stream=stream))
            assert response.status_code == 200
            found = response.headers.get(IGNORED_HEADER)
            assert (found and ", ".join(sorted(found.split(", ")))) == named


def test_a_model_gets_every_option(world: World):
    answerer = ScriptedAnswerer([Piece("{}"), Piece("", "stop")])
    form = {"type": "json_schema", "json_schema": {"name": "x", "schema": {"type": "object"}}}
    options = {"temperature": 0.5, "response_format": form, "stop": ["x"], "max_tokens": 5}
    response = world.http.post(world.serve(answerer) + CHAT, json=ask(**options))
    assert IGNORED_HEADER not in response.headers
    assert answerer.conversations[0].options == options


def test_a_list_of_sources_does_not_break_json(world: World):
    body = ask(sources="markdown", response_format={"type": "json_object"})
    assert world.http.post(world.serve() + CHAT, json=body).json()["error"]["param"] == "sources"


def test_a_version_can_be_named_if_it_is_the_current_one(world: World):
    world.catalog.publish("clinic", ["rest"])
    server = world.serve()
    for url in (server, world.edge(server)):
        done = world.http.post(url + CHAT, json=ask(model="clinic@2")).json()
        assert (done["model"], done["system_fingerprint"]) == ("clinic@2", "clinic@2")
        assert world.http.get(f"{url}/v1/models/clinic@2").status_code == 200
        assert world.http.get(f"{url}/v1/models/clinic@000002").status_code == 200
        for model in ("clinic@1", "clinic@3", "clinic@x", "clinic@"):
            assert world.http.post(url + CHAT, json=ask(model=model)).status_code in (400, 404)
    for version in ("1", "9" * 5000, "0" * 4999 + "2", "٢"):
        asked = world.http.post(server + CHAT, json=ask(model=f"clinic@{version}"))
        shown = world.http.get(f"{server}/v1/models/clinic@{version}")
        assert (asked.status_code, shown.status_code) == (404, 404)


def test_sources_are_as_open_webui_renders_them(world: World):
    world.catalog.publish("clinic", ["tea", "rest helps against a cold", "coffee"])
    answerer = ScriptedAnswerer([Piece("Take rest [1], not coffee [3]."), Piece("", "stop")])
    url = world.edge(world.serve(answerer))
    whole = world.http.post(url + CHAT, json=ask()).json()
    lines = world.http.post(url + CHAT, json=ask(stream=True)).text.split("\n\n")
    parts = [json.loads(line[6:]) for line in lines if line and "[DONE]" not in line]
    [chunk] = [part for part in parts if "event" in part]
    assert chunk["choices"][0]["finish_reason"] is None
    assert chunk["event"]["type"] == "source"
    [source] = whole["sources"]
    assert chunk["event"]["data"] == source
    assert source["source"] == {"id": "clinic@2", "name": "clinic"}
    places = [m["source"] for m in source["metadata"]]
    assert len(set(places)) == len(source["document"]) == 3
    assert all(place.startswith("urn:") for place in places)
    assert source["document"][0] == "rest helps against a cold"
    assert "distances" not in source, "a score helps to find out what is indexed"
    marks = chunk["choices"][0]["delta"]["annotations"]
    assert marks == whole["choices"][0]["message"]["annotations"]
    assert [m["url_citation"]["url"] for m in marks] == [places[0], places[2]]


@pytest.mark.parametrize("stream", [False, True])
def test_annotations_point_at_their_markers_also_where_names_are_restored(world: World, stream):
    person = world.keys().hide_whole("Maria Keller", EntityType.PERSON)
    pieces = [Piece(f"{person} rests [2]. "), Piece(f"So does {person} [1, 2]."), Piece("", "stop")]
    server = world.serve(ScriptedAnswerer(pieces))
    for url in (server, world.edge(server)):
        response = world.http.post(url + CHAT, json=ask(stream=stream))
        if stream:
            events = [line[6:] for line in response.text.splitlines() if line.startswith("data: {")]
            deltas = [c["delta"] for e in events for c in json.loads(e)["choices"]]
            text = "".join(delta.get("content", "") for delta in deltas)
            [marks] = [delta["annotations"] for delta in deltas if "annotations" in delta]
        else:
            message = response.json()["choices"][0]["message"]
            text, marks = message["content"], message["annotations"]
        assert ("Maria Keller" in text) == (url != server)
        cited = [mark["url_citation"] for mark in marks]
        found = [text[mark["start_index"] : mark["end_index"]] for mark in cited]
        assert found == ["[1, 2]", "[2]"]


def test_an_answer_without_citations_has_no_sources(world: World):
    url = world.serve(ScriptedAnswerer([Piece("Nothing."), Piece("", "stop")]))
    assert "sources" not in world.http.post(url + CHAT, json=ask()).json()
    assert '"event"' not in world.http.post(url + CHAT, json=ask(stream=True)).text


def test_the_api_document_lists_the_endpoints_of_server_and_edge(world: World):
    server = world.serve()
    for url in (server, world.edge(server)):
        document = world.http.get(url + "/openapi.json").json()
        offered = {"chat/completions", "completions", "embeddings", "responses", "models"}
        assert {f"/v1/{name}" for name in offered} <= set(document["paths"])
        body = document["paths"][CHAT]["post"]["requestBody"]["content"]["application/json"]
        assert "messages" in body["schema"]["required"]
        assert "$ref" not in json.dumps(body)
        for operations in document["paths"].values():
            for operation in operations.values():
                assert {"4XX", "5XX"} <= set(operation["responses"])
                assert "422" not in operation["responses"]
