"""Pseudonymise a chat request field by field; only the fields listed here are sent."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from sage_rag.common.web.errors import ApiError
from sage_rag.privacy.entities import EntityType
from sage_rag.privacy.tokens import TOKEN
from sage_rag.rag_server.chat_request import MAX_NAMED, MAX_SEARCH_GROUPS, MAX_SEARCH_WORDS
from sage_rag.rag_server.edge.json_schema import identifier, json_schema, json_text
from sage_rag.rag_server.edge.keyring import CorpusKeys
from sage_rag.rag_server.edge.schema import (
    Rule,
    any_json,
    boolean,
    choice,
    either,
    list_of,
    null,
    number,
    numbers_by_id,
    optional,
    record,
    text,
    whole,
)
from sage_rag.rag_server.followups import asked_by_user, standalone

_PARTS = list_of(
    record({"type": choice("text", "refusal"), "text": text, "refusal": optional(text)})
)
_CALLED: Rule = record({"name": identifier, "arguments": json_text})
_MESSAGE: Mapping[str, Rule] = {
    "role": choice("system", "developer", "user", "assistant", "tool", "function"),
    "content": optional(either(string=text, items=_PARTS)),
    "refusal": optional(text),
    "reasoning_content": optional(text),
    "tool_call_id": text,
    "tool_calls": optional(
        list_of(
            record({"id": text, "type": choice("function"), "index": number, "function": _CALLED})
        )
    ),
    "function_call": optional(_CALLED),
    "annotations": optional(list_of(any_json)),
    "audio": null,
}
_PERSON_NAME = record({**_MESSAGE, "name": optional(whole(EntityType.PERSON))})
_TOOL_NAME = record({**_MESSAGE, "name": optional(identifier)})

_FUNCTION = record(
    {
        "name": identifier,
        "description": text,
        "parameters": json_schema,
        "strict": optional(boolean),
    }
)
_CHOSEN = record({"name": identifier})
_NUMBERS = (
    "n max_tokens max_completion_tokens temperature top_p presence_penalty frequency_penalty seed "
    "top_logprobs top_k min_p repetition_penalty"
).split()
_FLAGS = ("stream", "logprobs", "parallel_tool_calls", "store")


def _message(value: Any, keys: CorpusKeys, path: str) -> Any:
    """A message. Its `name` is a person's, except in messages of tools.

    What is not a user's can be the server's text: an answer, or what a tool made of its call.
    """
    role = value.get("role") if isinstance(value, dict) else None
    reader = keys if role == "user" else keys.for_answers()
    return (_TOOL_NAME if role in ("tool", "function") else _PERSON_NAME)(value, reader, path)


_REQUEST = record(
    {
        **{name: optional(number) for name in _NUMBERS},
        **{name: optional(boolean) for name in _FLAGS},
        "model": lambda value, keys, path: keys.corpus,
        "messages": list_of(_message),
        "stream_options": optional(
            record({"include_usage": optional(boolean), "include_obfuscation": optional(boolean)})
        ),
        "stop": optional(either(string=text, items=list_of(text))),
        "sources": optional(choice("markdown")),
        "tools": optional(list_of(record({"type": choice("function"), "function": _FUNCTION}))),
        "tool_choice": optional(
            either(
                string=choice("none", "auto", "required"),
                fields=record({"type": choice("function"), "function": _CHOSEN}),
            )
        ),
        "functions": optional(list_of(_FUNCTION)),
        "function_call": optional(either(string=choice("none", "auto"), fields=_CHOSEN)),
        "response_format": optional(
            record(
                {
                    "type": choice("text", "json_object", "json_schema"),
                    "json_schema": record(
                        {
                            "name": identifier,
                            "description": text,
                            "schema": json_schema,
                            "strict": optional(boolean),
                        }
                    ),
                }
            )
        ),
        "logit_bias": optional(numbers_by_id),
        "metadata": optional(any_json),
        "user": optional(whole(EntityType.ID)),
        "safety_identifier": optional(whole(EntityType.ID)),
        "prompt_cache_key": optional(whole(EntityType.ID)),
        "modalities": optional(list_of(choice("text"))),
        "reasoning_effort": optional(choice("none", "minimal", "low", "medium", "high", "xhigh")),
        "verbosity": optional(choice("low", "medium", "high")),
        "service_tier": optional(choice("auto", "default", "flex", "priority")),
    }
)


def pseudonymize_request(body: Mapping[str, Any], keys: CorpusKeys) -> dict[str, Any]:
    """Return the request to send to the server, with blind words and tokens of its question.

    Guarantees: the recognizer has read every text in it; it contains no unknown field.
    Does not guarantee: that the recognizer finds every private value; blind words of all values
    if a question names more than about a thousand.

    Raises:
        ApiError: 400 for a field or value that the edge does not understand.
        ProtectionError: when recognition fails.
    """
    try:
        sent: dict[str, Any] = _REQUEST(body, keys, "")
    except RecursionError:
        raise ApiError(400, "the request is nested too deeply", code="not_understood") from None
    question = _question(sent.get("messages", []))
    words, groups = keys.search_words(question), keys.search_groups(question)
    more = {"search_words": words[:MAX_SEARCH_WORDS], "search_tokens": groups[:MAX_SEARCH_GROUPS]}
    sent |= {name: found for name, found in more.items() if found}
    people = keys.named_people(question)
    if people is not None and TOKEN.search(question):
        named = asdict(people).items()
        sent["named_people"] = {kind: tokens[:MAX_NAMED] for kind, tokens in named}
    return sent


def _question(messages: Sequence[Mapping[str, Any]]) -> str:
    """Return what the server searches with: the last user message and what it takes over."""
    turns = ((m.get("role", ""), _joined(m.get("content") or m.get("refusal"))) for m in messages)
    return standalone(asked_by_user(turns))


def _joined(content: Any) -> str:
    if isinstance(content, list):
        return "\n".join(part.get("text") or part.get("refusal") or "" for part in content)
    return content or ""
