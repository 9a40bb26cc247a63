"""Restore plain values in what the server answers: whole bodies, and streams cut anywhere."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from typing import Any

from sage_rag.common.web import sse
from sage_rag.rag_server.edge.keyring import Keys
from sage_rag.rag_server.edge.links import GuardedStream

_STREAMED = ("content", "refusal", "reasoning_content", "reasoning")
"""Texts that a stream brings in pieces; every other string of a chunk comes whole."""

_Place = tuple[int, str, int | None]
"""Where a text grows: choice index, field, and the index of the tool call if it is in one."""


def restore_body(value: Any, keys: Keys) -> Any:
    """Return a JSON value with the tokens in its strings, and in its keys, as plain values.

    A `content` in parts stays as it is: a client that joins them could make an address of them.
    """
    if isinstance(value, str):
        return keys.restore(value)
    if isinstance(value, list):
        return [restore_body(item, keys) for item in value]
    if isinstance(value, dict):
        return {
            keys.restore(name): keys.restore_in_json(item)
            if name == "arguments" and isinstance(item, str)
            else _whole(name, item, keys)
            for name, item in value.items()
        }
    return value


def _whole(name: str, item: Any, keys: Keys) -> Any:
    in_parts = name in _STREAMED and not isinstance(item, str)
    return item if in_parts else restore_body(item, keys)


class StreamRestorer:
    """Restore a stream of chat completion chunks, byte by byte if it must be.

    The texts that a client puts together are the same however the bytes are cut. A token that
    never ends is given out as it is before the finish chunk: no text waits for ever.
    """

    def __init__(self, keys: Keys) -> None:
        self._keys = keys
        self._decoder = sse.EventDecoder()
        self._texts: dict[_Place, GuardedStream] = {}
        self._beside: dict[str, list[GuardedStream]] = {}
        self._last: dict[str, Any] = {}
        self.finished = False
        """Whether `[DONE]` or an error event has come: the stream is complete."""

    def feed(self, piece: bytes) -> bytes:
        """Take the next bytes; return events that are restored by now."""
        return b"".join(self._events(self._decoder.feed(piece)))

    def flush(self) -> bytes:
        """Return what is left: the bytes have ended."""
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
            # Its texts may continue others, in an order that only the client knows.
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
        """Yield what a finish chunk says itself, then what was held back: the order of the text."""
        if choice.get("delta"):
            said = self._choice({**choice, "finish_reason": None})
            yield {**copy.deepcopy(self._last), "choices": [said]}
        yield from self._rest_chunks(_index(choice))

    def _choice(self, choice: dict[str, Any]) -> dict[str, Any]:
        delta, index = choice.get("delta"), _index(choice)
        # Beside its delta a choice says nothing; a text there would be a piece nobody follows.
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
            elif name == "tool_calls" and isinstance(value, list):
                restored[name] = [self._call(call, index) for call in value]
            elif name == "function_call" and isinstance(value, dict):
                restored[name] = self._function(value, (index, name, None))
            else:
                restored[name] = restore_body(value, self._keys)
        return restored

    def _call(self, call: Any, index: int) -> Any:
        if not isinstance(call, dict) or not isinstance(call.get("function"), dict):
            return restore_body(call, self._keys)
        around = {name: value for name, value in call.items() if name != "function"}
        place = (index, "tool_calls", _index(call))
        function = self._function(call["function"], place)
        return {**restore_body(around, self._keys), "function": function}

    def _function(self, function: dict[str, Any], place: _Place) -> dict[str, Any]:
        return {
            name: self._text(place).feed(value)
            if name == "arguments" and isinstance(value, str)
            else restore_body(value, self._keys)
            for name, value in function.items()
        }

    def _text(self, place: _Place) -> GuardedStream:
        if place not in self._texts:
            in_json = place[1] in ("tool_calls", "function_call")
            # Clients that ask for one choice put together whatever stands first in each chunk.
            beside = self._beside.setdefault(place[1], [])
            self._texts[place] = self._keys.stream(in_json=in_json, beside=beside)
            beside.append(self._texts[place])
        return self._texts[place]

    def _rest(self, index: int | None) -> Iterator[bytes]:
        return (sse.encode(chunk) for chunk in self._rest_chunks(index))

    def _rest_chunks(self, index: int | None) -> Iterator[dict[str, Any]]:
        """Yield chunks with what is held back for one choice, or for all."""
        for place in [p for p in self._texts if index is None or p[0] == index]:
            # Kept, since more may follow the chunk that says it is the last.
            if not (rest := self._texts[place].flush()):
                continue
            choice = {"index": place[0], "delta": _delta_with(place, rest), "finish_reason": None}
            yield {**copy.deepcopy(self._last), "choices": [choice]}


def _index(numbered: dict[str, Any]) -> int:
    index = numbered.get("index", 0)
    return index if isinstance(index, int) else 0


def _delta_with(place: _Place, rest: str) -> dict[str, Any]:
    _, name, call = place
    if name == "tool_calls":
        return {"tool_calls": [{"index": call, "function": {"arguments": rest}}]}
    return {name: {"arguments": rest} if name == "function_call" else rest}


def _dump(payload: Any) -> str:
    return json.dumps(payload, ensure_ascii=False, separators=(",", ":"))
