"""Attack a server that speaks OpenAI's protocol."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any
from urllib.parse import urlsplit

import openai
from openai.types.chat import ChatCompletion

from sage_rag.common.exceptions import InputError, UpstreamError

TIMEOUT_S = 120.0
_CITATION_TEXTS = ("text", "content", "snippet", "quote", "passage")


class UrlTarget:
    """Ask an OpenAI-compatible endpoint; its answer and each text it cites are outputs.

    `base_url` without a path gets `/v1`. One prompt is one conversation. The key is sent to the
    endpoint and stands nowhere else.
    """

    def __init__(
        self,
        base_url: str,
        model: str | None,
        *,
        api_key: str = "none",
        timeout_s: float = TIMEOUT_S,
    ) -> None:
        url = base_url.rstrip("/")
        self._url = url if urlsplit(url).path else f"{url}/v1"
        self._client = openai.OpenAI(
            base_url=self._url, api_key=api_key, timeout=timeout_s, max_retries=1
        )
        self._model = model or self._only_model()

    @property
    def name(self) -> str:
        """URL and model."""
        return f"{self._url} ({self._model})"

    def passages(self) -> None:
        """Return nothing: an endpoint can only be asked."""

    def ask(self, prompt: str) -> tuple[str, ...]:
        """Return the answer and the cited texts.

        Raises:
            UpstreamError: when there is no answer; quotes nothing of what the server sent.
        """
        try:
            completion = self._client.chat.completions.create(
                model=self._model, messages=[{"role": "user", "content": prompt}]
            )
        except openai.OpenAIError as error:
            raise UpstreamError(_reason(error)) from None
        answers = _answers(completion)
        if not answers:
            raise UpstreamError("the endpoint sent no answer")
        return (*answers, *_cited(completion))

    def close(self) -> None:
        """Close the connections."""
        self._client.close()

    def _only_model(self) -> str:
        try:
            models = [model.id for model in self._client.models.list()]
        except openai.OpenAIError as error:
            raise UpstreamError(f"{self._url} lists no models: {_reason(error)}") from None
        if len(models) != 1:
            raise InputError(
                f"{self._url} has {len(models)} models", hint=f"--model, of: {', '.join(models)}"
            )
        return models[0]


def _reason(error: openai.OpenAIError) -> str:
    if isinstance(error, openai.APIStatusError):
        return f"HTTP status {error.status_code}"
    if isinstance(error, openai.APITimeoutError):
        return "timed out"
    if isinstance(error, openai.APIConnectionError):
        return "no connection"
    return type(error).__name__


def _answers(completion: ChatCompletion) -> list[str]:
    # Servers send all kinds of shapes, which the client does not check.
    choices = completion.choices if isinstance(completion, ChatCompletion) else None
    messages = [choice.message for choice in choices or [] if choice.message is not None]
    return [m.content for m in messages if isinstance(m.content, str) and m.content.strip()]


def _cited(completion: ChatCompletion) -> Iterator[str]:
    """Yield the texts of `citations`, wherever the server puts them."""
    yield from _texts((completion.model_extra or {}).get("citations"))
    for choice in completion.choices:
        for part in (choice, choice.message):
            yield from _texts((part.model_extra or {}).get("citations"))


def _texts(citations: Any) -> Iterator[str]:
    if isinstance(citations, Iterable) and not isinstance(citations, (str, Mapping)):
        for citation in citations:
            if isinstance(citation, str):
                yield citation
            elif isinstance(citation, Mapping):
                yield from (
                    citation[k] for k in _CITATION_TEXTS if isinstance(citation.get(k), str)
                )
