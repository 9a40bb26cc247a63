"""Block private values while a model decodes.

At each step, every token that would complete a blocked value gets the score minus infinity, so that
no text of the sampler contains one, wherever it ends. The blocked tokens of a state come from two
tries that are walked together: one of the values, one of the vocabulary.

Source: Zhao and Field (2025), §2.2: tokens of the examples' values are prohibited. Differs: values
are compared by letters and digits, so that every case, spacing, punctuation and tokenisation is
blocked; the paper lists some case variants.

Dimensions: B rows, L tokens, V tokens of the vocabulary.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import torch
from torch import Tensor
from transformers import LogitsProcessor

from sage_rag.training.controlled.token_bytes import split_bytes, token_bytes
from sage_rag.training.controlled.value_trie import (
    SEPARATOR,
    Kind,
    ValueTrie,
    border,
    kind_of,
    symbols_of,
)

_NO_MATCH: frozenset[int] = frozenset()


@dataclass(frozen=True, slots=True)
class TextState:
    """What decides the blocked tokens: unfinished matches, the last symbol, unfinished bytes."""

    active: frozenset[int] = _NO_MATCH
    before: Kind = Kind.SEPARATOR
    unfinished: bytes = b""


@dataclass(slots=True)
class _TokenNode:
    """Tokens that end here. `border`: whether a word can begin below, after its first symbol."""

    children: dict[str, _TokenNode] = field(default_factory=dict)
    tokens: list[int] = field(default_factory=list)
    border: bool = False

    def add(self, symbols: str, token: int) -> None:
        """Add a token below this node."""
        path = [self]
        for symbol in symbols:
            path.append(path[-1].children.setdefault(symbol, _TokenNode()))
        path[-1].tokens.append(token)
        kinds = list(map(kind_of, symbols))
        last = max((n for n in range(1, len(kinds)) if border(kinds[n - 1], kinds[n])), default=0)
        for node in path[1 : last + 1]:
            node.border = True


class Vocabulary:
    """The tokens of a tokenizer as symbols, and a trie of them."""

    def __init__(self, tokenizer: Any) -> None:
        """Read the vocabulary.

        Raises:
            InputError: for a tokenizer whose tokens are not known as bytes.
        """
        self.bytes = token_bytes(tokenizer)
        self.symbols: list[str] = []
        self.tails: list[bytes] = []
        self.continuing: list[int] = []
        """Tokens that begin with bytes of an earlier character."""
        self.root = _TokenNode()
        for token, content in enumerate(self.bytes):
            lead, text, tail = split_bytes(content)
            symbols = (SEPARATOR if lead else "") + symbols_of(text)
            self.symbols.append(symbols)
            self.tails.append(tail)
            if lead:
                self.continuing.append(token)
            self.root.add(symbols, token)


class BlockedTokens:
    """Which tokens a set of values blocks in each state of a text; computed once for each state."""

    def __init__(self, values: ValueTrie, vocabulary: Vocabulary) -> None:
        self._values = values
        self._vocabulary = vocabulary
        self._from_start = {kind: self._walk(_NO_MATCH, kind, begins=True) for kind in Kind}
        self._from_node: dict[int, Tensor] = {}
        self._unfinished: dict[TextState, Tensor] = {}

    def after(self, state: TextState, token: int) -> TextState:
        """Return the state after a token."""
        return self._read(state, token)[0]

    def blocked(self, state: TextState) -> list[Tensor]:
        """Return the ids of blocked tokens, in parts that may overlap."""
        if state.unfinished:
            if state not in self._unfinished:
                self._unfinished[state] = self._blocked_after_bytes(state)
            return [self._unfinished[state]]
        parts = [self._from_start[state.before]]
        for node in state.active:
            if node not in self._from_node:
                # Matches that begin within a token are in `_from_start`.
                self._from_node[node] = self._walk(frozenset({node}), state.before, begins=False)
            parts.append(self._from_node[node])
        return parts

    def _read(self, state: TextState, token: int) -> tuple[TextState, bool]:
        """Return the state after a token, and whether it completed a value."""
        symbols, tail = self._vocabulary.symbols[token], self._vocabulary.tails[token]
        if state.unfinished:
            content = state.unfinished + self._vocabulary.bytes[token]
            _, text, tail = split_bytes(content)
            symbols = symbols_of(text)
        active, before, completed = state.active, state.before, False
        for symbol in symbols:
            active, ended = self._values.step(active, before, symbol)
            completed = completed or ended
            before = kind_of(symbol)
        completed = completed or self._values.ends(active)
        return TextState(active, before, tail), completed

    def _blocked_after_bytes(self, state: TextState) -> Tensor:
        """Return the ids after an unfinished character: rare, so each token is read by itself."""
        every = range(len(self._vocabulary.symbols))
        found = [token for token in every if self._read(state, token)[1]]
        return torch.tensor(found, dtype=torch.long)

    def _walk(self, active: frozenset[int], before: Kind, *, begins: bool) -> Tensor:
        """Return the ids of all tokens that complete a match of `active` or, with `begins`, a new
        one."""
        blocked: list[int] = []
        waiting = [(self._vocabulary.root, active, before)]
        while waiting:
            node, reached, last = waiting.pop()
            if self._values.ends(reached):
                blocked += node.tokens
            for symbol, child in node.children.items():
                after, ended = self._values.step(reached, last, symbol, begins=begins)
                if ended:
                    blocked += _tokens_below(child)
                elif after or (begins and child.border):
                    waiting.append((child, after, kind_of(symbol)))
        return torch.tensor(blocked, dtype=torch.long)


class BlockingProcessor(LogitsProcessor):
    """Keeps a sampler of transformers from writing private values.

    `blocked`: one set of values for all rows of a batch, or one for each row. `prompt_tokens`: the
    length of the prompt with its padding; the prompt itself is not judged. One processor serves one
    call of `generate`.

    Guarantees: a text that is decoded from allowed tokens contains none of the values, as
    `ValueTrie.found_in` compares them, after every step. The end token is always allowed.
    Does not guarantee: anything about a value that is described or translated; or that bytes which
    are no character are decoded as they are read here (tokenizers with byte fallback). The check of
    finished texts finds a value in those.
    """

    def __init__(self, blocked: Sequence[BlockedTokens], prompt_tokens: int) -> None:
        self._blocked = blocked
        self._prompt_tokens = prompt_tokens
        self._rows: list[tuple[list[int], TextState]] = []

    def __call__(self, input_ids: Tensor, scores: Tensor) -> Tensor:
        """Return the scores (B, V) after the tokens (B, L), without those that are blocked."""
        written = input_ids[:, self._prompt_tokens :].tolist()
        self._rows = [(row, self._state_of(place, row)) for place, row in enumerate(written)]
        kept = scores.clone()
        for place, (_, state) in enumerate(self._rows):
            for tokens in self._of(place).blocked(state):
                if len(tokens):
                    kept[place].index_fill_(0, tokens.to(scores.device), -torch.inf)
        return kept

    def _of(self, place: int) -> BlockedTokens:
        return self._blocked[place if len(self._blocked) > 1 else 0]

    def _state_of(self, place: int, row: list[int]) -> TextState:
        """Return the state after a row's tokens, from that of the last step where it continues."""
        known, state = self._rows[place] if place < len(self._rows) else ([], TextState())
        if row[: len(known)] != known:
            known, state = [], TextState()
        for token in row[len(known) :]:
            state = self._of(place).after(state, token)
        return state


def _tokens_below(node: _TokenNode) -> list[int]:
    found, waiting = [], [node]
    while waiting:
        node = waiting.pop()
        found += node.tokens
        waiting += node.children.values()
    return found
