"""Any OpenAI-compatible endpoint: vLLM, Ollama, llama.cpp, OpenAI.

One question, one try: who wants faults tried again puts `agents.chat.calls.ModelCalls` around it.
"""

from __future__ import annotations

import asyncio
import json
import logging
import os
import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any
from urllib.parse import urlsplit
from weakref import WeakKeyDictionary

import aiohttp
import openai
from pydantic import BaseModel, Field, ValidationError

from sage_rag.agents.chat.backends.http_faults import connection_fault, status_fault, timeout_fault
from sage_rag.agents.chat.backends.turns import turns_of
from sage_rag.agents.chat.protocols import (
    ChatMessage,
    Reply,
    RetryableError,
    TokenUsage,
    UnusableReplyError,
)
from sage_rag.common.exceptions import InputError, UpstreamError
from sage_rag.privacy.recognizers.writing import well_formed

TIMEOUT_S = 300.0
"""A local model on a processor may take minutes for a record."""
MAX_TOKENS = 2_048
"""An answer is a record; several servers have no limit of their own, and some models ramble."""
_CONNECT_TIMEOUT_S = 10.0
_SEED = 0
_RARELY_PASSES = 3
"""Tries for answers that are no completions: a proxy may be restarting, more likely it is wrong."""
_NAME = re.compile(r"[A-Za-z0-9_-]{1,64}")

_UNSAID = dict.fromkeys(
    (
        *("X-Stainless-Lang", "X-Stainless-Package-Version", "X-Stainless-OS", "X-Stainless-Arch"),
        *("X-Stainless-Runtime", "X-Stainless-Runtime-Version", "X-Stainless-Async"),
        *("X-Stainless-Retry-Count", "X-Stainless-Read-Timeout"),
    ),
    openai.Omit(),
)
"""What the client would tell every endpoint about this machine, at a tenth of a call's work."""

_Body = openai.HttpxBinaryResponseContent

# With OPENAI_LOG=debug the client would log whole prompts.
logging.getLogger("openai").setLevel(logging.WARNING)


class OpenAIChatModel:
    """Complete conversations at `base_url`, at temperature 0 with a fixed seed.

    Messages go out in the order given, so that what comes first and stays the same (a system
    prompt) is computed once by servers that cache prefixes. What a server does not know of our
    settings (`response_format`, `seed`, `temperature`, `max_tokens`) is left out from then on. The
    API key comes from `SAGE_RAG_LLM_API_KEY`; local servers need none. Redirects are not followed.
    """

    def __init__(
        self,
        base_url: str,
        model: str,
        *,
        api_key: str | None = None,
        timeout_s: float = TIMEOUT_S,
        max_tokens: int = MAX_TOKENS,
    ) -> None:
        """Raise `InputError` for an address or a key that no request could be made with."""
        self._model = model
        self._base_url = _checked_url(base_url)
        self._url = f"{base_url.rstrip('/')}/chat/completions"
        self._key = _checked_key(api_key or os.environ.get("SAGE_RAG_LLM_API_KEY") or "none")
        self._timeout_s = timeout_s
        self._options = {"temperature": 0, "seed": _SEED, "max_tokens": max_tokens}
        self._settings = json.dumps(self._options)
        self._unknown: set[str] = set()
        # Connections belong to the loop that opened them.
        self._clients: WeakKeyDictionary[asyncio.AbstractEventLoop, openai.AsyncOpenAI]
        self._clients = WeakKeyDictionary()

    @property
    def name(self) -> str:
        """The model's name."""
        return self._model

    @property
    def settings(self) -> str:
        """What decides an answer beside model and messages."""
        return self._settings

    async def complete(
        self,
        messages: Sequence[ChatMessage],
        *,
        stage: str = "",
        shape: Mapping[str, Any] | None = None,
    ) -> Reply:
        """Return the answer; `finished` is false where it was cut off at `max_tokens`."""
        body: dict[str, Any] = {
            "model": self._model,
            "messages": turns_of(messages),
            **self._options,
        }
        if shape is not None:
            name = stage if _NAME.fullmatch(stage) else "answer"
            schema = {"name": name, "schema": dict(shape)}
            body["response_format"] = {"type": "json_schema", "json_schema": schema}
        return _reply(await self._post_what_is_known(body))

    async def close(self) -> None:
        """Close the connections of the running loop."""
        client = self._clients.pop(asyncio.get_running_loop(), None)
        if client is not None:
            await client.close()

    async def _post_what_is_known(self, body: dict[str, Any]) -> _Body:
        """Post, leaving out one setting after the other that the server refuses.

        A refusal is remembered once the request goes through without the setting: else something
        else was wrong with it.
        """
        left_out: set[str] = set()
        while True:
            try:
                answer = await self._post(_without(body, self._unknown | left_out))
            except openai.APIStatusError as error:
                refused = _refused_setting(error, body.keys() - self._unknown - left_out)
                if refused is None:
                    raise status_fault(error, self._model) from None
                left_out.add(refused)
            else:
                self._unknown |= left_out
                return answer

    async def _post(self, body: dict[str, Any]) -> _Body:
        """Return the body of the answer."""
        try:
            # The client's own limit is per read: a server that drips would never reach it.
            async with asyncio.timeout(self._timeout_s):
                # `chat.completions.create` walks through the body once more, type by type, which
                # takes longer than all else about a call.
                return await self._client().post(
                    self._url, body=body, cast_to=_Body, options={"headers": _UNSAID}
                )
        except (TimeoutError, openai.APITimeoutError) as error:
            raise timeout_fault(error, self._base_url, self._timeout_s) from None
        except (openai.APIConnectionError, aiohttp.ClientError) as error:
            raise connection_fault(error, self._base_url) from None
        except openai.APIStatusError:
            raise
        except openai.OpenAIError:
            raise UpstreamError(f"the model endpoint {self._base_url} failed") from None

    def _client(self) -> openai.AsyncOpenAI:
        loop = asyncio.get_running_loop()
        client = self._clients.get(loop)
        if client is None:
            timeout = openai.Timeout(self._timeout_s, connect=_CONNECT_TIMEOUT_S)
            client = openai.AsyncOpenAI(
                base_url=self._base_url,
                api_key=self._key,
                max_retries=0,
                # Half the work a call of the client's other transport.
                http_client=openai.DefaultAioHttpClient(timeout=timeout, follow_redirects=False),
            )
            self._clients[loop] = client
        return client


class _CompletionMessage(BaseModel):
    content: str | None = None
    refusal: str | None = None


class _CompletionChoice(BaseModel):
    message: _CompletionMessage
    finish_reason: str | None = None


class _Completion(BaseModel):
    choices: list[_CompletionChoice] = Field(min_length=1)
    usage: Any = None


def _decoded(body: _Body) -> str:
    """Read UTF-8, which JSON is in, or else what the header says; never guess."""
    with suppress(UnicodeDecodeError):
        return body.content.decode("utf-8-sig")
    with suppress(UnicodeDecodeError, LookupError):
        return body.content.decode(body.response.charset_encoding or "")
    raise UnusableReplyError("the model endpoint's answer is in no readable encoding")


def _reply(body: _Body) -> Reply:
    text = _decoded(body)
    try:
        completion = _Completion.model_validate(json.loads(text))
    except (ValidationError, ValueError, RecursionError) as error:
        what = "without a completion" if isinstance(error, ValidationError) else "without JSON"
        raise RetryableError(
            f"the model endpoint answered {what}",
            hint="is --llm-base-url the address of an OpenAI-compatible API, ending in /v1?",
            max_tries=_RARELY_PASSES,
        ) from None
    choice, usage = completion.choices[0], _usage(completion.usage)
    content = well_formed(choice.message.content or "")
    if choice.finish_reason == "content_filter" or choice.message.refusal:
        raise UnusableReplyError("the model refused to answer", usage=usage)
    if not content.strip():
        cut = choice.finish_reason == "length"
        raise UnusableReplyError(
            "the model's answer is empty",
            hint="it used up its tokens before: raise --llm-max-tokens" if cut else None,
            usage=usage,
        )
    return Reply(content, usage, choice.finish_reason != "length")


def _usage(told: Any) -> TokenUsage:
    """Return the tokens that a server tells; 0 for what it does not, or not as a count."""
    counts = told if isinstance(told, dict) else {}
    prompt, completion = counts.get("prompt_tokens"), counts.get("completion_tokens")
    return TokenUsage(_count(prompt), _count(completion))


def _count(value: Any) -> int:
    return value if isinstance(value, int) and value > 0 else 0


def _refused_setting(error: openai.APIStatusError, sent: set[str]) -> str | None:
    """Return which of our optional settings a server does not take, if it is one of them."""
    if error.status_code not in {400, 422}:
        return None
    if error.param in {"seed", "temperature", "max_tokens"} & sent:
        return str(error.param)
    return "response_format" if "response_format" in sent else None


def _without(body: dict[str, Any], unknown: set[str]) -> dict[str, Any]:
    kept = {name: value for name, value in body.items() if name not in unknown}
    if "max_tokens" in unknown:
        # Newer models take the limit under this name alone; without one they might never end.
        kept["max_completion_tokens"] = body["max_tokens"]
    return kept


def _checked_url(url: str) -> str:
    try:
        parts = urlsplit(url)
        usable = parts.scheme in {"http", "https"} and bool(parts.hostname)
        secret = parts.username is not None or parts.password is not None
    except ValueError:
        usable, secret = False, False
    if not usable:
        raise InputError("--llm-base-url is no address", hint="e.g. http://127.0.0.1:8000/v1")
    if secret:
        raise InputError(
            "--llm-base-url holds a password, which messages would show",
            hint="give it as SAGE_RAG_LLM_API_KEY",
        )
    return url


def _checked_key(key: str) -> str:
    key = key.strip()
    if not (key.isascii() and key.isprintable() and " " not in key):
        raise InputError("SAGE_RAG_LLM_API_KEY holds characters that no key has")
    return key
