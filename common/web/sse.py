"""Write and read server-sent events.

Source: WHATWG HTML Living Standard, §9.2 (server-sent events).
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Any

HEADERS = {"cache-control": "no-cache", "x-accel-buffering": "no"}
"""No cache or proxy may delay a stream."""
MEDIA_TYPE = "text/event-stream"
DONE = "[DONE]"
MAX_EVENT_BYTES = 8 * 1024 * 1024
"""Limits the memory that a sender without line ends can use."""

_LINE_END = re.compile(rb"\r\n|\n|\r(?=[^\n])")


@dataclass(frozen=True, slots=True)
class Event:
    """One event; `name` is empty for the default event type."""

    data: str
    name: str = ""

    def encode(self) -> bytes:
        """Return the bytes of the event."""
        name = f"event: {self.name}\n" if self.name else ""
        lines = "".join(f"data: {line}\n" for line in self.data.split("\n"))
        return f"{name}{lines}\n".encode("utf-8", "replace")


def encode(payload: Any) -> bytes:
    """Return a JSON payload as one event."""
    return Event(json.dumps(payload, ensure_ascii=False, separators=(",", ":"))).encode()


class EventDecoder:
    """Decode events from bytes that are cut anywhere, even inside a character."""

    def __init__(self) -> None:
        self._buffer = b""
        self._data: list[str] = []
        self._name = ""

    def feed(self, piece: bytes) -> list[Event]:
        """Add the next bytes; return the events that are now complete.

        Raises:
            ValueError: when a line grows beyond `MAX_EVENT_BYTES`.
        """
        searched = max(0, len(self._buffer) - 1)
        self._buffer += piece
        events, start = [], 0
        for end in _LINE_END.finditer(self._buffer, searched):
            events += self._line(self._buffer[start : end.start()])
            start = end.end()
        self._buffer = self._buffer[start:]
        if len(self._buffer) > MAX_EVENT_BYTES:
            raise ValueError("an event is too long")
        return events

    def flush(self) -> list[Event]:
        """Return the events that the end of the bytes completes."""
        rest, self._buffer = self._buffer.rstrip(b"\r"), b""
        return [*(self._line(rest) if rest else []), *self._line(b"")]

    def _line(self, line: bytes) -> list[Event]:
        if not line:
            event = Event("\n".join(self._data), self._name)
            complete = bool(self._data)
            self._data, self._name = [], ""
            return [event] if complete else []
        field, _, value = line.decode("utf-8", "replace").partition(":")
        value = value.removeprefix(" ")
        if field == "data":
            self._data.append(value)
        elif field == "event":
            self._name = value
        return []
