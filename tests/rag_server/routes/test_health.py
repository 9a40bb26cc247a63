import httpx
import pytest

from sage_rag.common.exceptions import UpstreamError
from tests.rag_server.conftest import World
from tests.rag_server.fakes import ScriptedAnswerer


def test_a_server_with_a_corpus_is_ready(world: World):
    response = httpx.get(world.serve() + "/readyz")
    assert response.status_code == 200
    assert response.json()["corpora"] == {
        "clinic": {"version": "000001", "protection": "synthetic"}
    }


def test_a_server_without_a_corpus_is_alive_and_not_ready(world: World):
    world.catalog.versions.clear()
    url = world.serve()
    assert httpx.get(url + "/healthz").status_code == 200
    response = httpx.get(url + "/readyz")
    assert response.status_code == 503
    assert response.json()["reasons"] == ["no corpus can be searched"]


@pytest.mark.parametrize(
    ("failure", "reason"),
    [
        (UpstreamError("the chat model is away"), "the chat model is away"),
        (RuntimeError("canary"), "the service failed to process the request"),
    ],
)
def test_a_server_that_cannot_answer_is_not_ready(world: World, failure, reason):
    response = httpx.get(world.serve(ScriptedAnswerer([], failing_check=failure)) + "/readyz")
    assert response.status_code == 503
    assert response.json()["reasons"] == [reason]


def test_one_corpus_that_opens_is_enough(world: World):
    world.catalog.publish("foreign", ["a"], embedder="other")
    response = httpx.get(world.serve() + "/readyz")
    assert response.status_code == 200
    assert "foreign" in response.json()["reasons"][0]
