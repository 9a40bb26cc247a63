"""A scripted model behind the OpenAI chat completions API; competent, or wrong on demand.

    python -m sage_rag.agents.testing.server --port 0 --behaviour refuses --rate 0.3 --role extract

| behaviour | what it does |
| --- | --- |
| `behaves` | answers every role as a competent model would |
| `refuses` | says in a sentence that it will not |
| `rambles` | puts prose, with braces in it, around the JSON |
| `truncates` | stops in the middle of the JSON; `finish_reason` is `length` |
| `breaks-json` | forgets colons and mixes quotes |
| `wrong-fields` | gives every field another name |
| `empty` | answers with an empty text |
| `never-safe` | reviews every draft as unsafe |
| `copies` | hands on the original word for word, and reviews it as safe |
| `puts-name` | writes an invented name beside each placeholder |
| `loses-placeholder` | writes "somebody" in place of each placeholder |
| `invents-placeholder` | adds a placeholder that the record has not |
| `storms` | 429 with `Retry-After` |
| `denies` | 401 |
| `fails` | 500 |
| `drips` | sends the answer byte by byte |
| `drops` | closes the connection half-way through the answer |
| `latin-1` | sends accented letters in latin-1, as if they were UTF-8 |
| `broken-utf8` | sends bytes that no encoding explains |
| `bom` | puts a byte order mark before the JSON |
| `gzip-garbage` | announces gzip and sends something else |
| `html-page` | sends a proxy's error page with status 200 |
| `no-choices` | sends an answer without a choice |
| `old-server` | 400 to requests with a `response_format` |
| `endless` | sends an answer that never ends |

`--rate` makes that share of the calls go wrong, evenly spread and always the same ones by number;
`--role` only those of some roles, `--about` those whose message holds a word; `--latency-ms` makes
every answer wait. Any key is accepted. The answer to a prompt depends on nothing else than the
prompt, `seed` and `response_format`.
"""

from __future__ import annotations

import asyncio
import gc
import hashlib
import json
import re
import socket
import threading
import time
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager
from typing import Annotated, Any

import typer
import uvicorn
from fastapi import FastAPI, Request
from fastapi.responses import JSONResponse, Response

from sage_rag.agents.testing.behaviours import (
    BEHAVES,
    BEHAVIOURS,
    OLD_SERVER,
    SAYING,
    SENDING,
    Call,
    Said,
)
from sage_rag.agents.testing.role_play import play, role_of
from sage_rag.agents.testing.shapes import fitted

Answer = Callable[[str, str], str]
"""The answer to a system prompt and a user's message."""
_START_S = 10.0


class ModelServer:
    """How to answer, and what was asked. All of it may be changed between calls.

    Calls go wrong in these `roles` only, or in any; and only those that speak `about` this word.
    `answer` speaks in place of the competent model where it is given; the next calls get the
    `statuses` that are listed, each as an error unless it is 200.
    """

    def __init__(
        self,
        behaviour: str = BEHAVES,
        *,
        rate: float = 1.0,
        roles: Collection[str] = (),
        about: str = "",
        latency_s: float = 0.0,
        answer: Answer | None = None,
    ) -> None:
        if behaviour not in BEHAVIOURS:
            raise ValueError(f"no behaviour is called {behaviour}; one of: {', '.join(BEHAVIOURS)}")
        self.behaviour = behaviour
        self.rate = rate
        self.roles = roles
        self.about = about
        self.latency_s = latency_s
        self.answer = answer
        self.statuses: list[int] = []
        self.bodies: list[dict[str, Any]] = []
        """Every request's body, in the order of arrival."""
        self._turns = 0

    @property
    def asked(self) -> list[str]:
        """The messages of every call, as JSON."""
        return [json.dumps(body["messages"], ensure_ascii=False) for body in self.bodies]

    @property
    def asked_roles(self) -> list[str]:
        """The role of every call."""
        return [role_of(body["messages"][0]["content"]) for body in self.bodies]

    async def respond(self, body: dict[str, Any]) -> Response:
        """Return the response to one call, `latency_s` after it came: this work is part of that."""
        came = time.monotonic()
        self.bodies.append(body)
        response = self._response(body)
        await asyncio.sleep(max(0.0, came + self.latency_s - time.monotonic()))
        return response

    def _response(self, body: Mapping[str, Any]) -> Response:
        status = self.statuses.pop(0) if self.statuses else 200
        if status != 200:
            return JSONResponse({"error": {"message": "as asked for"}}, status)
        system, user = (message["content"] for message in body["messages"][:2])
        behaviour = self._behaviour_towards(role_of(system), user)
        payload = _completion(body, self._said(behaviour, system, user, body))
        sent = json.dumps(payload, ensure_ascii=False).encode()
        if behaviour == OLD_SERVER and "response_format" in body:
            return JSONResponse({"error": {"message": "unknown field: response_format"}}, 400)
        if behaviour in SENDING:
            return SENDING[behaviour](sent)
        return Response(sent, media_type="application/json")

    def _behaviour_towards(self, role: str, user: str) -> str:
        if (self.roles and role not in self.roles) or self.about not in user:
            return BEHAVES
        self._turns += 1
        due = int(self._turns * self.rate) > int((self._turns - 1) * self.rate)
        return self.behaviour if due else BEHAVES

    def _said(self, behaviour: str, system: str, user: str, body: Mapping[str, Any]) -> Said:
        if self.answer is not None:
            return Said(self.answer(system, user))
        wanted = body.get("response_format") or {}
        schema = wanted.get("json_schema", {}).get("schema", {})
        seed = body.get("seed") or 0
        call = Call(role_of(system), user, fitted(play(system, user, seed), schema))
        return SAYING[behaviour](call) if behaviour in SAYING else Said(call.text)


def application(state: ModelServer) -> FastAPI:
    """Return the API over a state."""
    app = FastAPI()

    @app.post("/v1/chat/completions")
    async def complete(request: Request) -> Response:
        return await state.respond(await request.json())

    @app.get("/v1/models")
    async def models() -> dict[str, Any]:
        model = {"id": "scripted", "object": "model", "created": 0, "owned_by": "tests"}
        return {"object": "list", "data": [model]}

    return app


@contextmanager
def model_server(behaviour: str = BEHAVES, **options: Any) -> Iterator[tuple[str, ModelServer]]:
    """Serve in a thread; yield the base URL, ending in `/v1`, and the state.

    Options are those of `ModelServer`.
    """
    state = ModelServer(behaviour, **options)
    with _listening(0) as listener:
        server = _server(state)
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
        thread.start()
        try:
            if not server.ready.wait(_START_S):
                raise RuntimeError("the scripted model server did not start")
            yield _url(listener), state
        finally:
            server.should_exit = True
            thread.join()


class _Server(uvicorn.Server):
    def __init__(self, config: uvicorn.Config) -> None:
        super().__init__(config)
        self.ready = threading.Event()

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        self.ready.set()

    async def main_loop(self) -> None:
        """Look for the end more often than uvicorn does, since tests start many servers."""
        while not await self.on_tick(0):
            await asyncio.sleep(0.01)
        self.force_exit = True  # an endless answer never closes its connection by itself


def _server(state: ModelServer) -> _Server:
    config = uvicorn.Config(
        application(state),
        log_config=None,
        log_level="critical",  # a dropped connection is an exception, and one on purpose
        access_log=False,
        ws="none",
        lifespan="off",
        timeout_graceful_shutdown=1,
    )
    return _Server(config)


def _listening(port: int) -> socket.socket:
    # Asyncio switches Nagle's algorithm off only where the protocol is named.
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    listener.bind(("127.0.0.1", port))
    listener.listen(2048)
    return listener


def _url(listener: socket.socket) -> str:
    return f"http://127.0.0.1:{listener.getsockname()[1]}/v1"


def _completion(body: Mapping[str, Any], said: Said) -> dict[str, Any]:
    asked = " ".join(str(message["content"]) for message in body["messages"])
    prompt, completion = _tokens(asked), _tokens(said.text)
    digest = hashlib.sha256(f"{body.get('seed')}{asked}".encode("utf-8", "replace")).hexdigest()
    return {
        "id": f"chatcmpl-{digest[:12]}",
        "object": "chat.completion",
        "created": 0,
        "model": body.get("model", "scripted"),
        "choices": [
            {
                "index": 0,
                "message": {"role": "assistant", "content": said.text},
                "finish_reason": said.finish_reason,
            }
        ],
        "usage": {
            "prompt_tokens": prompt,
            "completion_tokens": completion,
            "total_tokens": prompt + completion,
        },
    }


def _tokens(text: str) -> int:
    return len(re.findall(r"\w+|[^\w\s]", text))


def main(
    port: Annotated[int, typer.Option(help="0 takes a free one.")] = 0,
    behaviour: Annotated[str, typer.Option(help=f"One of {', '.join(BEHAVIOURS)}.")] = BEHAVES,
    rate: Annotated[float, typer.Option(min=0, max=1, help="Share of calls gone wrong.")] = 1.0,
    role: Annotated[list[str] | None, typer.Option(help="Go wrong in this role only.")] = None,
    about: Annotated[str, typer.Option(help="Go wrong where the prompt holds this.")] = "",
    latency_ms: Annotated[int, typer.Option(min=0, help="Wait before every answer.")] = 0,
) -> None:
    """Serve until interrupted; the address is the first line on standard output."""
    if behaviour not in BEHAVIOURS:
        raise typer.BadParameter(f"one of {', '.join(BEHAVIOURS)}", param_hint="--behaviour")
    state = ModelServer(
        behaviour, rate=rate, roles=role or (), about=about, latency_s=latency_ms / 1000
    )
    gc.freeze()  # or each collection walks through all that was imported, and answers wait
    with _listening(port) as listener:
        typer.echo(_url(listener))
        _server(state).run(sockets=[listener])


if __name__ == "__main__":
    typer.run(main)
