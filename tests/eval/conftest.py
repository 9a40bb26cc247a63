"""Invented originals, and a small server that speaks OpenAI's protocol."""

import copy
import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from sage_rag.eval.originals import Originals

TEXTS = {
    "a": (
        "Since Monday my knee hurts on every stair and the swelling from the chronic gout in it "
        "has not gone down at all. Write to gudrun.falk@example.org please."
    ),
    "b": (
        "My daughter coughs at night since we moved into the flat above the bakery and I wonder "
        "if the flour dust gives her Asthma. Call (415) 555-0142 after six."
    ),
    "c": "The tablets made me dizzy so I stopped. See www.example.net/dizzy for what I read.",
}


ANSWER = "An answer [1]."


def completion(**extra):
    message = {"role": "assistant", "content": ANSWER, **extra.pop("message", {})}
    return {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 1,
        "model": "clinic",
        "choices": [{"index": 0, "message": message, "finish_reason": "stop"}],
        **extra,
    }


REPLIES = {
    "plain": (200, completion()),
    "cited": (200, completion(citations=[{"id": "1", "text": "passage one"}, "passage two"])),
    "in message": (200, completion(message={"citations": [{"content": "passage three"}]})),
    "odd citations": (200, completion(citations={"a": 1})),
    "broken": (500, {"error": {"message": "private detail", "type": "server_error"}}),
    "forbidden": (401, {"error": {"message": "bad key", "type": "auth"}}),
    "silent": (200, completion(message={"content": None})),
    "error as success": (200, {"error": {"message": "overloaded"}}),
    "no json": (200, None),
}


class Endpoint(BaseHTTPRequestHandler):
    """Speak OpenAI's protocol; the prompt says what to send."""

    def do_GET(self):
        models = [{"id": name, "object": "model"} for name in self.server.models]
        self._send(200, {"object": "list", "data": models})

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.seen.append((self.path, body, self.headers["Authorization"]))
        self._send(*self.server.replies[body["messages"][-1]["content"]])

    def _send(self, status, body):
        content = b"<html>" if body is None else json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json" if body else "text/html")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *args):
        pass


@pytest.fixture
def server():
    server = ThreadingHTTPServer(("127.0.0.1", 0), Endpoint)
    server.models, server.seen, server.replies = ["clinic"], [], copy.deepcopy(REPLIES)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    yield server
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.fixture
def texts() -> dict[str, str]:
    return dict(TEXTS)


@pytest.fixture
def originals() -> Originals:
    return Originals.of(TEXTS.items())


@pytest.fixture
def replies(server) -> dict[str, dict]:
    """The bodies that the server answers with, by prompt; to be changed by a test."""
    return {prompt: body for prompt, (_, body) in server.replies.items()}
