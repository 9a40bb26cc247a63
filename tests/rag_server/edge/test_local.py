"""An edge with a local index: names are restored as with a server, and nothing leaves."""

import asyncio
import socket

import httpx
import pytest

from sage_rag.common.exceptions import InputError
from sage_rag.privacy.entities import EntityType
from sage_rag.privacy.keyset.files import write_keyset
from sage_rag.privacy.keyset.testing import cheap_scrypt
from sage_rag.privacy.policy import preset
from sage_rag.privacy.testing import TableRecognizer
from sage_rag.rag_server.answering.offline import OfflineAnswerer
from sage_rag.rag_server.corpora import CorpusSearch
from sage_rag.rag_server.edge.app import create_edge_app
from sage_rag.rag_server.edge.keyring import Keyring
from sage_rag.rag_server.edge.local import LocalUpstream
from sage_rag.rag_server.edge.services import EdgeServices
from sage_rag.rag_server.services import Services
from sage_rag.rag_server.settings import EdgeSettings
from sage_rag.rag_server.wiring import build_edge
from tests.rag_server.conftest import TABLE, World, ask
from tests.rag_server.fakes import WordsEmbedder

QUESTION = "What does Maria Keller take?"


@pytest.fixture
def app(world: World):
    person = world.keys().hide_whole("Maria Keller", EntityType.PERSON)
    world.catalog.publish("clinic", [f"{person} takes rest", "coffee keeps you awake"])
    answerer = OfflineAnswerer(lambda context: f"{context.passages[0].text} [1]")
    services = Services(CorpusSearch(world.catalog, WordsEmbedder()), answerer)
    keyring = Keyring(world.keyset, TableRecognizer(TABLE), preset("sage"))
    return create_edge_app(EdgeServices(keyring, LocalUpstream(services)))


def test_the_openai_client_gets_plain_names_whole_and_streamed(world: World, app):
    client = world.openai(world.run(app))
    assert [m.id for m in client.models.list()] == ["clinic"]
    done = client.chat.completions.create(**ask(QUESTION))
    assert done.choices[0].message.content == "Maria Keller takes rest [1]"
    assert done.model_extra["citations"][0]["text"] == "Maria Keller takes rest"
    parts = list(client.chat.completions.create(**ask(QUESTION), stream=True))
    assert "".join(p.choices[0].delta.content or "" for p in parts) == "Maria Keller takes rest [1]"
    assert client.responses.create(model="clinic", input=QUESTION).output_text.startswith("Maria")


def test_no_connection_is_opened(app, monkeypatch):
    def refuse(*_: object) -> None:
        raise AssertionError("a connection was opened")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    monkeypatch.setattr(socket.socket, "connect_ex", refuse)
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")

    async def talk() -> list[int]:
        transport = httpx.ASGITransport(app=app)
        async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1") as client:
            paths = ("/v1/models", "/v1/models/clinic", "/readyz")
            found = [(await client.get(path)).status_code for path in paths]
            for stream in (False, True):
                body = ask(QUESTION, stream=stream)
                answer = await client.post("/v1/chat/completions", json=body)
                assert "Maria Keller" in answer.text
                found.append(answer.status_code)
            return found

    assert asyncio.run(talk()) == [200] * 5


@pytest.mark.parametrize("given", [{}, {"server": "http://x", "local": "."}])
def test_an_edge_has_a_server_or_a_folder(world: World, tmp_path, given):
    with cheap_scrypt():
        write_keyset(tmp_path / "k", world.keyset, "passphrase")
    with pytest.raises(InputError, match="--server or --local"):
        build_edge(EdgeSettings.load({"keyset": tmp_path / "k", **given}))
