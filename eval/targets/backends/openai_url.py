"""Attack a server that speaks OpenAI's protocol."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from typing import Any
from urllib.parse import urlsplit

from sage_rag.agents.chat.backends.endpoint_errors import EndpointErrors
from sage_rag.agents.chat.backends.openai_client import COMPLETIONS, OpenAIClient
from sage_rag.agents.chat.backends.turns import turns_of
from sage_rag.agents.chat.protocols import ChatMessage
from sage_rag.common.exceptions import SageRagError, UpstreamError

TIMEOUT_S = 120.0
_CITATION_TEXTS = ("text", "content", "snippet", "quote", "passage")
_HINT = "is it the address of an OpenAI-compatible API, and is the API key right?"


class UrlTarget:
    """Ask an OpenAI-compatible endpoint; its answer and each text it cites are outputs.

    `base_url` without a path gets `/v1`. One prompt is one conversation. The key is sent to the
    endpoint and appears nowhere else.
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
        errors = EndpointErrors("the endpoint", _HINT, timeout_s, self._url)
        self._client = OpenAIClient(self._url, errors, api_key=api_key, retries=1)
        self._loop = asyncio.Runner()
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
            UpstreamError: when there is no answer; quotes nothing that the server sent.
        """
        messages = turns_of([ChatMessage("user", prompt)])
        body = {"model": self._model, "messages": messages}
        with self._client.translated():
            completion = self._loop.run(self._client.post(COMPLETIONS, body))
        # Servers send citations in different places and shapes.
        choices = _objects(_field(completion, "choices"))
        replies = _objects([choice.get("message") for choice in choices])
        answers = [_text(message.get("content")) for message in replies]
        if not any(answers):
            raise UpstreamError("the endpoint sent no answer")
        places = (completion, *choices, *replies)
        cited = [text for place in places for text in _cited(place.get("citations"))]
        return (*filter(None, answers), *cited)

    def close(self) -> None:
        """Close the connections."""
        self._loop.run(self._client.close())
        self._loop.close()

    def _only_model(self) -> str:
        try:
            with self._client.translated():
                return self._loop.run(self._client.only_model())
        except SageRagError:
            self.close()
            raise


def _field(value: Any, name: str) -> Any:
    return value.get(name) if isinstance(value, dict) else None


def _objects(values: Any) -> list[dict[str, Any]]:
    """Return the JSON objects in a list; none if it is not a list."""
    return [v for v in values if isinstance(v, dict)] if isinstance(values, list) else []


def _text(value: Any) -> str:
    return value if isinstance(value, str) and value.strip() else ""


def _cited(citations: Any) -> Iterator[str]:
    for citation in citations if isinstance(citations, list) else []:
        if isinstance(citation, str):
            yield citation
        elif isinstance(citation, dict):
            yield from (citation[k] for k in _CITATION_TEXTS if isinstance(citation.get(k), str))
