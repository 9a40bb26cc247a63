"""A chat model behind an OpenAI-compatible endpoint, streamed."""

from __future__ import annotations

import math
import time
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import aclosing, suppress
from typing import Any

from pydantic import SecretStr

from sage_rag.agents.chat.backends.endpoint_errors import EndpointErrors
from sage_rag.agents.chat.backends.openai_client import (
    CallDelta,
    CompletionChunk,
    OpenAIClient,
    token_usage,
)
from sage_rag.common.exceptions import UpstreamError
from sage_rag.common.unicode_text import SurrogateJoiner, well_formed
from sage_rag.rag_server.answering.protocols import ConversationTurn, Piece, ToolCall
from sage_rag.rag_server.chat_request import SAMPLING, TOOLS
from sage_rag.rag_server.completions import CompletionUsage

_HINT = "check --llm-base-url, --llm-model and the endpoint's log"
_CHECK_TIMEOUT_S = 5.0
_ASK_AGAIN_S = 60.0


class OpenAIChatStream:
    """Stream chat completions of one model. The endpoint sees aliases, never ciphertext."""

    honours = SAMPLING | TOOLS

    def __init__(
        self,
        base_url: str,
        model: str,
        *,
        api_key: SecretStr | None = None,
        timeout_s: float = 60.0,
    ) -> None:
        key = api_key.get_secret_value() if api_key else "none"
        # Clients of the server read these errors: they do not learn the endpoint's address.
        errors = EndpointErrors("the chat model", _HINT, timeout_s)
        self._client = OpenAIClient(base_url, errors, api_key=key, retries=1)
        self._model = model
        self._context_tokens: int | None = None
        self._ask_after = -math.inf

    async def stream(
        self, turns: Sequence[ConversationTurn], options: Mapping[str, Any]
    ) -> AsyncGenerator[Piece, None]:
        """Yield the model's answer in pieces, then its finish reason and any usage."""
        body = {
            "model": self._model,
            "messages": [_message(turn) for turn in turns],
            "stream_options": {"include_usage": True},
            **options,
        }
        text, calls = SurrogateJoiner(), _CallReader()
        with self._client.translated():
            async with aclosing(self._client.stream(body)) as chunks:
                async for chunk in chunks:
                    usage, called = _usage(chunk), calls.feed(chunk)
                    whole = text.feed(chunk.text) + (text.flush() if chunk.finish_reason else "")
                    if whole or chunk.finish_reason or usage or called:
                        yield Piece(whole, chunk.finish_reason, usage, called)

    async def count_tokens(self, turns: Sequence[ConversationTurn]) -> int | None:
        """Return `None`: the endpoint has the tokenizer."""
        return None

    async def context_tokens(self) -> int | None:
        """Return the context that the endpoint lists for the model; `None` if it lists none.

        It is asked once. If it cannot be reached, it is asked again a minute later.
        """
        if time.monotonic() >= self._ask_after:
            self._ask_after = time.monotonic() + _ASK_AGAIN_S
            with suppress(UpstreamError):
                await self.check()
        return self._context_tokens

    async def check(self) -> None:
        """Return if the endpoint lists its models; raise `UpstreamError` if not."""
        with self._client.translated():
            models = await self._client.models(timeout_s=_CHECK_TIMEOUT_S)
        contexts = {model.name: model.context_tokens for model in models}
        # An endpoint with one model takes any name, and lists that of its file.
        only = models[0].context_tokens if len(models) == 1 else None
        self._context_tokens = contexts.get(self._model, only)
        self._ask_after = math.inf

    async def close(self) -> None:
        """Close the connections."""
        await self._client.close()


def _message(turn: ConversationTurn) -> dict[str, Any]:
    message: dict[str, Any] = {"role": turn.role, "content": well_formed(turn.text)}
    if turn.tool_calls:
        message["tool_calls"] = [
            {
                "id": call.id,
                "type": "function",
                "function": {"name": call.name, "arguments": well_formed(call.arguments)},
            }
            for call in turn.tool_calls
        ]
        message["content"] = message["content"] or None
    if turn.tool_call_id is not None:
        message["tool_call_id"] = turn.tool_call_id
    return message


class _CallReader:
    """Reads the pieces of tool calls of one stream and numbers the calls.

    Some endpoints send several calls under one number, or without: there, another id with a name
    begins another call.
    """

    def __init__(self) -> None:
        self._ids: list[str | None] = []
        self._texts: list[SurrogateJoiner] = []
        self._numbers: dict[int, int] = {}
        """Our number of the latest call under each number of the endpoint."""

    def feed(self, chunk: CompletionChunk) -> list[ToolCall]:
        """Return the pieces of calls in a chunk."""
        return [self._piece(place, call) for place, call in enumerate(chunk.tool_calls)]

    def _piece(self, place: int, call: CallDelta) -> ToolCall:
        given = place if call.index is None else call.index
        number = self._numbers.get(given)
        named = bool(call.id and call.function.name)
        if number is None or (named and self._ids[number] not in (None, call.id)):
            number = self._numbers[given] = len(self._ids)
            self._ids.append(None)
            self._texts.append(SurrogateJoiner())
        self._ids[number] = self._ids[number] or call.id
        text = self._texts[number].feed(call.function.arguments or "")
        return ToolCall(number, text, _shown(call.id), _shown(call.function.name))


def _shown(text: str | None) -> str | None:
    return None if text is None else well_formed(text)


def _usage(chunk: CompletionChunk) -> CompletionUsage | None:
    counts = token_usage(chunk.usage)
    if not (counts.prompt_tokens or counts.completion_tokens):
        return None
    return CompletionUsage(counts.prompt_tokens, counts.completion_tokens)
