"""Any OpenAI-compatible endpoint: vLLM, Ollama, llama.cpp, OpenAI."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any

import openai

from agents.chat import Message, Reply, Usage
from privacy.exceptions import UpstreamError

_TIMEOUT_S = 120.0
_RETRIES = 4
_SEED = 0


class OpenAIChatModel:
    """Complete conversations at `base_url`.

    Connection faults, timeouts, 429 and 5xx are tried again with growing pauses, `Retry-After`
    obeyed, by the client library. The API key comes from `SAGE_RAG_LLM_API_KEY`; local servers
    need none.
    """

    def __init__(self, base_url: str, model: str, *, api_key: str | None = None) -> None:
        self._model = model
        self._base_url = base_url
        self._client = openai.AsyncOpenAI(
            base_url=base_url,
            api_key=api_key or os.environ.get("SAGE_RAG_LLM_API_KEY") or "none",
            timeout=_TIMEOUT_S,
            max_retries=_RETRIES,
        )

    @property
    def name(self) -> str:
        """The model's name."""
        return self._model

    async def complete(
        self,
        messages: Sequence[Message],
        *,
        stage: str = "",
        shape: Mapping[str, Any] | None = None,
    ) -> Reply:
        """Return the answer at temperature 0 with a fixed seed where the server supports one."""
        try:
            completion = await self._client.chat.completions.create(
                model=self._model,
                messages=[{"role": m.role, "content": m.content} for m in messages],  # type: ignore[misc]
                temperature=0,
                seed=_SEED,
            )
        except openai.APIStatusError as error:
            raise UpstreamError(
                f"the model endpoint answered {error.status_code}",
                hint=f"check --llm-model `{self._model}` and SAGE_RAG_LLM_API_KEY",
            ) from None
        except openai.APIError as error:
            raise UpstreamError(
                f"the model endpoint {self._base_url} failed ({type(error).__name__})",
                hint="finished documents are kept; start again when it is back",
            ) from None
        if not completion.choices:
            raise UpstreamError("the model endpoint answered without a choice")
        choice, usage = completion.choices[0], completion.usage
        spent = Usage(usage.prompt_tokens, usage.completion_tokens) if usage else Usage()
        return Reply(choice.message.content or "", spent, choice.finish_reason != "length")
