"""An OpenAI-compatible endpoint with scripted answers, and a clock that a test moves."""

from __future__ import annotations

import asyncio
import json
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from sage_rag.agents.chat.protocols import ChatMessage

ASK = [ChatMessage("system", "You condense one record."), ChatMessage("user", '{"question": "…"}')]


@dataclass
class Answer:
    """An answer to send, after `delay_s`, with `drip_s` between its bytes; `drop` cuts it in half.

    `raw` is sent instead of any HTTP.
    """

    status: int = 200
    body: bytes = b""
    headers: dict[str, str] = field(default_factory=dict)
    delay_s: float = 0.0
    drip_s: float = 0.0
    drop: bool = False
    raw: bytes = b""


def said(content: str | None = "fine", finish: str = "stop", **more: Any) -> Answer:
    """Return a completion of 100 prompt and 20 answer tokens."""
    message = {"role": "assistant", "content": content, **more.pop("message", {})}
    payload: dict[str, Any] = {
        "id": "x",
        "object": "chat.completion",
        "created": 1,
        "model": "tiny",
        "choices": [{"index": 0, "message": message, "finish_reason": finish}],
        "usage": {"prompt_tokens": 100, "completion_tokens": 20, "total_tokens": 120},
    }
    payload.update(more)
    return Answer(body=json.dumps(payload).encode())


def refused(status: int, **headers: str) -> Answer:
    """Return an error that quotes what it was asked, as servers do."""
    error = {"error": {"message": "cannot do: [PERSON_1] has a cough", "type": "x"}}
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return Answer(status, json.dumps(error).encode(), named)


class Endpoint:
    """The requests so far, and how many there were at once."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.asked: list[dict[str, Any]] = []
        self.keys: list[str] = []
        self.headers: list[dict[str, str]] = []
        self.at_once = 0
        self.most_at_once = 0


@contextmanager
def endpoint(script: Callable[[dict[str, Any], int], Answer]) -> Iterator[Endpoint]:
    """Serve; `script` gets the request and its number from 0."""
    lock = threading.Lock()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["content-length"])))
            with lock:
                number = len(state.asked)
                state.asked.append(body)
                state.keys.append(self.headers["authorization"])
                state.headers.append({k.casefold(): v for k, v in self.headers.items()})
                state.at_once += 1
                state.most_at_once = max(state.most_at_once, state.at_once)
            answer = script(body, number)
            time.sleep(answer.delay_s)
            with lock:
                state.at_once -= 1
            try:
                self.reply(answer)
            except OSError:
                self.close_connection = True

        def reply(self, answer: Answer) -> None:
            if answer.raw or (answer.drop and not answer.body):
                self.wfile.write(answer.raw)
                self.close_connection = True
                return
            self.send_response(answer.status)
            headers = {"content-type": "application/json", **answer.headers}
            for name, value in headers.items():
                self.send_header(name, value)
            self.send_header("content-length", str(len(answer.body)))
            self.end_headers()
            if answer.drop:
                self.wfile.write(answer.body[: len(answer.body) // 2])
                self.close_connection = True
            elif answer.drip_s:
                for byte in answer.body:
                    self.wfile.write(bytes([byte]))
                    time.sleep(answer.drip_s)
            else:
                self.wfile.write(answer.body)

        def log_message(self, *_: object) -> None:
            return

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    state = Endpoint(f"http://127.0.0.1:{server.server_address[1]}/v1")
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield state
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


class FakeClock:
    """A clock that only sleeping moves."""

    def __init__(self) -> None:
        self.now = 1_000.0
        self.slept: list[float] = []

    def __call__(self) -> float:
        return self.now

    async def sleep(self, seconds: float) -> None:
        """Return at once, at the later time; tasks about to sleep start at the same moment."""
        self.slept.append(seconds)
        until = self.now + seconds
        for _ in range(5):
            await asyncio.sleep(0)
        self.now = max(self.now, until)
