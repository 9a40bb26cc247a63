"""Ask an edge or a server from a terminal; any OpenAI client works as well."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import Any, Self

from sage_rag.agents.chat.backends.endpoint_errors import EndpointErrors
from sage_rag.agents.chat.backends.openai_client import COMPLETIONS, OpenAIClient
from sage_rag.common.unicode_text import well_formed

_TIMEOUT_S = 180.0
_HINT = "start it: sage-rag serve, then sage-rag edge; or give another --url"


class Client:
    """Ask an edge or a server. `citations` holds those of the last streamed answer."""

    def __init__(self, url: str, *, api_key: str = "none") -> None:
        self._errors = EndpointErrors(url.rstrip("/"), _HINT, _TIMEOUT_S, ours=True)
        # Questions are in plain text here: no proxy may read them.
        self._client = OpenAIClient(url, self._errors, api_key=api_key, proxies=False)
        self.citations: list[dict[str, Any]] = []

    async def only_model(self) -> str:
        """Return the corpus if there is exactly one; raise `InputError` otherwise."""
        with self._client.translated():
            return await self._client.only_model()

    async def pseudonymize(self, model: str, text: str) -> str:
        """Return what an edge would send of a text."""
        with self._client.translated():
            answer = await self._client.post("/pseudonymize", {"model": model, "input": text})
        try:
            return str(answer["output"])
        except (KeyError, TypeError):
            raise self._errors.malformed("without a pseudonymized text") from None

    async def complete(self, model: str, question: str) -> Any:
        """Return the whole completion, as JSON."""
        with self._client.translated():
            return await self._client.post(COMPLETIONS, _request(model, question))

    async def stream(self, model: str, question: str) -> AsyncGenerator[str, None]:
        """Yield the answer in pieces.

        Raises:
            UpstreamError: when there is no answer, or it ends before it is complete.
        """
        self.citations = []
        with self._client.translated():
            async with aclosing(self._client.stream(_request(model, question))) as chunks:
                async for chunk in chunks:
                    self.citations = chunk.citations or self.citations
                    if chunk.text:
                        yield chunk.text

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._client.close()


def _request(model: str, question: str) -> dict[str, Any]:
    return {"model": model, "messages": [{"role": "user", "content": well_formed(question)}]}
