"""A scripted model behind the OpenAI chat completions API, with faults on demand.

    python -m sage_rag.agents.testing.server --port 0 --latency-ms 200

It prints its address, ending in `/v1`. Any key is accepted. The same prompt gets the same answer.
"""

from __future__ import annotations

import asyncio
import gc
import json
import time
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager
from typing import Annotated, Any

import typer
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from sage_rag.agents.testing.faults import FAULTS, NO_SCHEMAS, REPLIES, RESPONSES, TRUNCATES, Call
from sage_rag.agents.testing.model import answer_to, role_of
from sage_rag.common.web.serving import Serving, run_server
from sage_rag.common.web.testing import running


class ModelServer:
    """How to answer, and what was asked. All of it may be changed between calls.

    `fault` occurs in a share of the calls (`rate`, spread evenly, the same calls in each run), and
    only in those of `roles` whose message contains `about`. `answer` replaces the competent model.
    The next calls get the `statuses` listed, each as an error unless it is 200.
    """

    def __init__(
        self,
        fault: str | None = None,
        *,
        rate: float = 1.0,
        roles: Collection[str] = (),
        about: str = "",
        latency_s: float = 0.0,
        answer: Callable[[str, str], str] | None = None,
    ) -> None:
        if fault is not None and fault not in FAULTS:
            raise ValueError(f"there is no fault `{fault}`; one of: {', '.join(FAULTS)}")
        self.fault = fault
        self.rate = rate
        self.roles = roles
        self.about = about
        self.latency_s = latency_s
        self.answer = answer
        self.statuses: list[int] = []
        self.bodies: list[dict[str, Any]] = []
        """Every request's body, in the order of arrival."""
        self._candidates = 0

    @property
    def asked(self) -> list[str]:
        """The messages of every call, as JSON."""
        return [json.dumps(body["messages"], ensure_ascii=False) for body in self.bodies]

    @property
    def asked_roles(self) -> list[str]:
        """The role of every call."""
        return [role_of(body["messages"][0]["content"]) for body in self.bodies]

    @property
    def app(self) -> Starlette:
        """The API."""
        return Starlette(
            routes=[
                Route("/v1/chat/completions", self._complete, methods=["POST"]),
                Route("/v1/models", _models),
            ]
        )

    async def _complete(self, request: Request) -> Response:
        """Respond `latency_s` after the call came: the work for it is part of that time."""
        came = time.monotonic()
        body = await request.json()
        self.bodies.append(body)
        response = self._response(body)
        await asyncio.sleep(max(0.0, came + self.latency_s - time.monotonic()))
        return response

    def _response(self, body: Mapping[str, Any]) -> Response:
        status = self.statuses.pop(0) if self.statuses else 200
        if status != 200:
            return JSONResponse({"error": {"message": "scripted"}}, status)
        system, user = (message["content"] for message in body["messages"][:2])
        role = role_of(system)
        fault = self._fault_of(role, user)
        if fault == NO_SCHEMAS and "response_format" in body:
            return JSONResponse({"error": {"message": "unknown field: response_format"}}, 400)
        if self.answer is not None:
            text = self.answer(system, user)
        else:
            call = Call(role, system, user, answer_to(system, user))
            text = REPLIES[fault](call) if fault in REPLIES else call.text
        completion = _completion(body, text, "length" if fault == TRUNCATES else "stop")
        sent = json.dumps(completion, ensure_ascii=False).encode()
        if fault in RESPONSES:
            return RESPONSES[fault](sent)
        return Response(sent, media_type="application/json")

    def _fault_of(self, role: str, user: str) -> str:
        """Return the fault that is due in a call, or an empty string."""
        if self.fault is None or (self.roles and role not in self.roles) or self.about not in user:
            return ""
        self._candidates += 1
        due = int(self._candidates * self.rate) > int((self._candidates - 1) * self.rate)
        return self.fault if due else ""


@contextmanager
def model_server(fault: str | None = None, **options: Any) -> Iterator[tuple[str, ModelServer]]:
    """Serve in a thread; yield the base URL, ending in `/v1`, and the `ModelServer`."""
    server = ModelServer(fault, **options)
    with running(server.app) as url:
        yield f"{url}/v1", server


async def _models(request: Request) -> Response:
    model = {"id": "scripted", "object": "model", "created": 0, "owned_by": "tests"}
    return JSONResponse({"object": "list", "data": [model]})


def _completion(body: Mapping[str, Any], text: str, finish_reason: str) -> dict[str, Any]:
    message = {"role": "assistant", "content": text}
    prompt = sum(len(m["content"].split()) for m in body["messages"])
    counts = {"prompt_tokens": prompt, "completion_tokens": len(text.split())}
    return {
        "id": "chatcmpl-scripted",
        "object": "chat.completion",
        "created": 0,
        "model": body.get("model", "scripted"),
        "choices": [{"index": 0, "message": message, "finish_reason": finish_reason}],
        "usage": {**counts, "total_tokens": sum(counts.values())},
    }


def main(
    port: Annotated[int, typer.Option(help="0 takes a free one.")] = 0,
    fault: Annotated[str | None, typer.Option(help=f"One of {', '.join(FAULTS)}.")] = None,
    rate: Annotated[float, typer.Option(min=0, max=1, help="Share of faulty calls.")] = 1.0,
    latency_ms: Annotated[int, typer.Option(min=0, help="Wait before every answer.")] = 0,
) -> None:
    """Serve until interrupted; the address is the first line on standard output."""
    server = ModelServer(fault, rate=rate, latency_s=latency_ms / 1000)
    gc.freeze()  # or each collection walks through all imported objects, and answers wait
    run_server(server.app, Serving("127.0.0.1", port), lambda url: typer.echo(f"{url}/v1"))


if __name__ == "__main__":
    typer.run(main)
