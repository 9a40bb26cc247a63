"""Hardened connections to an OpenAI-compatible endpoint, for every part that asks one."""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import AsyncGenerator, Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import Any
from urllib.parse import urlsplit
from weakref import WeakKeyDictionary

import aiohttp
import openai
from pydantic import BaseModel

from sage_rag.agents.chat.backends.endpoint_errors import EndpointErrors, broke
from sage_rag.agents.chat.backends.listed_models import ListedModel, listed_models
from sage_rag.agents.chat.protocols import TokenUsage, UnusableReplyError
from sage_rag.common.exceptions import InputError, UpstreamError
from sage_rag.common.web.serving import is_loopback

COMPLETIONS = "/chat/completions"
_CONNECT_TIMEOUT_S = 10.0
_MOST_TOKENS = 1_000_000_000
"""More is no count of one answer."""
_UNSENT_HEADERS = dict.fromkeys(
    (
        *("X-Stainless-Lang", "X-Stainless-Package-Version", "X-Stainless-OS", "X-Stainless-Arch"),
        *("X-Stainless-Runtime", "X-Stainless-Runtime-Version", "X-Stainless-Async"),
        *("X-Stainless-Retry-Count", "X-Stainless-Read-Timeout"),
    ),
    openai.Omit(),
)
"""Headers in which the library describes this machine. They take a tenth of a call's work."""

_Body = openai.HttpxBinaryResponseContent
_END = object()

# With OPENAI_LOG=debug the library would log whole prompts.
logging.getLogger("openai").setLevel(logging.WARNING)


class CalledFunction(BaseModel):
    """The function of a tool call, or a piece of its arguments."""

    name: str | None = None
    arguments: str | None = None


class CallDelta(BaseModel):
    """A tool call, or a piece of one."""

    index: int | None = None
    id: str | None = None
    function: CalledFunction = CalledFunction()


class _Delta(BaseModel):
    content: str | None = None
    refusal: str | None = None
    tool_calls: list[CallDelta] | None = None


class _Choice(BaseModel):
    delta: _Delta | None = None
    message: _Delta | None = None
    finish_reason: str | None = None


class CompletionChunk(BaseModel):
    """One chunk of a streamed completion, or a whole one.

    `usage` and `citations` come with the last chunks.
    """

    choices: list[_Choice] | None = None
    usage: Any = None
    citations: Any = None

    @property
    def text(self) -> str:
        """The piece of the answer's text, or of the reason why there is none; possibly empty."""
        piece = self._piece
        return ((piece.content or piece.refusal) if piece else None) or ""

    @property
    def tool_calls(self) -> list[CallDelta]:
        """The pieces of tool calls, possibly none."""
        piece = self._piece
        return (piece.tool_calls if piece else None) or []

    @property
    def finish_reason(self) -> str | None:
        """Why the answer ended, in the chunk that ends it; some servers send "" before."""
        return (self.choices[0].finish_reason if self.choices else None) or None

    @property
    def _piece(self) -> _Delta | None:
        return (self.choices[0].delta or self.choices[0].message) if self.choices else None


class _Events(openai.AsyncStream[Any]):
    """A stream whose events without data, which keep a connection alive, are skipped.

    The library reads each one as JSON.
    """

    async def _iter_events(self) -> AsyncGenerator[Any, None]:
        async for event in super()._iter_events():
            if event.data.strip():
                yield event


class OpenAIClient:
    """Send requests to one OpenAI-compatible endpoint; wrap each in `translated`.

    Guarantees: redirects are not followed; no header describes this machine; a loopback address is
    never reached through a proxy; prompts are not logged. No error contains the key, the prompt or
    words of the server, which may quote the prompt.
    Does not guarantee: what the endpoint does with prompts and answers.
    """

    def __init__(
        self,
        base_url: str,
        errors: EndpointErrors,
        *,
        api_key: str = "none",
        retries: int = 0,
        proxies: bool = True,
    ) -> None:
        """Open no connection yet. Without `proxies`, those of the environment are ignored.

        Raises:
            InputError: when the address is not a URL or the key cannot be sent.
        """
        self._base_url = _checked_url(base_url).rstrip("/")
        self._errors, self._key, self._retries = errors, _checked_key(api_key), retries
        self._proxies = proxies and not is_loopback(urlsplit(base_url).hostname or "")
        # Connections belong to the loop that opened them.
        self._clients: WeakKeyDictionary[asyncio.AbstractEventLoop, openai.AsyncOpenAI]
        self._clients = WeakKeyDictionary()

    @contextmanager
    def translated(self) -> Iterator[None]:
        """Raise the library's exceptions as our own, which contain no word of theirs."""
        errors = self._errors
        try:
            yield
        except (TimeoutError, openai.APITimeoutError) as error:
            raise errors.timeout(error) from None
        except (openai.APIConnectionError, aiohttp.ClientError) as error:
            raise errors.connection(error) from None
        except openai.APIError as error:
            raise errors.reported(error) from None
        except (openai.OpenAIError, UnicodeEncodeError):
            raise UpstreamError(f"{errors.endpoint} failed", hint=errors.hint) from None

    async def models(self, *, timeout_s: float | None = None) -> list[ListedModel]:
        """Return the models that the endpoint lists."""
        listing = await self._request("/models", None, timeout_s)
        try:
            return listed_models(listing)
        except ValueError:
            raise self._errors.malformed("without a list of models") from None

    async def only_model(self) -> str:
        """Return the model if the endpoint lists exactly one.

        Raises:
            InputError: when it lists several models, or none.
        """
        names = [model.name for model in await self.models()]
        if len(names) != 1:
            hint = f"--model {' or '.join(names)}" if names else "does it serve a corpus?"
            raise InputError(f"{self._base_url} has {len(names)} models", hint=hint)
        return names[0]

    async def post(self, path: str, body: Mapping[str, Any]) -> Any:
        """Return the JSON value that answers a request."""
        return await self._request(path, body, None)

    async def stream(self, body: Mapping[str, Any]) -> AsyncGenerator[CompletionChunk, None]:
        """Yield the chunks of a streamed completion; the timeout applies to each wait for one.

        A broken connection is made again. An endpoint that is busy is not asked again: its client
        learns at once when to come back. A whole completion, from an endpoint that does not stream,
        is one chunk.

        Raises:
            UpstreamError: when the answer ends without a finish reason.
        """
        async with asyncio.timeout(self._errors.timeout_s * (1 + self._retries)):
            chunks = await self._begin(body)
        begun = finished = False
        async with chunks:
            values = aiter(chunks) if _is_stream(chunks) else self._whole(chunks)
            try:
                while True:
                    # The library's own limit ends with the connection: after bytes that are not
                    # HTTP, it would wait for ever.
                    async with asyncio.timeout(self._errors.timeout_s):
                        value = await anext(values, _END)
                    if value is _END:
                        break
                    begun = True
                    chunk = CompletionChunk.model_validate(value)
                    finished = finished or chunk.finish_reason is not None
                    yield chunk
            except (ValueError, RecursionError):
                raise self._errors.malformed("without a completion") from None
        if not begun:
            raise self._errors.malformed("without a stream")
        if not finished:
            raise UpstreamError("the answer ended early", hint=self._errors.hint)

    async def _whole(self, chunks: _Events) -> AsyncGenerator[Any, None]:
        """Yield the value of an answer that is JSON, if it is a completion."""
        try:
            body = await chunks.response.aread()
        except Exception as error:
            # The library has changed its HTTP package, so its errors cannot be named.
            raise openai.APIConnectionError(request=chunks.response.request) from error
        value = None
        with suppress(ValueError, RecursionError):
            value = json.loads(body)
        if isinstance(value, dict) and "choices" in value:
            yield value

    async def _begin(self, body: Mapping[str, Any]) -> _Events:
        """Return an open stream of chunks."""
        options: Any = {"headers": _UNSENT_HEADERS, "max_retries": 0}
        for again in reversed(range(1 + self._retries)):
            try:
                return await self._client().post(
                    f"{self._base_url}{COMPLETIONS}",
                    body={**body, "stream": True},
                    cast_to=object,
                    options=options,
                    stream=True,
                    stream_cls=_Events,
                )
            except openai.APIConnectionError as error:
                if not (again and broke(error)):
                    raise
        raise AssertionError

    async def close(self) -> None:
        """Close the connections of the running loop."""
        client = self._clients.pop(asyncio.get_running_loop(), None)
        if client is not None:
            await client.close()

    async def _request(
        self, path: str, body: Mapping[str, Any] | None, timeout_s: float | None
    ) -> Any:
        client, url = self._client(), f"{self._base_url}{path}"
        options: Any = {"headers": _UNSENT_HEADERS}
        # The library's own limit is per read: a server that sends slowly would never reach it.
        async with asyncio.timeout(timeout_s or self._errors.timeout_s):
            if body is None:
                answer = await client.get(url, cast_to=_Body, options=options)
            else:
                # `chat.completions.create` would walk through the body type by type, which takes
                # longer than all other work of a call.
                answer = await client.post(url, body=body, cast_to=_Body, options=options)
        try:
            return json.loads(_decoded(answer))
        except (ValueError, RecursionError):
            raise self._errors.malformed("without JSON") from None

    def _client(self) -> openai.AsyncOpenAI:
        loop = asyncio.get_running_loop()
        client = self._clients.get(loop)
        if client is None:
            timeout = openai.Timeout(self._errors.timeout_s, connect=_CONNECT_TIMEOUT_S)
            client = openai.AsyncOpenAI(
                base_url=self._base_url,
                api_key=self._key,
                max_retries=self._retries,
                # Takes half the processor time of the library's other transport.
                http_client=openai.DefaultAioHttpClient(
                    timeout=timeout, follow_redirects=False, trust_env=self._proxies
                ),
            )
            self._clients[loop] = client
        return client


def _is_stream(chunks: _Events) -> bool:
    return not chunks.response.headers.get("content-type", "").startswith("application/json")


def token_usage(usage: Any) -> TokenUsage:
    """Return the token counts that a server reports; 0 for what is missing or is not a count."""
    counts = usage if isinstance(usage, dict) else {}
    return TokenUsage(_count(counts.get("prompt_tokens")), _count(counts.get("completion_tokens")))


def _count(value: Any) -> int:
    return value if isinstance(value, int) and 0 < value <= _MOST_TOKENS else 0


def _decoded(body: _Body) -> str:
    """Decode UTF-8, the encoding of JSON, or else the one that the header declares; never guess."""
    with suppress(UnicodeDecodeError):
        return body.content.decode("utf-8-sig")
    with suppress(UnicodeDecodeError, LookupError):
        return body.content.decode(body.response.charset_encoding or "")
    raise UnusableReplyError("the model endpoint's answer has no readable encoding")


def _checked_url(url: str) -> str:
    try:
        parts = urlsplit(url)
        usable = parts.scheme in {"http", "https"} and bool(parts.hostname)
        secret = parts.username is not None or parts.password is not None
    except ValueError:
        usable, secret = False, False
    if not usable:
        raise InputError(
            "the endpoint's address is not an http or https URL",
            hint="e.g. http://127.0.0.1:8000/v1",
        )
    if secret:
        raise InputError(
            "the endpoint's address contains a password, which messages would show",
            hint="give it as the API key, e.g. in SAGE_RAG_LLM_API_KEY",
        )
    return url


def _checked_key(key: str) -> str:
    key = key.strip()
    if not (key.isascii() and key.isprintable() and " " not in key):
        raise InputError("the API key contains characters that no key has")
    return key
