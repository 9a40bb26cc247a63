"""The attack without a login: long questions, and clients that hang up and leave their work."""

import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack

import pytest

from sage_rag.common.deadlines import checkpoint
from sage_rag.common.web.pool import WorkPool
from sage_rag.privacy.entities import EntityType
from sage_rag.privacy.testing import TableRecognizer
from sage_rag.rag_server.answering.offline import OfflineAnswerer
from sage_rag.rag_server.answering.parts import parts_of
from sage_rag.rag_server.limits import RequestLimits
from tests.rag_server.conftest import TABLE, World, ask, asking
from tests.rag_server.fakes import WordsEmbedder

CHAT = "/v1/chat/completions"
LONG = "why does it hurt " * 6000


class SlowEmbedder(WordsEmbedder):
    """Takes `seconds` for a text, in steps that a deadline can end, as windows of a long text do."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self.started = threading.Semaphore(0)
        self.ended = threading.Semaphore(0)

    def embed(self, texts):
        self.started.release()
        try:
            for _ in range(int(self.seconds / 0.01)):
                checkpoint()
                time.sleep(0.01)
            return super().embed(texts)
        finally:
            self.ended.release()


class CountingRecognizer(TableRecognizer):
    """Keeps the texts that it was given."""

    def __init__(self, table):
        super().__init__(table)
        self.texts: list[str] = []

    def recognize(self, text):
        self.texts.append(text)
        return super().recognize(text)


@pytest.mark.parametrize("stream", [False, True])
def test_a_question_of_100_000_characters_is_refused_before_it_is_read_and_the_limit_is_said(
    world: World, stream
):
    embedder, recognizer = SlowEmbedder(0), CountingRecognizer(TABLE)
    server = world.serve(embedder=embedder)
    for url in (server, world.edge(server, recognizer)):
        response = world.http.post(url + CHAT, json=ask(LONG, stream=stream))
        assert not recognizer.texts
        assert not embedder.started.acquire(blocking=False)
        assert response.status_code == 400
        error = response.json()["error"]
        assert error["code"] == "question_too_long"
        assert "8,000 characters" in error["message"]


def test_a_limit_counts_parts_history_and_tokens(world: World):
    url = world.serve(limits=RequestLimits(question_chars=100, conversation_chars=300))
    token = "PERSON_[" + "A" * 200 + "]"
    asked = [
        (ask("x" * 100), 200),
        (ask("x" * 101), 400),
        (ask(f"{token} " * 50), 200),
        (ask(f"{token} " * 51), 400),
        (ask(parts("x" * 100)), 200),
        (ask(parts("x" * 49, "x" * 50)), 200),
        (ask(parts("x" * 50, "x" * 50)), 400),
        (ask(tools=[{"type": "function", "function": {"name": "x" * 301}}]), 400),
    ]
    found = [(world.http.post(url + CHAT, json=body).status_code, code) for body, code in asked]
    assert [status for status, _ in found] == [code for _, code in found]


def parts(*texts: str) -> list[dict[str, str]]:
    return [{"type": "text", "text": text} for text in texts]


def test_a_request_within_the_limits_of_the_edge_is_within_those_of_the_server(world: World):
    limits = RequestLimits(question_chars=100, conversation_chars=112)
    server = world.serve(limits=limits)
    edge = world.edge(server, TableRecognizer({"Bo": EntityType.PERSON}), limits=limits)
    asked = {"model": "clinic", "messages": [{"role": "user", "content": "Bo " * 33}]}
    assert world.http.post(edge + CHAT, json=asked).status_code == 200
    texts = {"model": "clinic", "input": ["Bo " * 37]}
    assert world.http.post(f"{edge}/v1/embeddings", json=texts).status_code == 200
    server = world.serve()
    edge = world.edge(server, TableRecognizer({"Bo": EntityType.PERSON}))
    texts["input"] = "Bo " * 4_000
    assert world.http.post(f"{edge}/v1/embeddings", json=texts).status_code == 200
    texts["input"] = "x" * 200_001
    for url in (server, edge):
        assert world.http.post(f"{url}/v1/embeddings", json=texts).status_code == 400


def test_six_clients_that_hang_up_leave_no_work_and_others_are_answered(world: World):
    embedder = SlowEmbedder(30)
    url = world.serve(embedder=embedder, searches=WorkPool(2, waiting=8))

    with ExitStack() as clients:
        for _ in range(6):
            clients.enter_context(asking(url, ask("x" * 8000)))
        for _ in range(2):
            assert embedder.started.acquire(timeout=30)
        assert world.http.get(url + "/v1/models").status_code == 200
        assert not embedder.ended.acquire(blocking=False)  # both searches still run
    for _ in range(2):
        assert embedder.ended.acquire(timeout=30)
    embedder.seconds = 0
    assert world.http.post(url + CHAT, json=ask()).status_code == 200


def test_a_full_queue_is_refused_with_a_time_to_come_back(world: World):
    url = world.serve(embedder=(slow := SlowEmbedder(30)), searches=WorkPool(1, waiting=0))
    with ThreadPoolExecutor(1) as clients:
        first = clients.submit(world.http.post, url + CHAT, json=ask())
        assert slow.started.acquire(timeout=5)
        response = world.http.post(url + CHAT, json=ask())
        assert response.status_code == 503
        assert response.json()["error"]["code"] == "overloaded"
        assert int(response.headers["retry-after"]) >= 1
        slow.seconds = 0
        world.stack.close()
        first.exception()


def test_a_search_ends_at_its_deadline(world: World):
    slow = SlowEmbedder(30)
    url = world.serve(embedder=slow, searches=WorkPool(1, deadline_s=0.2))
    response = world.http.post(url + CHAT, json=ask())
    assert (response.status_code, response.json()["error"]["code"]) == (503, "overloaded")
    assert slow.ended.acquire(timeout=5)


def test_a_body_that_does_not_arrive_is_refused_in_time(world: World):
    url = world.serve(limits=RequestLimits(body_s=0.2))

    def slowly():
        yield b"{"
        time.sleep(1)
        yield b"}"

    response = world.http.post(url + CHAT, content=slowly())
    assert response.status_code == 408
    assert response.json()["error"]["code"] == "request_timeout"


def test_an_answer_that_no_one_waits_for_ends_too(world: World):
    slow = SlowEmbedder(30)
    pool = WorkPool(1, waiting=8)
    answerer = OfflineAnswerer(lambda context: str(slow.embed([context.question])))
    url = world.serve(answerer, searches=pool)
    with asking(url, ask()):
        assert slow.started.acquire(timeout=30)
    assert slow.ended.acquire(timeout=30)


def test_a_question_of_many_parts_is_one_question():
    assert len(parts_of("why does it hurt? " * 8)) == 8
    assert parts_of("why does it hurt? " * 9) == []
