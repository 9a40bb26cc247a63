"""The budget of a prompt in the tokens of a model whose tokenizer the server does not have."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Sequence

from sage_rag.rag_server.answering.protocols import ConversationTurn

ANSWER_TOKENS = 1024
"""Tokens that are left for an answer without `max_tokens`."""
_FIRST_RATE = 0.45
"""Tokens per character before the model reported any: more than English text has (0.22 to 0.30) or
aliases (0.4), so that the first prompts fit."""
_MARGIN = 1.1
_REMEMBERED = 16
_TURN = 24
"""Characters for what a chat template adds to a message."""
_SHORTEST = 200
"""Characters of a passage that are worth a place."""


class TokenEstimate:
    """Estimates the tokens of a text from its characters; learns from the counts of the model."""

    def __init__(self) -> None:
        self._rates: deque[float] = deque(maxlen=_REMEMBERED)
        self._lock = threading.Lock()

    def learn(self, characters: int, tokens: int) -> None:
        """Take the count that the model reported for a prompt."""
        if characters > 0 and tokens > 0:
            with self._lock:
                self._rates.append(tokens / characters)

    @property
    def rate(self) -> float:
        """Tokens per character: the highest rate of the last prompts, with a margin."""
        with self._lock:
            return max(self._rates) * _MARGIN if self._rates else _FIRST_RATE

    def characters(self, tokens: int) -> int:
        """Return how many characters have at most this number of tokens."""
        return max(int(tokens / self.rate), 0)


def fitting_passages(texts: Sequence[str], room: int) -> list[str]:
    """Return the first texts that fit `room` characters; the last of them may end at a word."""
    kept: list[str] = []
    for text in texts:
        if len(text) + _TURN > room:
            if room >= _SHORTEST:
                kept.append(text[: room - _TURN].rpartition(" ")[0])
            break
        kept.append(text)
        room -= len(text) + _TURN
    return kept


def fitting_turns(turns: Sequence[ConversationTurn], room: int) -> list[ConversationTurn]:
    """Return the last turns that fit `room` characters, in order."""
    kept: list[ConversationTurn] = []
    for turn in reversed(turns):
        room -= turn_characters(turn)
        if room < 0:
            break
        kept.append(turn)
    return kept[::-1]


def without_cut_calls(turns: Sequence[ConversationTurn]) -> list[ConversationTurn]:
    """Return the turns without results of tools whose calls were left out before them."""
    first = next((n for n, turn in enumerate(turns) if turn.role != "tool"), len(turns))
    return list(turns[first:])


def turn_characters(turn: ConversationTurn) -> int:
    """Return the characters that a turn takes."""
    called = (len(call.arguments) + len(call.name or "") + _TURN for call in turn.tool_calls)
    return len(turn.text) + sum(called) + _TURN
