"""Build chat completion objects: a whole one, or the chunks of a stream."""

from __future__ import annotations

import re
import secrets
import time
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from sage_rag.indexer.passages import Passage
from sage_rag.privacy.tokens import TOKEN, may_have_token

_PLAIN_COUNTED = re.compile(r"\w+|[^\w\s]")
COUNTED = re.compile(rf"{TOKEN.pattern}|{_PLAIN_COUNTED.pattern}")
_MARKERS = re.compile(r"\[(\d{1,3}(?:\s*,\s*\d{1,3})*)\]")


@dataclass(frozen=True, slots=True)
class CompletionUsage:
    """The token counts of a request."""

    prompt_tokens: int
    completion_tokens: int

    def as_json(self) -> dict[str, int]:
        """Return the usage object of the API."""
        return {
            "prompt_tokens": self.prompt_tokens,
            "completion_tokens": self.completion_tokens,
            "total_tokens": self.prompt_tokens + self.completion_tokens,
        }


def count_tokens(texts: Iterable[str]) -> int:
    """Count words, punctuation marks and ciphertext tokens, each as one.

    Used if no model reports a count; a model's tokenizer would count differently.
    """
    return sum(
        len((COUNTED if may_have_token(text) else _PLAIN_COUNTED).findall(text)) for text in texts
    )


def cite(answer: str, passages: Sequence[Passage], *, scores: bool = False) -> list[dict[str, Any]]:
    """Return the passages that `[n]` markers in an answer refer to, in order of n.

    `index` is the passage's rank. `scores` adds the score of retrieval. It shows how close a
    client's guess is to a record, so only a client that measures attacks may have it.
    """
    numbers = _places(answer, range(1, len(passages) + 1))
    return [
        {
            "index": n,
            "id": p.id,
            "source": p.source,
            "layer": p.layer,
            "text": p.text,
            **({"score": p.score} if scores else {}),
        }
        for n, p in enumerate(passages, start=1)
        if n in numbers
    ]


def chat_sources(
    model: str, version: str, passages: Sequence[Passage], citations: Sequence[dict[str, Any]]
) -> dict[str, Any] | None:
    """Return the sources as Open WebUI renders them, or `None` without citations.

    `[n]` is the n-th distinct `metadata[].source`, so every passage up to the last cited one has an
    entry. `urn:` names, since clients fetch an icon for a web address.
    """
    if not citations:
        return None
    shown = passages[: citations[-1]["index"]]
    sources = {
        "source": {"id": version, "name": model},
        "document": [passage.text for passage in shown],
        "metadata": [
            {"source": _urn(passage.id), "name": f"[{n}] {passage.source}"}
            for n, passage in enumerate(shown, start=1)
        ],
    }
    scored = any("score" in citation for citation in citations)
    return {**sources, "distances": [p.score for p in shown]} if scored else sources


def url_citations(text: str, citations: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return citations as OpenAI's annotations, each with the place of its first `[n]`."""
    places = _places(text, [citation["index"] for citation in citations])
    return [_annotation(citation, places[citation["index"]]) for citation in citations]


def without_markers(text: str, passages: int) -> str:
    """Return a text of a record with `(2)` for `[2]` where that would cite one of the passages.

    It keeps its length.
    """
    parts, end = list[str](), 0
    for match, _ in _markers(text, range(1, passages + 1)):
        parts += [text[end : match.start()], f"({match.group(1)})"]
        end = match.end()
    return "".join([*parts, text[end:]])


def _places(text: str, cited: Collection[int]) -> dict[int, re.Match[str]]:
    """Return the first marker of each number."""
    places: dict[int, re.Match[str]] = {}
    for match, numbers in _markers(text, cited):
        for number in numbers:
            places.setdefault(number, match)
    return places


def _markers(text: str, cited: Collection[int]) -> Iterator[tuple[re.Match[str], list[int]]]:
    """Yield the markers outside of ciphertext tokens, with their numbers.

    A marker with another number than those `cited` is no citation: "[4, 16] mg".
    """
    hidden = may_have_token(text)
    plain = TOKEN.sub(lambda match: " " * len(match.group()), text) if hidden else text
    for match in _MARKERS.finditer(plain):
        numbers = [int(number) for number in match.group(1).split(",")]
        if all(number in cited for number in numbers):
            yield match, numbers


def _annotation(citation: dict[str, Any], place: re.Match[str]) -> dict[str, Any]:
    source = {"url": _urn(citation["id"]), "title": citation["source"]}
    where = {"start_index": place.start(), "end_index": place.end()}
    return {"type": "url_citation", "url_citation": {**source, **where}}


def _urn(passage_id: str) -> str:
    return f"urn:sage-rag:{passage_id}"


def sources_markdown(citations: Sequence[dict[str, Any]]) -> str:
    """Return a Markdown list of the cited sources to append to an answer; empty without sources."""
    if not citations:
        return ""
    lines = [f"- [{c['index']}] {c['source']}" for c in citations]
    return "\n\n".join(["", "**Sources**", "\n".join(lines)])


class Envelope:
    """Build the objects of one completion: id, time and model are equal in every chunk."""

    def __init__(
        self, model: str, *, include_usage: bool = False, fingerprint: str | None = None
    ) -> None:
        """Begin a completion. `fingerprint`: corpus and version that answer, as `clinic@7`."""
        self.id = f"chatcmpl-{secrets.token_hex(16)}"
        self._model = model
        self._fingerprint = fingerprint
        self._created = int(time.time())
        self._include_usage = include_usage

    def whole(
        self,
        content: str,
        finish_reason: str,
        usage: CompletionUsage,
        citations: list[dict[str, Any]],
        sources: dict[str, Any] | None = None,
        tool_calls: Sequence[dict[str, Any]] = (),
    ) -> dict[str, Any]:
        """Return the whole completion."""
        message = {"role": "assistant", "content": content, "refusal": None}
        called = {"content": content or None, "tool_calls": [*tool_calls]} if tool_calls else {}
        annotations = url_citations(content, citations)
        choice = {
            "index": 0,
            "message": {**message, "annotations": annotations, **called},
            "logprobs": None,
            "finish_reason": finish_reason,
        }
        body = self._body("chat.completion", [choice])
        body = {**body, "usage": usage.as_json(), "citations": citations}
        return {**body, "sources": [sources]} if sources else body

    def delta(self, delta: dict[str, Any]) -> dict[str, Any]:
        """Return a chunk with a piece of the answer."""
        return self._chunk([_choice(delta, None)])

    def sources(
        self, text: str, citations: list[dict[str, Any]], sources: dict[str, Any]
    ) -> dict[str, Any]:
        """Return an ordinary chunk that also holds the sources, for clients that render them.

        `text`: the whole answer.
        """
        delta = {"content": "", "annotations": url_citations(text, citations)}
        return {**self.delta(delta), "event": {"type": "source", "data": sources}}

    def finish(self, finish_reason: str, citations: list[dict[str, Any]]) -> dict[str, Any]:
        """Return the chunk that ends the answer."""
        return {**self._chunk([_choice({}, finish_reason)]), "citations": citations}

    def usage(self, usage: CompletionUsage) -> dict[str, Any]:
        """Return the chunk with token usage; it has no choices."""
        return {**self._chunk([]), "usage": usage.as_json()}

    def _chunk(self, choices: list[dict[str, Any]]) -> dict[str, Any]:
        body = self._body("chat.completion.chunk", choices)
        return {**body, "usage": None} if self._include_usage else body

    def _body(self, kind: str, choices: list[dict[str, Any]]) -> dict[str, Any]:
        return {
            "id": self.id,
            "object": kind,
            "created": self._created,
            "model": self._model,
            "system_fingerprint": self._fingerprint,
            "choices": choices,
        }


def _choice(delta: dict[str, Any], finish_reason: str | None) -> dict[str, Any]:
    return {"index": 0, "delta": delta, "logprobs": None, "finish_reason": finish_reason}
