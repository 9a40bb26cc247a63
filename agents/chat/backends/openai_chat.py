"""Any OpenAI-compatible endpoint: vLLM, Ollama, llama.cpp, OpenAI.

One try per question: `agents.chat.calls.ModelCalls` asks again after faults.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping, Sequence
from typing import Any

import openai
from pydantic import BaseModel, Field, ValidationError

from sage_rag.agents.chat.backends.endpoint_errors import EndpointErrors
from sage_rag.agents.chat.backends.openai_client import COMPLETIONS, OpenAIClient, token_usage
from sage_rag.agents.chat.backends.turns import turns_of
from sage_rag.agents.chat.protocols import ChatMessage, Reply, UnusableReplyError
from sage_rag.common.unicode_text import well_formed

TIMEOUT_S = 300.0
"""A local model on a processor may take minutes for a record."""
MAX_TOKENS = 2_048
"""An answer is a record; several servers have no limit of their own, and some models ramble."""
_SLOW_HINT = "raise `model.timeout_s`, or lower `model.max_tokens` or `concurrency`"
_SEED = 0
_NAME = re.compile(r"[A-Za-z0-9_-]{1,64}")


class OpenAIChatModel:
    """Complete conversations at `base_url` with a fixed seed, at temperature 0 by default.

    Messages are sent in the order given, so that servers with a prefix cache compute an unchanged
    system prompt once. Settings that a server refuses (`response_format`, `seed`, `temperature`,
    `top_p`, `max_tokens`) are left out of later requests. The API key comes from
    `SAGE_RAG_LLM_API_KEY`; local servers need none.
    """

    def __init__(
        self,
        base_url: str,
        model: str,
        *,
        api_key: str | None = None,
        timeout_s: float = TIMEOUT_S,
        max_tokens: int = MAX_TOKENS,
        temperature: float = 0,
        top_p: float | None = None,
    ) -> None:
        """Raise `InputError` if the address is not a URL or the key cannot be sent."""
        self.name = model
        hint = f"check `model.base_url`, the model `{model}` and SAGE_RAG_LLM_API_KEY"
        errors = EndpointErrors("the model endpoint", hint, timeout_s, base_url, _SLOW_HINT)
        key = api_key or os.environ.get("SAGE_RAG_LLM_API_KEY") or "none"
        self._client = OpenAIClient(base_url, errors, api_key=key)
        self._errors = errors
        self._options = {"temperature": temperature, "seed": _SEED, "max_tokens": max_tokens}
        if top_p is not None:
            self._options["top_p"] = top_p
        self.settings = json.dumps(self._options)
        """What decides an answer besides the model and the messages."""
        self._unsupported: set[str] = set()

    async def complete(
        self,
        messages: Sequence[ChatMessage],
        *,
        stage: str = "",
        shape: Mapping[str, Any] | None = None,
    ) -> Reply:
        """Return the answer; `finished` is false if it was cut off at `max_tokens`."""
        body: dict[str, Any] = {
            "model": self.name,
            "messages": turns_of(messages),
            **self._options,
        }
        if shape is not None:
            name = stage if _NAME.fullmatch(stage) else "answer"
            schema = {"name": name, "schema": dict(shape)}
            body["response_format"] = {"type": "json_schema", "json_schema": schema}
        with self._client.translated():
            answer = await self._post_supported(body)
        try:
            completion = _Completion.model_validate(answer)
        except ValidationError:
            raise self._errors.malformed("without a completion") from None
        return _reply(completion)

    async def close(self) -> None:
        """Close the connections of the running loop."""
        await self._client.close()

    async def _post_supported(self, body: dict[str, Any]) -> Any:
        """Post, leaving out one after the other the settings that the server refuses.

        A refusal is remembered once a request without the setting succeeds; until then something
        else may be wrong with the request.
        """
        left_out: set[str] = set()
        while True:
            try:
                answer = await self._client.post(
                    COMPLETIONS, _without(body, self._unsupported | left_out)
                )
            except openai.APIStatusError as error:
                refused = _refused_setting(error, body.keys() - self._unsupported - left_out)
                if refused is None:
                    raise
                left_out.add(refused)
            else:
                self._unsupported |= left_out
                return answer


class _Message(BaseModel):
    content: str | None = None
    refusal: str | None = None


class _Choice(BaseModel):
    message: _Message
    finish_reason: str | None = None


class _Completion(BaseModel):
    choices: list[_Choice] = Field(min_length=1)
    usage: Any = None


def _reply(completion: _Completion) -> Reply:
    choice, usage = completion.choices[0], token_usage(completion.usage)
    content = well_formed(choice.message.content or "")
    if choice.finish_reason == "content_filter" or choice.message.refusal:
        raise UnusableReplyError("the model refused to answer", usage=usage)
    if not content.strip():
        cut = choice.finish_reason == "length"
        raise UnusableReplyError(
            "the model's answer is empty",
            hint="the limit on its tokens was reached before any text: raise `model.max_tokens`"
            if cut
            else None,
            usage=usage,
        )
    return Reply(content, usage, choice.finish_reason != "length")


def _refused_setting(error: openai.APIStatusError, sent: set[str]) -> str | None:
    """Return the optional setting that a server does not support, if that is the error."""
    if error.status_code not in {400, 422}:
        return None
    if error.param in {"seed", "temperature", "top_p", "max_tokens"} & sent:
        return str(error.param)
    return "response_format" if "response_format" in sent else None


def _without(body: dict[str, Any], unsupported: set[str]) -> dict[str, Any]:
    kept = {name: value for name, value in body.items() if name not in unsupported}
    if "max_tokens" in unsupported:
        # Newer models know the limit by this name only; without a limit they might never stop.
        kept["max_completion_tokens"] = body["max_tokens"]
    return kept
