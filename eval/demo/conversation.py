"""One question at each step: as typed, as sent by the edge, as answered, and as restored."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import httpx

from sage_rag.common.exceptions import UpstreamError

_TIMEOUT_S = 60.0


@dataclass(frozen=True, slots=True)
class Source:
    """A cited passage, restored: its number in the answer, the owner's document id, its text."""

    index: int
    document: str
    text: str


@dataclass(frozen=True, slots=True)
class QuestionTrace:
    """The four texts of one question, and the sources of its answer.

    `blind_words`: how many the edge sent with the question, for the other forms of its names.
    """

    typed: str
    sent: str
    blind_words: int
    server_answer: str
    restored_answer: str
    sources: tuple[Source, ...]


_SEARCHED = ("search_words", "search_tokens", "named_people")
"""What an edge sends with a question: by what it is searched."""


def ask(server_url: str, edge_url: str, model: str, question: str) -> QuestionTrace:
    """Ask through the edge, and then ask the server directly with the text that the edge sent.

    Raises:
        UpstreamError: when edge or server does not answer.
    """
    # Questions are in plain text here: no proxy of the environment may read them.
    with httpx.Client(timeout=_TIMEOUT_S, trust_env=False) as client:
        request = {"model": model, "input": question}
        sent = _post(client, f"{edge_url}/v1/pseudonymize", request)
        named = {key: found for key in _SEARCHED if (found := sent.get(key))}
        seen = _complete(client, server_url, model, sent["output"], **named)
        restored = _complete(client, edge_url, model, question)
    return QuestionTrace(
        typed=question,
        sent=sent["output"],
        blind_words=len(sent["search_words"]),
        server_answer=_answer(seen),
        restored_answer=_answer(restored),
        sources=tuple(
            Source(c["index"], c["source"], c["text"]) for c in restored.get("citations", [])
        ),
    )


def _complete(
    client: httpx.Client, url: str, model: str, question: str, **named: Any
) -> dict[str, Any]:
    messages = [{"role": "user", "content": question}]
    body = {"model": model, "messages": messages, **named}
    return _post(client, f"{url}/v1/chat/completions", body)


def _answer(completion: dict[str, Any]) -> str:
    return str(completion["choices"][0]["message"]["content"])


def _post(client: httpx.Client, url: str, body: dict[str, Any]) -> dict[str, Any]:
    try:
        response = client.post(url, json=body)
        response.raise_for_status()
        parsed = response.json()
    except (httpx.HTTPError, ValueError) as error:
        raise UpstreamError(f"{url} failed ({type(error).__name__})") from None
    if not isinstance(parsed, dict):
        raise UpstreamError(f"{url} did not answer with a JSON object")
    return parsed
