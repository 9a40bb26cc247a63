"""Answers by a chat model behind an OpenAI-compatible endpoint."""

from __future__ import annotations

import json
from collections.abc import AsyncGenerator, Mapping
from contextlib import aclosing
from dataclasses import replace
from typing import Any

from sage_rag.common.exceptions import UpstreamError
from sage_rag.common.web.errors import ApiError
from sage_rag.rag_server.answering.aliases import Aliases
from sage_rag.rag_server.answering.budget import ANSWER_TOKENS, TokenEstimate
from sage_rag.rag_server.answering.citations import citation_filter
from sage_rag.rag_server.answering.names import names_no_one
from sage_rag.rag_server.answering.prompt import Prompt, build_prompt
from sage_rag.rag_server.answering.protocols import AnswerContext, ChatStream, Piece
from sage_rag.rag_server.answering.tool_calls import ToolCallExpander, hidden_options
from sage_rag.rag_server.chat_request import TOOLS

_TRIES = 6
"""Prompts that are counted before the shortest one is sent."""
_SHORTER = 0.95
"""Passages differ in tokens per character, so that a prompt cut in proportion may not fit yet."""
_MOST_TOOLS = 0.5
"""Share of the model's context that tools may take: passages are what the question is about."""


def _tool_characters(options: Mapping[str, Any]) -> int:
    return len(json.dumps(options["tools"])) if "tools" in options else 0


def _asks_for_json(options: Mapping[str, Any]) -> bool:
    wanted: Mapping[str, object] = options.get("response_format") or {"type": "text"}
    return wanted["type"] != "text"


class ChatAnswerer:
    """Answer with a chat model that reads and writes aliases only.

    `context_tokens`: how many tokens the model reads and writes; passages and history that do not
    fit are left out. Default: what the model says. Its tokenizer counts them if it is in this
    process; otherwise they are estimated from characters.
    """

    name = "chat"
    compose = None

    def __init__(self, model: ChatStream, context_tokens: int | None = None) -> None:
        self._model = model
        self._context_tokens = context_tokens
        self._estimate = TokenEstimate()

    @property
    def honours(self) -> frozenset[str]:
        """The sampling options that the model follows."""
        return self._model.honours

    async def answer(self, conversation: AnswerContext) -> AsyncGenerator[Piece, None]:
        """Yield the model's answer with each alias replaced by its ciphertext token.

        A citation of a passage that the model has not read is removed, but not from JSON, where it
        may be a list of numbers. If the question names no one, a person's alias becomes "the
        person".

        Raises:
            ApiError: 400 if no passage fits the model's context.
        """
        context = self._context_tokens or await self._model.context_tokens()
        conversation = self._with_fitting_tools(conversation, context)
        tool_characters = _tool_characters(conversation.options)
        aliases, withhold = Aliases(), names_no_one(conversation)
        prompt = await self._prompt(conversation, aliases, context)
        options = hidden_options(conversation.options, aliases)
        citations = citation_filter(None if _asks_for_json(options) else prompt.passages)
        expander = aliases.expander(withhold=withhold)
        calls = ToolCallExpander(aliases, withhold=withhold)
        try:
            async with aclosing(self._model.stream(prompt.turns, options)) as pieces:
                async for piece in pieces:
                    text = expander.feed(citations.feed(piece.text))
                    called = [*calls.feed(piece.tool_calls)]
                    if piece.finish_reason is not None:
                        called += calls.flush()
                    if piece.usage is not None:
                        characters = prompt.characters + tool_characters
                        self._estimate.learn(characters, piece.usage.prompt_tokens)
                    yield Piece(text, piece.finish_reason, piece.usage, called)
        except UpstreamError:
            # What was held back is shown before the error: the answer ends where the model did.
            if held := expander.feed(citations.flush()) + expander.flush():
                yield Piece(held)
            raise
        yield Piece(expander.feed(citations.flush()) + expander.flush())

    async def _prompt(
        self, conversation: AnswerContext, aliases: Aliases, context: int | None
    ) -> Prompt:
        """Return the longest prompt that leaves room for an answer in a context of tokens."""
        if context is None:
            return build_prompt(conversation, aliases)
        prompt = await self._fitting(conversation, aliases, self._room(conversation, context))
        if conversation.passages and not prompt.passages:
            raise ApiError(
                400,
                f"no passage fits the model's context of {context} tokens next to the"
                " question and the instructions: shorten these",
                code="context_length_exceeded",
                param="messages",
            )
        return prompt

    async def _fitting(self, conversation: AnswerContext, aliases: Aliases, room: int) -> Prompt:
        """Return a prompt of at most `room` tokens, unless question and instructions have more."""
        prompt = build_prompt(conversation, aliases)
        count = await self._model.count_tokens(prompt.turns)
        if count is None:
            return build_prompt(conversation, aliases, self._estimate.characters(room))
        for _ in range(_TRIES):
            if count is None or count <= room:
                break
            characters = int(prompt.characters * room / count * _SHORTER)
            prompt = build_prompt(conversation, aliases, characters)
            count = await self._model.count_tokens(prompt.turns)
        return prompt

    def _room(self, conversation: AnswerContext, context: int) -> int:
        """Return the tokens that a prompt may have."""
        options = conversation.options
        wanted = options.get("max_completion_tokens") or options.get("max_tokens")
        answer = min(wanted or ANSWER_TOKENS, context // 2)
        tools = int(_tool_characters(options) * self._estimate.rate)
        return max(context - answer - tools, 0)

    def _with_fitting_tools(
        self, conversation: AnswerContext, context: int | None
    ) -> AnswerContext:
        """Return the conversation, without tools that would take most of the model's context.

        Clients offer dozens with every message. Tools stay where a call is demanded or going on.
        """
        options = conversation.options
        is_free = options.get("tool_choice", "auto") == "auto" and not conversation.tool_turns
        if context is None or not is_free:
            return conversation
        if _tool_characters(options) * self._estimate.rate <= context * _MOST_TOOLS:
            return conversation
        kept = {name: value for name, value in options.items() if name not in TOOLS}
        return replace(conversation, options=kept)

    async def check(self) -> None:
        """Return if the model's endpoint answers; raise `UpstreamError` if not."""
        await self._model.check()

    async def close(self) -> None:
        """Release connections."""
        await self._model.close()
