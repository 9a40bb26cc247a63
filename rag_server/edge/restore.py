"""Restore plain values in the server's answers: whole bodies, and streams cut anywhere."""

from __future__ import annotations

import copy
import json
from collections import defaultdict
from collections.abc import Iterator
from typing import Any

from sage_rag.common.exceptions import UpstreamError
from sage_rag.common.web import sse
from sage_rag.rag_server.edge.annotations import StreamedText, moved
from sage_rag.rag_server.edge.keyring import CorpusKeys
from sage_rag.rag_server.edge.links import GuardedStream

_STREAMED = ("content", "refusal", "reasoning_content", "reasoning")
"""Texts that a stream sends in pieces; every other string of a chunk is whole."""
_MOST_TEXTS = 128
"""Texts of a stream: its choices, and the tool calls of each. Every token is compared with all."""

_TextKey = tuple[int, str, int | None]
"""The address of a streamed text: choice index, field, and tool call index if it is in one."""


def restore_body(value: Any, keys: CorpusKeys, *, content_is_json: bool = False) -> Any:
    """Return a JSON value with the tokens in its strings and keys as plain values.

    `content_is_json`: the request asked for JSON, so values in a `content` are escaped. A `content`
    in parts stays unchanged, because a client may join the parts to an address.
    """
    if isinstance(value, str):
        return keys.restore(value)
    if isinstance(value, list):
        return [restore_body(item, keys, content_is_json=content_is_json) for item in value]
    if isinstance(value, dict):
        restored = {
            keys.restore(name): _field(name, item, keys, content_is_json)
            for name, item in value.items()
        }
        sent, shown = value.get("content"), restored.get("content")
        if "annotations" in restored and isinstance(sent, str) and isinstance(shown, str):
            restored["annotations"] = moved(restored["annotations"], sent, shown)
        return restored
    return value


def _field(name: str, item: Any, keys: CorpusKeys, content_is_json: bool) -> Any:
    if isinstance(item, str):
        if name == "arguments":
            return keys.restore_in_json(item)
        if name == "content" and content_is_json:
            return keys.restore_in_json(item, displayed=True)
    elif name in _STREAMED:
        return item
    return restore_body(item, keys, content_is_json=content_is_json)


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
        self._texts: dict[_TextKey, GuardedStream] = {}
        self._by_field: dict[str, list[GuardedStream]] = {}
        self._last: dict[str, Any] = {}
        self._contents: defaultdict[int, StreamedText] = defaultdict(StreamedText)
        self.finished = False
        """Whether the stream is complete: `[DONE]` or an error event was received."""

    def feed(self, piece: bytes) -> bytes:
        """Add the next bytes; return the events that are now restored."""
        return b"".join(self._events(self._decoder.feed(piece)))

    def flush(self) -> bytes:
        """Return the rest after the last bytes."""
        events = [*self._events(self._decoder.flush())]
        return b"".join([*events, *self._rest(None)])

    def _events(self, events: list[sse.Event]) -> Iterator[bytes]:
        for event in events:
            if event.data.strip() == sse.DONE:
                self.finished = True
                yield from self._rest(None)
                yield event.encode()
                continue
            try:
                payload = json.loads(event.data)
            except (ValueError, RecursionError):
                yield sse.Event(self._keys.restore(event.data), event.name).encode()
                continue
            for restored in self._payload(payload):
                yield sse.Event(_dump(restored), event.name).encode()

    def _payload(self, payload: Any) -> Iterator[Any]:
        if isinstance(payload, dict) and payload.get("error"):
            self.finished = True
        choices = payload.get("choices") if isinstance(payload, dict) else None
        if choices is None:
            yield restore_body(payload, self._keys)
            return
        if not isinstance(choices, list) or not all(isinstance(c, dict) for c in choices):
            # Its texts may continue others, in an order that depends on the client.
            yield payload
            return
        around = {name: value for name, value in payload.items() if name != "choices"}
        chunk = restore_body(around, self._keys)
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
            else:
                restored[name] = restore_body(value, self._keys)
        if "annotations" in restored:
            restored["annotations"] = self._contents[index].moved(restored["annotations"])
        return restored

    def _call(self, call: Any, index: int) -> Any:
        if not isinstance(call, dict) or not isinstance(call.get("function"), dict):
            return restore_body(call, self._keys)
        around = {name: value for name, value in call.items() if name != "function"}
        place = (index, "tool_calls", _index(call))
        function = self._function(call["function"], place)
        return {**restore_body(around, self._keys), "function": function}

    def _function(self, function: dict[str, Any], place: _TextKey) -> dict[str, Any]:
        return {
            name: self._text(place).feed(value)
            if name == "arguments" and isinstance(value, str)
            else restore_body(value, self._keys)
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
