import json
import logging
import socket
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field

import httpx
import pytest
from openai import OpenAI

from sage_rag.common.web.testing import running
from sage_rag.privacy.entities import EntityType
from sage_rag.privacy.keyset.keyset import Keyset
from sage_rag.privacy.policy import preset
from sage_rag.privacy.testing import TableRecognizer
from sage_rag.rag_server.answering.protocols import Answerer, Piece
from sage_rag.rag_server.app import create_app
from sage_rag.rag_server.corpora import CorpusSearch
from sage_rag.rag_server.edge.app import create_edge_app
from sage_rag.rag_server.edge.keyring import CorpusKeys, Keyring
from sage_rag.rag_server.edge.memory_file import MemoryFile
from sage_rag.rag_server.edge.services import EdgeServices
from sage_rag.rag_server.edge.shown_values import ShownValues
from sage_rag.rag_server.edge.upstream import server_at
from sage_rag.rag_server.services import Services
from tests.rag_server.fakes import MemoryCatalog, ScriptedAnswerer, WordsEmbedder

TABLE = {
    "Maria Keller": EntityType.PERSON,
    "Zoë Ødegård": EntityType.PERSON,
    "Lindau": EntityType.LOCATION,
    "4915112345678": EntityType.PHONE_NUMBER,
    'Jo "Ace" Q\\ay': EntityType.PERSON,
}

ANSWER = [Piece("Take rest "), Piece("[1]."), Piece("", "stop")]


@dataclass
class World:
    """Servers, edges and their parts, all stopped at the end of a test."""

    stack: ExitStack
    catalog: MemoryCatalog = field(default_factory=MemoryCatalog)
    keyset: Keyset = field(default_factory=Keyset.generate)
    apps: list = field(default_factory=list)
    http: httpx.Client = field(init=False)

    def __post_init__(self) -> None:
        self.http = self.stack.enter_context(httpx.Client())

    def serve(self, answerer: Answerer | None = None, *, embedder=None, **settings) -> str:
        services = Services(
            CorpusSearch(self.catalog, embedder or WordsEmbedder()),
            answerer or ScriptedAnswerer(ANSWER),
            **settings,
        )
        return self.run(create_app(services))

    def edge(
        self,
        server: str,
        recognizer=None,
        *,
        api_key=None,
        timeout_s=120.0,
        memory=None,
        **settings,
    ) -> str:
        shown = ShownValues(MemoryFile(memory, self.keyset)) if memory else None
        keyring = Keyring(self.keyset, recognizer or TableRecognizer(TABLE), preset("sage"), shown)
        upstream = server_at(server, api_key=api_key, timeout_s=timeout_s)
        return self.run(create_edge_app(EdgeServices(keyring, upstream, **settings)))

    def run(self, app) -> str:
        self.apps.append(app)
        return self.stack.enter_context(running(app))

    def keys(self, corpus: str = "clinic") -> CorpusKeys:
        return Keyring(self.keyset, TableRecognizer(TABLE), preset("sage")).for_model(corpus)

    def openai(self, url: str, **options) -> OpenAI:
        client = OpenAI(base_url=f"{url}/v1", api_key="sk-own", max_retries=0, **options)
        return self.stack.enter_context(client)


@pytest.fixture(autouse=True)
def _loggers_as_they_were() -> Iterator[None]:
    """Undo what a verb that runs in this process sets: it logs to stderr alone."""
    loggers = [logging.getLogger(name) for name in ("sage_rag", "uvicorn.error", "asyncio")]
    before = [(of.handlers, of.propagate, of.level) for of in loggers]
    yield
    for of, (handlers, propagate, level) in zip(loggers, before, strict=True):
        of.handlers, of.propagate = handlers, propagate
        of.setLevel(level)


@pytest.fixture
def world() -> Iterator[World]:
    with ExitStack() as stack:
        made = World(stack)
        made.catalog.publish("clinic", ["rest helps against a cold", "coffee keeps you awake"])
        yield made


def asking(url: str, body: object) -> socket.socket:
    """Return a connection on which a request has been sent; to close it is to hang up."""
    place, content = httpx.URL(url), json.dumps(body).encode()
    client = socket.create_connection((place.host, place.port), timeout=30)
    head = f"Host: {place.host}\r\nContent-Length: {len(content)}\r\n\r\n"
    client.sendall(f"POST /v1/chat/completions HTTP/1.1\r\n{head}".encode() + content)
    return client


def ask(question: str = "what helps against a cold?", **more) -> dict:
    return {"model": "clinic", "messages": [{"role": "user", "content": question}], **more}
