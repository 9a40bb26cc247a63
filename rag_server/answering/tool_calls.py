"""Tool calls of a chat model: aliases in what it reads, tokens in what it calls with."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from sage_rag.rag_server.answering.aliases import Aliases
from sage_rag.rag_server.answering.protocols import ConversationTurn, ToolCall
from sage_rag.rag_server.answering.streams import PatternStream


def hidden_options(options: Mapping[str, Any], aliases: Aliases) -> dict[str, Any]:
    """Return the options of a request with aliases for the tokens in them."""
    return {name: _hidden(value, aliases) for name, value in options.items()}


def hidden_turn(turn: ConversationTurn, aliases: Aliases) -> ConversationTurn:
    """Return a turn with aliases for its tokens."""
    calls = [
        ToolCall(
            call.index,
            aliases.hide(call.arguments),
            aliases.hide(call.id or ""),
            aliases.hide(call.name or ""),
        )
        for call in turn.tool_calls
    ]
    answered = turn.tool_call_id
    return ConversationTurn(
        turn.role,
        aliases.hide(turn.text),
        calls,
        aliases.hide(answered) if answered is not None else None,
    )


def _hidden(value: Any, aliases: Aliases) -> Any:
    if isinstance(value, str):
        return aliases.hide(value)
    if isinstance(value, list):
        return [_hidden(item, aliases) for item in value]
    if isinstance(value, dict):
        return {aliases.hide(name): _hidden(item, aliases) for name, item in value.items()}
    return value


class ToolCallExpander:
    """Replaces aliases by tokens in calls that arrive in pieces.

    `withhold`: aliases of persons show no name.
    """

    def __init__(self, aliases: Aliases, *, withhold: bool) -> None:
        self._aliases = aliases
        self._withhold = withhold
        self._streams: dict[int, PatternStream] = {}

    def feed(self, calls: Iterable[ToolCall]) -> Iterator[ToolCall]:
        """Yield the next pieces of calls, as far as later pieces cannot change them."""
        for call in calls:
            if call.index not in self._streams:
                self._streams[call.index] = self._aliases.expander(withhold=self._withhold)
            yield replace(
                call,
                arguments=self._streams[call.index].feed(call.arguments),
                id=None if call.id is None else self._aliases.originals(call.id),
                name=None if call.name is None else self._aliases.originals(call.name),
            )

    def flush(self) -> Iterator[ToolCall]:
        """Yield what was held back of each call."""
        for index, stream in self._streams.items():
            if held := stream.flush():
                yield ToolCall(index, held)
