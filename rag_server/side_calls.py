"""Answer the side calls of chat clients: titles, tags, follow-up questions and the like.

A chat client sends them on its own, with the whole conversation in one user message. They need no
search, and the edge answers them without sending anything.

Source: Open WebUI's default prompts, which begin with `### Task:` and name the JSON to write, and
its header `X-Task`. Its prompt for answers from documents also begins with `### Task:` but names no
JSON: it is a question.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable
from typing import Any

from starlette.responses import JSONResponse, Response, StreamingResponse

from sage_rag.agents.lexicon import lexicon
from sage_rag.common.web import sse
from sage_rag.rag_server.completions import CompletionUsage, Envelope
from sage_rag.rag_server.limits import text_of

_START = "### Task:"
_FORMAT = re.compile(r"[{]\s*\\?\"(title|tags|follow_ups|queries|text|prompt)\\?\"\s*:")
_USER_LINE = re.compile(r"^[ \t]*(?:USER|user|User)[ \t]*:[ \t]*(\S.*)$", re.MULTILINE)
_WORD = re.compile(r"[^\W\d_]{4,}")
_HEADER = {
    "title_generation": "title",
    "tags_generation": "tags",
    "follow_up_generation": "follow_ups",
    "query_generation": "queries",
    "autocomplete_generation": "text",
    "image_prompt_generation": "prompt",
    "function_calling": "tool_calls",
}
_TITLE_WORDS, _TAGS = 6, 3


def side_answer(body: dict[str, Any], task: str | None) -> Response | None:
    """Return the response to a side call, or `None` for any other request.

    `task`: the value of the header `X-Task`.
    """
    text = _only_message(body)
    kind = _HEADER.get((task or "").strip().lower()) or _kind_of(text)
    if kind is None or text is None:
        return None
    content = json.dumps({kind: _ANSWERS[kind](text)}, ensure_ascii=False)
    envelope = Envelope(str(body.get("model")))
    usage = CompletionUsage(0, 0)
    if body.get("stream") is not True:
        return JSONResponse(envelope.whole(content, "stop", usage, []))
    chunks = [
        sse.encode(envelope.delta({"role": "assistant", "content": content})),
        sse.encode(envelope.finish("stop", [])),
    ]
    options = body.get("stream_options")
    if isinstance(options, dict) and options.get("include_usage") is True:
        chunks.append(sse.encode(envelope.usage(usage)))
    chunks.append(sse.Event(sse.DONE).encode())
    return StreamingResponse(iter(chunks), headers=sse.HEADERS, media_type=sse.MEDIA_TYPE)


def _only_message(body: dict[str, Any]) -> str | None:
    """Return the text of a request with one user message and, perhaps, a system message before."""
    messages = body.get("messages")
    if not isinstance(messages, list) or not all(isinstance(m, dict) for m in messages):
        return None
    *before, message = messages or [{}]
    if message.get("role") != "user" or any(m.get("role") != "system" for m in before):
        return None
    return text_of(message.get("content"))


def _kind_of(text: str | None) -> str | None:
    """Return the key of the JSON that a prompt wants, if it is a side call."""
    if text is None or not text.lstrip().startswith(_START):
        return None
    match = _FORMAT.search(text)
    return match.group(1) if match else None


def _title(text: str) -> str:
    words = next(iter(_asked(text)), "").split()
    title = " ".join(words[:_TITLE_WORDS]).strip(" .,;:?!\"'")
    return title or "Conversation"


def _tags(text: str) -> list[str]:
    stop = lexicon().stop_words
    words = _WORD.findall(" ".join(_asked(text)).lower())
    counted = Counter(word for word in words if word not in stop)
    return [word.capitalize() for word, _ in counted.most_common(_TAGS)] or ["General"]


def _asked(text: str) -> list[str]:
    """Return what the user asked in the conversation that a side call contains."""
    history = text.partition("<chat_history>")[2].rpartition("</chat_history>")[0]
    return _USER_LINE.findall(history)


_ANSWERS: dict[str, Callable[[str], object]] = {
    "title": _title,
    "tags": _tags,
    "follow_ups": lambda _: [],
    "queries": lambda _: [],
    "text": lambda _: "",
    "prompt": lambda _: "",
    "tool_calls": lambda _: [],
}
