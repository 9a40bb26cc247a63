import httpx
import pytest
from pydantic import SecretStr

from sage_rag.common.exceptions import UpstreamError
from sage_rag.rag_server.access.gate import Gate
from sage_rag.rag_server.access.keys import KeyFile, Scope, add_key, make_key
from sage_rag.rag_server.observability.audit import AuditLog
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


def test_without_a_writable_audit_log_neither_server_nor_edge_is_ready(world: World, tmp_path):
    file = tmp_path / "audit.jsonl"
    audit = AuditLog(file)
    server, edge = world.serve(audit=audit), world.edge(world.serve(), audit=audit)
    assert httpx.get(server + "/readyz").status_code == 200
    file.unlink()
    file.mkdir()
    audit.write({"request": 1})
    for url in (server, edge):
        response = httpx.get(url + "/readyz")
        assert response.status_code == 503
        assert response.json()["reasons"] == ["the audit log cannot be written"]


def test_an_edge_whose_key_the_server_refuses_is_not_ready(world: World, tmp_path):
    _, stored = make_key("edge", frozenset({Scope.CHAT}))
    add_key(tmp_path / "tokens.json", stored)
    url = world.serve(gate=Gate(KeyFile(tmp_path / "tokens.json")))
    response = httpx.get(world.edge(url, api_key=SecretStr("sk-other")) + "/readyz")
    assert response.status_code == 503
    assert "API key" in response.json()["reasons"][0]
