"""What a server may answer that is JSON and no completion: its failure, not the edge's."""

import json

import httpx
import pytest
from starlette.responses import JSONResponse

from tests.rag_server.conftest import World
from tests.rag_server.fakes import ScriptedServer, streamed

STRANGE = [[], "x", 3, {"choices": 3}, {"choices": [3]}, {"choices": [{}]}]
WHOLE = [
    *({}, {"choices": []}, {"choices": [{"message": 3}]}),
    {"choices": [{"message": {"content": 3}}]},
    {"choices": [{"message": {"content": "x"}, "finish_reason": []}]},
]
CHUNKS = [
    *({"error": "away"}, {"choices": [{"delta": 3}]}, {"choices": [{"delta": {"content": []}}]}),
]
FORMS = {
    "/v1/responses": {"model": "clinic", "input": "a cold?"},
    "/v1/completions": {"model": "clinic", "prompt": "a cold?"},
}


@pytest.mark.parametrize("path", FORMS)
@pytest.mark.parametrize("body", [*STRANGE, *WHOLE], ids=json.dumps)
def test_an_answer_that_is_no_completion_is_no_internal_error(world: World, path, body):
    url = world.edge(world.run(ScriptedServer(lambda _: JSONResponse(body))))
    response = httpx.post(url + path, json=FORMS[path])
    assert (response.status_code, response.json()["error"]["code"]) == (502, "upstream_error")


@pytest.mark.parametrize("path", FORMS)
@pytest.mark.parametrize("body", [*STRANGE, *CHUNKS], ids=json.dumps)
def test_an_event_that_is_no_chunk_ends_a_stream_with_an_error(world: World, path, body):
    event = f"data: {json.dumps(body)}\n\n".encode()
    url = world.edge(world.run(ScriptedServer(lambda _: streamed([event, b"data: [DONE]\n\n"]))))
    response = httpx.post(url + path, json={**FORMS[path], "stream": True})
    assert "upstream_error" in response.text.strip().split("\n\n")[-1]
    assert "[DONE]" not in response.text


def test_token_counts_that_are_missing_are_no_failure(world: World):
    choice = {"message": {"content": "x"}, "finish_reason": "stop"}
    reply = JSONResponse({"choices": [choice], "usage": {}})
    url = world.edge(world.run(ScriptedServer(lambda _: reply)))
    response = httpx.post(url + "/v1/responses", json=FORMS["/v1/responses"])
    assert response.json()["usage"]["total_tokens"] == 0
