"""Restore plain values in the server's answers: whole bodies, and streams cut anywhere."""

from __future__ import annotations

import copy
import json
from collections import defaultdict
from collections.abc import Iterator
from typing import Any

from sage_rag.common.exceptions import UpstreamError
from sage_rag.common.web import sse
from sage_rag.common.web.strict_json import parse_json
from sage_rag.rag_server.edge.annotations import StreamedText, moved
from sage_rag.rag_server.edge.keyring import CorpusKeys
from sage_rag.rag_server.edge.links import GuardedStream

_STREAMED = ("content", "refusal", "reasoning_content", "reasoning")
"""Texts of a message, which a stream sends in pieces."""
_MOST_TEXTS = 128
"""Texts of a stream: its choices, and the tool calls of each. Every token is compared with all."""
_SOURCE_FIELDS = ("document", "distances")
_NAMES_OF_SOURCES = ("id", "name", "source")

_TextKey = tuple[int, str, int | None]
"""The address of a streamed text: choice index, field, and tool call index if it is in one."""


def restore_body(body: Any, keys: CorpusKeys, *, content_is_json: bool = False) -> Any:
    """Return a completion, or an error, with its tokens as plain values.

    `content_is_json`: the request asked for JSON, so values in a `content` are escaped. A field
    that the API does not have stays unchanged, as does a `content` in parts, because a client may
    join such texts to an address.
    """
    if not isinstance(body, dict):
        return body
    restored = _around(body, keys)
    if isinstance(choices := body.get("choices"), list):
        restored["choices"] = [_whole_choice(c, keys, content_is_json) for c in choices]
    return restored


def _around(body: dict[str, Any], keys: CorpusKeys) -> dict[str, Any]:
    """Return the fields around the choices.

    Of the events and sources for Open WebUI it passes on what our server sends: that client runs
    the code of an event `execute`, adds the text of an event `message` to the answer, and shows a
    source with `html` in its metadata as a page with scripts.
    """
    around = {name: value for name, value in body.items() if name not in ("choices", "event")}
    for name in ("citations", "error"):
        if name in around:
            around[name] = _values(around[name], keys)
    if "sources" in around:
        listed = around["sources"] if isinstance(around["sources"], list) else []
        around["sources"] = [_sources(item, keys) for item in listed]
    event = body.get("event")
    if isinstance(event, dict) and event.get("type") == "source":
        around["event"] = {"type": "source", "data": _sources(event.get("data"), keys)}
    return around


def _sources(given: Any, keys: CorpusKeys) -> dict[str, Any]:
    """Return the known fields of sources as Open WebUI renders them, with plain values."""
    fields = given if isinstance(given, dict) else {}
    sources = {name: fields[name] for name in _SOURCE_FIELDS if name in fields}
    if "source" in fields:
        sources["source"] = _names(fields["source"])
    if isinstance(fields.get("metadata"), list):
        sources["metadata"] = [_names(item) for item in fields["metadata"]]
    restored: dict[str, Any] = _values(sources, keys)
    return restored


def _names(given: Any) -> dict[str, Any]:
    fields = given if isinstance(given, dict) else {}
    return {name: fields[name] for name in _NAMES_OF_SOURCES if name in fields}


def _values(value: Any, keys: CorpusKeys) -> Any:
    """Return a JSON value with the tokens in its strings as plain values."""
    if isinstance(value, str):
        return keys.restore(value)
    if isinstance(value, list):
        return [_values(item, keys) for item in value]
    if isinstance(value, dict):
        return {name: _values(item, keys) for name, item in value.items()}
    return value


def _whole_choice(choice: Any, keys: CorpusKeys, content_is_json: bool) -> Any:
    if not isinstance(choice, dict) or not isinstance(message := choice.get("message"), dict):
        return choice
    restored = {name: _field(name, item, keys, content_is_json) for name, item in message.items()}
    sent, shown = message.get("content"), restored.get("content")
    if "annotations" in restored and isinstance(sent, str) and isinstance(shown, str):
        restored["annotations"] = moved(restored["annotations"], sent, shown)
    return {**choice, "message": restored}


def _field(name: str, item: Any, keys: CorpusKeys, content_is_json: bool) -> Any:
    """Return a field of a message."""
    if name in _STREAMED and isinstance(item, str):
        if name == "content" and content_is_json:
            return keys.restore_in_json(item, displayed=True)
        return keys.restore(item)
    if name == "tool_calls" and isinstance(item, list):
        return [_call(call, keys) for call in item]
    if name == "function_call" and isinstance(item, dict):
        return _function(item, keys)
    return _values(item, keys) if name == "annotations" else item


def _call(call: Any, keys: CorpusKeys) -> Any:
    if not isinstance(call, dict) or not isinstance(function := call.get("function"), dict):
        return call
    return {**_values(call, keys), "function": _function(function, keys)}


def _function(function: dict[str, Any], keys: CorpusKeys) -> dict[str, Any]:
    return {
        name: keys.restore_in_json(value)
        if name == "arguments" and isinstance(value, str)
        else _values(value, keys)
        for name, value in function.items()
    }


class StreamRestorer:
    """Restore a stream of chat completion chunks.

    The texts that a client assembles do not depend on where the bytes are cut. A token that does
    not end is returned unchanged before the finish chunk, so no text is held back for ever.
    """

    def __init__(self, keys: CorpusKeys, *, content_is_json: bool = False) -> None:
        """`content_is_json`: as in `restore_body`."""
        self._keys = keys
        self._content_is_json = content_is_json
        self._decoder = sse.EventDecoder()
        self._ready: list[bytes] = []
        """Events that are restored and not returned yet."""
        self._texts: dict[_TextKey, GuardedStream] = {}
        self._by_field: dict[str, list[GuardedStream]] = {}
        self._last: dict[str, Any] = {}
        self._contents: defaultdict[int, StreamedText] = defaultdict(StreamedText)
        self.finished = False
        """Whether the stream is complete: `[DONE]` or an error event was received."""

    def feed(self, piece: bytes) -> bytes:
        """Add the next bytes; return the events that are now restored.

        Raises:
            UpstreamError: when an event is not JSON, or the stream has too many texts.
            ValueError: when a line is too long for an event.
        """
        self._collect(self._decoder.feed(piece))
        return self._taken()

    def flush(self) -> bytes:
        """Return the rest after the last bytes; raises as `feed`."""
        self._collect(self._decoder.flush())
        return self.rest()

    def rest(self) -> bytes:
        """Return the restored events and the text that are held back, also after a failure."""
        return self._taken() + b"".join(self._rest(None))

    def _taken(self) -> bytes:
        taken = b"".join(self._ready)
        self._ready.clear()
        return taken

    def _collect(self, events: list[sse.Event]) -> None:
        """Restore events one by one: those before one that cannot be restored are kept."""
        for event in events:
            for restored in self._event(event):
                self._ready.append(restored)

    def _event(self, event: sse.Event) -> Iterator[bytes]:
        if event.data.strip() == sse.DONE:
            self.finished = True
            yield from self._rest(None)
            yield event.encode()
            return
        try:
            payload = parse_json(event.data)
        except ValueError:  # no client could read the stream further
            raise UpstreamError("the server's answer is not valid JSON") from None
        for restored in self._payload(payload):
            yield sse.Event(_dump(restored), event.name).encode()

    def _payload(self, payload: Any) -> Iterator[Any]:
        if not isinstance(payload, dict):
            yield payload
            return
        if payload.get("error"):
            self.finished = True
        chunk = _around(payload, self._keys)
        choices = payload.get("choices")
        if not isinstance(choices, list) or not all(isinstance(c, dict) for c in choices):
            # Its texts may continue others, in an order that depends on the client.
            yield {**chunk, "choices": choices} if "choices" in payload else chunk
            return
        self._last = {k: chunk[k] for k in ("id", "object", "created", "model") if k in chunk}
        for choice in choices:
            if choice.get("finish_reason") is not None:
                yield from self._before_finish(choice)
                choice["delta"] = {}
        yield {**chunk, "choices": [self._choice(choice) for choice in choices]}

    def _before_finish(self, choice: dict[str, Any]) -> Iterator[dict[str, Any]]:
        """Yield the delta of a finish chunk, then the text that was held back, in this order."""
        if choice.get("delta"):
            delta = self._choice({**choice, "finish_reason": None})
            yield {**copy.deepcopy(self._last), "choices": [delta]}
        yield from self._rest_chunks(_index(choice))

    def _choice(self, choice: dict[str, Any]) -> dict[str, Any]:
        delta, index = choice.get("delta"), _index(choice)
        # Fields other than `delta` stay unchanged: a text there is outside the guarded streams.
        restored = {name: value for name, value in choice.items() if name != "delta"}
        if isinstance(delta, dict):
            restored["delta"] = self._delta(delta, index)
        elif "delta" in choice:
            restored["delta"] = delta
        return restored

    def _delta(self, delta: dict[str, Any], index: int) -> dict[str, Any]:
        restored: dict[str, Any] = {}
        for name, value in delta.items():
            if name in _STREAMED:
                text = isinstance(value, str)
                restored[name] = self._text((index, name, None)).feed(value) if text else value
                if text and name == "content":
                    self._contents[index].add(value, restored[name])
            elif name == "tool_calls" and isinstance(value, list):
                restored[name] = [self._call(call, index) for call in value]
            elif name == "function_call" and isinstance(value, dict):
                restored[name] = self._function(value, (index, name, None))
            elif name == "annotations":
                restored[name] = _values(value, self._keys)
            else:  # a client may join it with another text
                restored[name] = value
        if "annotations" in restored:
            restored["annotations"] = self._contents[index].moved(restored["annotations"])
        return restored

    def _call(self, call: Any, index: int) -> Any:
        if not isinstance(call, dict) or not isinstance(call.get("function"), dict):
            return call
        around = {name: value for name, value in call.items() if name != "function"}
        place = (index, "tool_calls", _index(call))
        function = self._function(call["function"], place)
        return {**_values(around, self._keys), "function": function}

    def _function(self, function: dict[str, Any], place: _TextKey) -> dict[str, Any]:
        return {
            name: self._text(place).feed(value)
            if name == "arguments" and isinstance(value, str)
            else _values(value, self._keys)
            for name, value in function.items()
        }

    def _text(self, place: _TextKey) -> GuardedStream:
        if place not in self._texts:
            if len(self._texts) >= _MOST_TEXTS:
                raise UpstreamError("the server's answer has too many parts")
            is_content = place[1] == "content"
            in_json = place[1] in ("tool_calls", "function_call") or (
                is_content and self._content_is_json
            )
            # A client that expects one choice joins the first text of every chunk.
            preceding = self._by_field.setdefault(place[1], [])
            self._texts[place] = self._keys.stream(
                in_json=in_json, displayed=is_content, preceding=preceding
            )
            preceding.append(self._texts[place])
        return self._texts[place]

    def _rest(self, index: int | None) -> Iterator[bytes]:
        return (sse.encode(chunk) for chunk in self._rest_chunks(index))

    def _rest_chunks(self, index: int | None) -> Iterator[dict[str, Any]]:
        """Yield chunks with the text that is held back for one choice, or for all."""
        for place in [p for p in self._texts if index is None or p[0] == index]:
            # The stream stays open: text may follow a finish chunk.
            if not (rest := self._texts[place].flush()):
                continue
            choice = {"index": place[0], "delta": _delta_with(place, rest), "finish_reason": None}
            yield {**copy.deepcopy(self._last), "choices": [choice]}


def _index(numbered: dict[str, Any]) -> int:
    index = numbered.get("index", 0)
    return index if isinstance(index, int) else 0


def _delta_with(place: _TextKey, rest: str) -> dict[str, Any]:
    _, name, call = place
    if name == "tool_calls":
        return {"tool_calls": [{"index": call, "function": {"arguments": rest}}]}
    return {name: {"arguments": rest} if name == "function_call" else rest}


def _dump(payload: Any) -> str:
    return json.dumps(payload, ensure_ascii=False, separators=(",", ":"))
