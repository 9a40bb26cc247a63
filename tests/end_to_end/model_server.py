"""An OpenAI-compatible server that plays the agents' roles by reversing words."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Answer = Callable[[str, str], str]


def reversed_record(text: str) -> dict[str, str]:
    record = json.loads(text)
    return {name: " ".join(reversed(str(value).split())) for name, value in record.items()}


def play(system: str, user: str) -> str:
    """Answer as the role that the system prompt gives."""
    if "sample records" in system:
        names = ("question", "answer")
        answer: Any = {"attributes": [{"name": n, "field": n, "description": n} for n in names]}
    elif "condense one record" in system:
        answer = {"information": {n: [t] for n, t in reversed_record(user).items()}}
    elif "write one new" in system:
        answer = {name: " ".join(phrases) for name, phrases in json.loads(user).items()}
    elif "privacy reviewer" in system:
        answer = {"safe": True, "suggestions": []}
    else:
        record = json.loads(user.split("\n\nFindings:")[0])
        answer = {name: text.rpartition(" ")[0] for name, text in record.items()}
    return json.dumps(answer)


class ModelServer:
    """What was asked, and how to answer: a status other than 200 is sent as an error."""

    def __init__(self, answer: Answer) -> None:
        self.answer = answer
        self.statuses: list[int] = []
        self.asked: list[str] = []


@contextmanager
def model_server(answer: Answer = play) -> Iterator[tuple[str, ModelServer]]:
    state = ModelServer(answer)

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["content-length"])))
            system, user = body["messages"][0]["content"], body["messages"][1]["content"]
            state.asked.append(json.dumps(body["messages"]))
            status = state.statuses.pop(0) if state.statuses else 200
            content = state.answer(system, user) if status == 200 else ""
            message = {"role": "assistant", "content": content}
            payload = {
                "id": "x", "object": "chat.completion", "created": 1, "model": "tiny",
                "choices": [{"index": 0, "message": message, "finish_reason": "stop"}],
            }  # fmt: skip
            data = json.dumps(payload).encode()
            self.send_response(status)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, *_: object) -> None:
            return

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}/v1", state
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
