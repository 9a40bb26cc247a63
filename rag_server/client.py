"""A small client of our own API, for `ask` and the demo; any OpenAI client does as well."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from types import TracebackType
from typing import Any, Self

import httpx

from sage_rag.common.exceptions import InputError, UpstreamError
from sage_rag.common.web import sse

_TIMEOUT_S = 180.0


class Client:
    """Ask an edge or a server. `citations` holds those of the last answer."""

    def __init__(self, url: str) -> None:
        # Questions are in clear on this side: no proxy of the environment may see them.
        self._http = httpx.Client(timeout=httpx.Timeout(_TIMEOUT_S, connect=5.0), trust_env=False)
        self._url = url.rstrip("/")
        self.citations: list[dict[str, Any]] = []

    def only_model(self) -> str:
        """Return the one corpus there is.

        Raises:
            InputError: when there are several, or none.
        """
        names = [str(model["id"]) for model in self._json("GET", "/models")["data"]]
        if len(names) == 1:
            return names[0]
        if not names:
            raise InputError("the server has no corpus", hint="make one: sage-rag index --help")
        raise InputError(f"there are {len(names)} corpora", hint=f"--model {' or '.join(names)}")

    def pseudonymize(self, model: str, text: str) -> str:
        """Return what an edge would send of a text."""
        return str(self._json("POST", "/pseudonymize", {"model": model, "input": text})["output"])

    def complete(self, model: str, question: str) -> dict[str, Any]:
        """Return the whole completion."""
        completion: dict[str, Any] = self._json(
            "POST", "/chat/completions", _request(model, question)
        )
        self.citations = completion.get("citations", [])
        return completion

    def stream(self, model: str, question: str) -> Iterator[str]:
        """Yield the answer in pieces.

        Raises:
            UpstreamError: when it cannot be had, or ends before it is complete.
        """
        self.citations, decoder, done = [], sse.EventDecoder(), False
        body = {**_request(model, question), "stream": True}
        with (
            self._translated(),
            self._http.stream("POST", f"{self._url}/chat/completions", json=body) as response,
        ):
            if response.status_code != 200:
                response.read()
                raise _failure(response)
            for data in response.iter_bytes():
                for event in decoder.feed(data):
                    done = done or event.data == sse.DONE
                    yield from () if done else self._texts(json.loads(event.data))
        if not done:
            raise UpstreamError("the answer ended early")

    def _texts(self, chunk: dict[str, Any]) -> Iterator[str]:
        if error := chunk.get("error"):
            raise UpstreamError(str(error.get("message")))
        self.citations = chunk.get("citations", self.citations)
        for choice in chunk["choices"]:
            if text := choice["delta"].get("content"):
                yield text

    def _json(self, method: str, path: str, body: Any = None) -> Any:
        with self._translated():
            response = self._http.request(method, f"{self._url}{path}", json=body)
            if response.status_code != 200:
                raise _failure(response)
            return response.json()

    @contextmanager
    def _translated(self) -> Iterator[None]:
        try:
            yield
        except httpx.TimeoutException:
            raise UpstreamError(f"{self._url} took too long to answer") from None
        except (httpx.HTTPError, httpx.InvalidURL):
            raise UpstreamError(
                f"{self._url} cannot be reached",
                hint="start it: sage-rag serve, then sage-rag edge; or give another --url",
            ) from None
        except (ValueError, KeyError, TypeError, AttributeError):
            raise UpstreamError(
                f"{self._url} does not answer as an OpenAI-compatible API", hint="does --url fit?"
            ) from None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._http.close()


def _request(model: str, question: str) -> dict[str, Any]:
    return {"model": model, "messages": [{"role": "user", "content": question}]}


def _failure(response: httpx.Response) -> UpstreamError:
    message, _, hint = str(response.json()["error"]["message"]).partition("; hint: ")
    return UpstreamError(f"{message} ({response.status_code})", hint=hint or None)
