"""The turns of a chat request around its question, and the tool calls of its answer."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

from sage_rag.rag_server.answering.protocols import ConversationTurn, ToolCall
from sage_rag.rag_server.chat_request import RequestMessage

_ROLES = {"developer": "system", "tool": "user", "function": "user"}


def turns_around(
    messages: Sequence[RequestMessage], question_at: int
) -> tuple[list[ConversationTurn], list[ConversationTurn]]:
    """Return the turns of the history, and those of tools that the question led to.

    A message of a tool that answers no call before it becomes one of the user, since endpoints
    refuse it. Without a call after the question, all turns are history.
    """
    called: set[str] = set()
    turns: list[ConversationTurn] = []
    for message in messages:
        turns.append(_turn(message, called))
        called.update(call.id for call in message.tool_calls or ())
    after = turns[question_at + 1 :]
    if any(turn.tool_calls for turn in after):
        return turns[:question_at], after
    return [*turns[:question_at], *after], []


def _turn(message: RequestMessage, called: Collection[str]) -> ConversationTurn:
    if message.role == "tool" and message.tool_call_id in called:
        return ConversationTurn("tool", message.content, tool_call_id=message.tool_call_id)
    calls = [
        ToolCall(n, call.function.arguments, call.id, call.function.name)
        for n, call in enumerate(message.tool_calls or ())
    ]
    by_assistant = calls if message.role == "assistant" else []
    return ConversationTurn(_ROLES.get(message.role, message.role), message.content, by_assistant)


class CallsInProgress:
    """The tool calls of an answer, as far as they have been written."""

    def __init__(self) -> None:
        self._calls: dict[int, dict[str, Any]] = {}

    def add(self, piece: ToolCall) -> dict[str, Any]:
        """Add a piece of a call and return it as it is streamed."""
        call = self._calls.get(piece.index)
        if call is None:
            function = {"name": piece.name or "", "arguments": piece.arguments}
            call = {"id": piece.id or "", "type": "function", "function": function}
            self._calls[piece.index] = call
            return {"index": piece.index, **call, "function": {**function}}
        call["function"]["arguments"] += piece.arguments
        return {"index": piece.index, "function": {"arguments": piece.arguments}}

    def whole(self) -> list[dict[str, Any]]:
        """Return the calls as they are in a whole completion."""
        return [self._calls[index] for index in sorted(self._calls)]

    def arguments(self) -> list[str]:
        """Return the arguments of each call."""
        return [call["function"]["arguments"] for call in self.whole()]
