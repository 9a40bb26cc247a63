"""A chat model behind an OpenAI-compatible endpoint, streamed with the `openai` client."""

from __future__ import annotations

import logging
from collections.abc import AsyncGenerator, Iterator, Mapping, Sequence
from contextlib import aclosing, contextmanager
from typing import Any

import openai
from pydantic import SecretStr

from sage_rag.common.exceptions import UpstreamError
from sage_rag.common.web.errors import UpstreamTimeoutError
from sage_rag.rag_server.answering.protocols import ConversationTurn, Piece
from sage_rag.rag_server.completions import CompletionUsage

# With OPENAI_LOG=debug the client would log whole prompts.
logging.getLogger("openai").setLevel(logging.WARNING)


class OpenAIChatStream:
    """Stream chat completions of one model. The endpoint sees aliases, never ciphertext."""

    def __init__(
        self,
        base_url: str,
        model: str,
        *,
        api_key: SecretStr | None = None,
        timeout_s: float = 60.0,
    ) -> None:
        key = api_key.get_secret_value() if api_key else "none"
        self._client = openai.AsyncOpenAI(
            base_url=base_url, api_key=key, timeout=timeout_s, max_retries=1
        )
        self._model = model

    async def stream(
        self, turns: Sequence[ConversationTurn], options: Mapping[str, Any]
    ) -> AsyncGenerator[Piece, None]:
        """Yield the model's answer in pieces, then its finish reason and usage if it tells."""
        messages: Any = [{"role": turn.role, "content": turn.text} for turn in turns]
        with _translated():
            answer = await self._client.chat.completions.create(
                model=self._model,
                messages=messages,
                stream=True,
                stream_options={"include_usage": True},
                **options,
            )
            async with answer, aclosing(_pieces(answer)) as pieces:
                async for piece in pieces:
                    yield piece

    async def check(self) -> None:
        """Return if the endpoint lists its models; raise `UpstreamError` if not."""
        with _translated():
            await self._client.models.list(timeout=5.0)

    async def close(self) -> None:
        """Close the connections."""
        await self._client.close()


async def _pieces(answer: Any) -> AsyncGenerator[Piece, None]:
    finished = False
    async for chunk in answer:
        usage = chunk.usage and CompletionUsage(
            chunk.usage.prompt_tokens, chunk.usage.completion_tokens
        )
        choice = chunk.choices[0] if chunk.choices else None
        text = choice.delta.content or "" if choice and choice.delta else ""
        reason = choice.finish_reason if choice else None
        finished = finished or reason is not None
        if text or reason or usage:
            yield Piece(text, reason, usage or None)
    if not finished:
        raise UpstreamError("the chat model's answer ended early")


@contextmanager
def _translated() -> Iterator[None]:
    """Translate the client's exceptions; their messages may quote a prompt and stay out."""
    hint = "check --llm-base-url, --llm-model and the endpoint's log"
    try:
        yield
    except openai.APITimeoutError:
        raise UpstreamTimeoutError("the chat model took too long to answer", hint=hint) from None
    except openai.APIConnectionError:
        raise UpstreamError("the chat model cannot be reached", hint=hint) from None
    except openai.APIStatusError as error:
        message = f"the chat model refused with status {error.status_code}"
        raise UpstreamError(message, hint=hint) from None
    except (openai.OpenAIError, ValueError):
        raise UpstreamError("the chat model did not answer as it should", hint=hint) from None
