"""What a client gets from a guarded server, whole: no field of a response repeats a document."""

import json
from collections.abc import Iterator

import httpx
import pytest

from sage_rag.rag_server.answering.protocols import Piece
from sage_rag.rag_server.guards.quotation import MOST_WORDS, GuardedAnswerer
from tests.rag_server.conftest import World, ask
from tests.rag_server.fakes import ScriptedAnswerer

PATHS = ["/v1/chat/completions", "/v1/completions", "/v1/responses"]
TEXT = " ".join(f"word{n}" for n in range(305))
OTHER = " ".join(f"further{n}" for n in range(305))


def strings(value: object) -> Iterator[str]:
    """Yield every text in a JSON value."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for item in value.values():
            yield from strings(item)
    elif isinstance(value, list):
        for item in value:
            yield from strings(item)


def responses(world: World, path: str, answer: str, **more) -> list[str]:
    """Return the texts of a whole response, and those of a stream with its pieces joined."""
    pieces = [Piece(f"{word} ") for word in answer.split()]
    guarded = GuardedAnswerer(ScriptedAnswerer([*pieces, Piece("", "stop")]))
    url = world.serve(guarded, quoted_words=MOST_WORDS) + path
    body = {**ask("word7 further7", **more), "prompt": "word7 further7", "input": "word7 further7"}
    fields = {"chat/completions": "messages", "completions": "prompt", "responses": "input"}
    used = fields[path.removeprefix("/v1/")]
    body = {k: v for k, v in body.items() if k == used or k not in fields.values()}
    whole, stream = httpx.post(url, json=body), httpx.post(url, json={**body, "stream": True})
    assert (whole.status_code, stream.status_code) == (200, 200), whole.text
    data = [line[6:] for line in stream.text.splitlines() if line.startswith("data: {")]
    events = [text for line in data for text in strings(json.loads(line))]
    return [*strings(whole.json()), *events, "".join(events)]


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("answer", [f"[1] [2] {TEXT} {OTHER}", "See [1] and [2]."])
def test_no_field_of_a_response_holds_more_of_a_passage_than_an_answer_may_repeat(
    world: World, path: str, answer: str
):
    world.catalog.publish("clinic", [TEXT, OTHER])
    texts = responses(world, path, answer)
    assert any(f"word{MOST_WORDS - 1} …" in text for text in texts)
    for text in texts:
        assert f"word{MOST_WORDS} " not in text
        assert f"further{MOST_WORDS} " not in text


def test_a_short_passage_is_cited_whole(world: World):
    world.catalog.publish("clinic", ["word7 helps", "further7 too"])
    texts = responses(world, PATHS[0], "See [1] and [2].", sources="markdown")
    assert texts.count("word7 helps") >= 2


def test_a_server_without_a_guard_cites_passages_whole(world: World):
    world.catalog.publish("clinic", [TEXT])
    url = world.serve(ScriptedAnswerer([Piece("See [1].", "stop")])) + PATHS[0]
    assert httpx.post(url, json=ask("word7")).json()["citations"][0]["text"] == TEXT
