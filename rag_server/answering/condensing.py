"""Follow-up questions, written as questions of their own by a chat model.

The rules of `followups` need no model. A model also understands a follow-up without a pronoun, and
one in another language. Its line is used only if it can be trusted; otherwise the rules decide.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence
from contextlib import aclosing
from dataclasses import dataclass, field

from sage_rag.common.exceptions import UpstreamError
from sage_rag.privacy.tokens import tokens_in
from sage_rag.rag_server.answering.aliases import UNREADABLE, Aliases
from sage_rag.rag_server.answering.budget import fitting_turns
from sage_rag.rag_server.answering.protocols import ChatStream, ConversationTurn
from sage_rag.rag_server.answering.sentences import content_stems
from sage_rag.rag_server.completions import CompletionUsage, count_tokens
from sage_rag.rag_server.followups import standalone

log = logging.getLogger("sage_rag")

_INSTRUCTIONS = """\
Rewrite the last question of a conversation so that it can be understood alone: replace what \
refers to earlier messages by what it refers to. Change nothing else. If it can already be \
understood alone, repeat it.
Names and places stand as placeholders such as [PERSON_1]. Copy them exactly.
Do not answer. Write the question in its own language, in one line, and nothing else."""
_TOKENS = 120
"""A question of about 80 words."""
_CHARACTERS = 600
_HISTORY_CHARACTERS = 4_000
"""About the last three exchanges: a question seldom refers to earlier ones."""
_SECONDS = 10.0
"""An answer waits for this line, and the rules need no time."""


@dataclass(frozen=True, slots=True)
class CondensedQuestion:
    """A question that stands alone. `names_kept`: whether the names that the edge made blind words
    of are searched: those of the question by rules. `usage`: the tokens that a model read and
    wrote; `None` if none was asked."""

    text: str = field(repr=False)
    names_kept: bool = True
    usage: CompletionUsage | None = None


class QuestionCondenser:
    """Asks a chat model for the last question of a conversation, standing alone.

    Guarantees: the model reads aliases. The result has no token that is not in one of the user's
    messages, and every token of the last one; anything else is refused, and the rules decide.
    Does not guarantee: that the model understood the question.
    """

    def __init__(self, model: ChatStream, timeout_s: float = _SECONDS) -> None:
        self._model = model
        self._timeout_s = timeout_s

    async def condense(self, turns: Sequence[ConversationTurn]) -> CondensedQuestion:
        """Return the last user turn as a question of its own; earlier turns are its context."""
        asked = [turn.text for turn in turns if turn.role == "user"]
        by_rules = standalone(asked)
        if len(asked) < 2:
            return CondensedQuestion(by_rules)
        aliases, written = Aliases(), _Line()
        prompt = _prompt(turns, aliases)
        try:
            async with asyncio.timeout(self._timeout_s):
                await self._write(written, prompt, aliases)
        except (UpstreamError, TimeoutError):
            log.warning("the chat model wrote no question to search with; the rules decide")
            return CondensedQuestion(by_rules, usage=written.cost(prompt))
        line, usage = written.text.strip().strip('"“”').strip(), written.cost(prompt)
        if not _is_usable(line, asked):
            return CondensedQuestion(by_rules, usage=usage)
        names = set(tokens_in(by_rules))
        return CondensedQuestion(line, not names or not names.isdisjoint(tokens_in(line)), usage)

    async def _write(
        self, line: _Line, prompt: Sequence[ConversationTurn], aliases: Aliases
    ) -> None:
        """Add to a line what the model writes, with tokens for its aliases."""
        expander = aliases.expander()
        options = {"temperature": 0.0, "max_tokens": _TOKENS}
        honoured = {name: options[name] for name in options if name in self._model.honours}
        async with aclosing(self._model.stream(prompt, honoured)) as pieces:
            async for piece in pieces:
                line.text += expander.feed(piece.text)
                line.usage = piece.usage or line.usage
                if len(line.text) > _CHARACTERS or "\n" in line.text.strip():
                    break
        line.text += expander.flush()


@dataclass(slots=True)
class _Line:
    """What a model has written so far, and the tokens that it reported."""

    text: str = field(default="", repr=False)
    usage: CompletionUsage | None = None

    def cost(self, prompt: Sequence[ConversationTurn]) -> CompletionUsage:
        """Return the model's count, or ours if it reported none: it ended early, or failed."""
        if self.usage is not None:
            return self.usage
        read = count_tokens(turn.text for turn in prompt)
        return CompletionUsage(read, count_tokens([self.text]))


def _prompt(turns: Sequence[ConversationTurn], aliases: Aliases) -> list[ConversationTurn]:
    """Return one turn with the conversation as material, so that the model does not continue it."""
    *before, last = [
        ConversationTurn(turn.role, aliases.hide(turn.text))
        for turn in turns
        if turn.role in ("user", "assistant") and turn.text
    ]
    kept = fitting_turns(before, _HISTORY_CHARACTERS)
    shown = "\n".join(f"{turn.role.capitalize()}: {turn.text}" for turn in kept)
    return [
        ConversationTurn("system", _INSTRUCTIONS),
        ConversationTurn("user", f"Conversation:\n\n{shown}\n\nLast question: {last.text}"),
    ]


def _is_usable(line: str, asked: Sequence[str]) -> bool:
    """Return whether a model's line can be searched with.

    It must keep the names of the last question and some of its words, add no name that the user did
    not write, and be one line.
    """
    last, own = asked[-1], set(tokens_in(line))
    if not line or "\n" in line or len(line) > _CHARACTERS or UNREADABLE.search(line):
        return False
    if not set(tokens_in(last)) <= own <= {token for text in asked for token in tokens_in(text)}:
        return False
    known = set(content_stems(last))
    return not known or bool(known.intersection(content_stems(line)))
