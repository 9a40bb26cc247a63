"""Fakes of the server's protocols, and real servers on loopback for tests."""

from __future__ import annotations

import json
import threading
import zlib
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray
from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.types import Receive, Scope, Send

from sage_rag.common.exceptions import InputError
from sage_rag.common.web import sse
from sage_rag.indexer.passages import RECORDS, Layer, Passage
from sage_rag.indexer.protocols import Embedder, Vector, Vectors
from sage_rag.indexer.versions import Manifest
from sage_rag.rag_server.answering.protocols import AnswerContext, Compose, Piece
from sage_rag.rag_server.chat_request import SAMPLING


class WordsEmbedder:
    """Embed a text by hashing its words."""

    name = "words"
    dim = 64

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return `(n, 64)` float32, L2-normalised."""
        vectors = np.zeros((len(texts), self.dim), dtype=np.float32)
        for row, text in enumerate(texts):
            for word in text.lower().split():
                vectors[row, zlib.crc32(word.strip(".,?!").encode()) % self.dim] += 1
        lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
        return np.asarray(vectors / np.maximum(lengths, 1e-9), dtype=np.float32)


class MemoryVersion:
    """An index version of a few records in memory, and its one layer.

    `closed`: whether `close` was called.
    """

    def __init__(self, manifest: Manifest, passages: Sequence[Passage], embedder: Embedder) -> None:
        self.manifest = manifest
        self.closed = False
        self.lookup: bytes | None = None
        self._passages = passages
        self._vectors = embedder.embed([p.text for p in passages])

    def __len__(self) -> int:
        return len(self._passages)

    def passage(self, row: int, score: float = 0.0) -> Passage:
        """Return the passage of a row."""
        if self.closed:
            raise ValueError("read after close")
        found = self._passages[row]
        return Passage(found.id, found.source, found.fields, score)

    @property
    def layers(self) -> dict[Layer, MemoryVersion]:
        """This, as the only layer."""
        return {RECORDS: self}

    def search_dense(
        self, vector: NDArray[np.float32], top_k: int, rows: NDArray[np.int64] | None = None
    ) -> list[tuple[int, float]]:
        """Return rows by cosine, best first."""
        return self._best(enumerate(map(float, self._vectors @ vector)), top_k, rows)

    def search_lexical(
        self,
        text: str,
        top_k: int,
        rows: NDArray[np.int64] | None = None,
        groups: Sequence[Sequence[str]] = (),
    ) -> list[tuple[int, float]]:
        """Return rows by the number of words that they share with the text, best first."""
        words = {*text.split(), *(token for group in groups for token in group)}
        shared = (
            (i, float(len(words & set(p.text.split())))) for i, p in enumerate(self._passages)
        )
        return self._best([(row, score) for row, score in shared if score > 0], top_k, rows)

    def rows_with(self, marks: Iterable[str]) -> NDArray[np.int64]:
        """Return the rows whose texts contain one of some words."""
        wanted = set(marks)
        found = [i for i, p in enumerate(self._passages) if wanted & set(p.text.split())]
        return np.asarray(found, dtype=np.int64)

    def holders(self, words: Iterable[str]) -> dict[str, int]:
        """Return the number of texts that contain each word."""
        texts = [set(p.text.split()) for p in self._passages]
        return {word: sum(word in text for text in texts) for word in words}

    def sentence_vectors(self, rows: Iterable[int]) -> dict[int, Vector]:
        """Return nothing, as a version from before these vectors does."""
        return {}

    def _best(
        self, scored: Iterable[tuple[int, float]], top_k: int, rows: NDArray[np.int64] | None
    ) -> list[tuple[int, float]]:
        allowed = set(range(len(self)) if rows is None else rows.tolist())
        kept = (item for item in scored if item[0] in allowed)
        return sorted(kept, key=lambda item: (-item[1], item[0]))[:top_k]

    def close(self) -> None:
        """Record that it was closed."""
        self.closed = True


class MemoryCatalog:
    """Published corpora in memory; `publish` adds a newer version."""

    def __init__(self, embedder: Embedder | None = None) -> None:
        self._embedder = embedder or WordsEmbedder()
        self.versions: dict[str, MemoryVersion] = {}

    def publish(
        self, name: str, texts: Sequence[str], *, embedder: str = "", protection: str = "synthetic"
    ) -> MemoryVersion:
        """Publish texts as the next version of a corpus."""
        before = self.versions.get(name)
        number = int(before.manifest.version) + 1 if before else 1
        passages = [Passage(f"p{i}", f"SOURCE_[s{i}]", {"text": t}) for i, t in enumerate(texts)]
        manifest = Manifest.model_validate(
            {
                "corpus": name,
                "version": f"{number:06d}",
                "created": "2026-01-02T03:04:05+00:00",
                "sage_rag": "0",
                "recipe": "sage",
                "protection": protection,
                "policy": "sage",
                "agents": None,
                "embedder": embedder or self._embedder.name,
                "dim": self._embedder.dim,
                "key_ids": (),
                "counts": {"passages": len(passages)},
                "files": {},
            }
        )
        self.versions[name] = MemoryVersion(manifest, passages, self._embedder)
        return self.versions[name]

    def names(self) -> Sequence[str]:
        """Return the published corpora, sorted."""
        return sorted(self.versions)

    def current(self, name: str) -> str:
        """Return the version's number."""
        if name not in self.versions:
            raise InputError("not published")
        return self.versions[name].manifest.version

    def open(self, name: str) -> MemoryVersion:
        """Return the version."""
        return self.versions[name]


@dataclass
class ScriptedAnswerer:
    """Answer with the given pieces; exceptions among them are raised in order.

    `conversations` records the requests; `cancelled` is set when an answer is stopped early.
    """

    script: Sequence[Piece | Exception | Callable[[], Awaitable[object]]]
    name: str = "scripted"
    honours: frozenset[str] = SAMPLING
    compose: Compose | None = None
    failing_check: Exception | None = None
    conversations: list[AnswerContext] = field(default_factory=list)
    cancelled: threading.Event = field(default_factory=threading.Event)

    async def answer(self, conversation: AnswerContext) -> AsyncGenerator[Piece, None]:
        """Yield the script."""
        self.conversations.append(conversation)
        complete = False
        try:
            for step in self.script:
                if isinstance(step, Exception):
                    raise step
                if isinstance(step, Piece):
                    yield step
                else:
                    await step()
            complete = True
        finally:
            if not complete:
                self.cancelled.set()

    async def check(self) -> None:
        """Raise `failing_check` if it is set."""
        if self.failing_check is not None:
            raise self.failing_check

    async def close(self) -> None:
        """Nothing to release."""


@dataclass(frozen=True)
class RecordedRequest:
    """A received request."""

    path: str
    headers: Mapping[str, str]
    raw: bytes

    @property
    def body(self) -> Any:
        """The JSON body."""
        return json.loads(self.raw)


class ScriptedServer:
    """An ASGI application that records every request and answers with `reply`."""

    def __init__(self, reply: Callable[[RecordedRequest], Response | Awaitable[Response]]) -> None:
        self.reply = reply
        self.seen: list[RecordedRequest] = []

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one connection."""
        if scope["type"] != "http":
            return
        request = Request(scope, receive)
        seen = RecordedRequest(request.url.path, dict(request.headers), await request.body())
        self.seen.append(seen)
        reply = self.reply(seen)
        response = reply if isinstance(reply, Response) else await reply
        await response(scope, receive, send)


class ScriptedModel(ScriptedServer):
    """A chat model's endpoint: it lists models, and records and answers all other requests."""

    def __init__(
        self,
        reply: Callable[[RecordedRequest], Response | Awaitable[Response]],
        listed: Sequence[Mapping[str, Any]] = ({"id": "small"},),
    ) -> None:
        super().__init__(reply)
        self.listed = listed
        self.listings = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one connection."""
        if scope["type"] == "http" and scope["path"] == "/v1/models":
            self.listings += 1
            listing = JSONResponse({"object": "list", "data": list(self.listed)})
            await listing(scope, receive, send)
        else:
            await super().__call__(scope, receive, send)


def completion(text: str, **more: Any) -> JSONResponse:
    """Return a whole chat completion."""
    message = {"role": "assistant", "content": text}
    choice = {"index": 0, "message": message, "finish_reason": "stop"}
    body = {"id": "chatcmpl-1", "object": "chat.completion", "created": 1, "model": "m"}
    return JSONResponse({**body, "choices": [choice], **more})


def chunk(delta: Mapping[str, Any], finish_reason: str | None = None, **more: Any) -> bytes:
    """Return one chunk of a streamed chat completion, as an event."""
    choice = {"index": more.pop("index", 0), "delta": delta, "finish_reason": finish_reason}
    body = {"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1, "model": "m"}
    return sse.encode({**body, "choices": [choice], **more})


def chunks(*texts: str) -> list[bytes]:
    """Return a complete stream of text pieces."""
    middle = [chunk({"content": text}) for text in texts]
    start = chunk({"role": "assistant", "content": ""})
    return [start, *middle, chunk({}, "stop"), sse.Event(sse.DONE).encode()]


def streamed(pieces: Sequence[bytes | Exception]) -> StreamingResponse:
    """Return a streaming response; an exception among the pieces breaks the connection."""

    async def body() -> AsyncGenerator[bytes, None]:
        for piece in pieces:
            if isinstance(piece, Exception):
                raise piece
            yield piece

    return StreamingResponse(body(), media_type=sse.MEDIA_TYPE)
