"""Where the text comes from: a model in this process, or one behind an endpoint."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol

from sage_rag.agents.chat.protocols import ChatMessage, ChatModel, UnusableReplyError
from sage_rag.training.controlled.blocking import BlockedTokens
from sage_rag.training.controlled.prefix import Prefix
from sage_rag.training.controlled.prompts import SYSTEM, SYSTEM_WITHOUT_CODES
from sage_rag.training.controlled.sampling import CausalWriter, SamplingSettings
from sage_rag.training.controlled.value_trie import ValueTrie
from sage_rag.training.synthesis.asking import Asking

DECODING = "blocked while decoding, and checked"
CHECKING = "checked after the text is written"


@dataclass(frozen=True, slots=True)
class TextRequest:
    """What one sample is written from. `values`: what it may not contain; `None` blocks nothing.

    `coded`: whether the prompt has control codes. `repr` hides the prompt, which has real examples.
    """

    prompt: str = field(repr=False)
    seed: int
    values: ValueTrie | None = field(default=None, repr=False)
    coded: bool = True


class Sampler(Protocol):
    """Writes one text for each request. It may fail to block values: its caller checks."""

    @property
    def fingerprint(self) -> str:
        """A name that changes with the texts; it contains no path."""
        ...

    @property
    def blocking(self) -> str:
        """How it blocks values: `DECODING` or `CHECKING`."""
        ...

    @property
    def rows(self) -> int:
        """How many requests it takes at once."""
        ...

    def write(self, requests: Sequence[TextRequest]) -> list[str]:
        """Return the texts, in order; an empty one where the model has no answer."""
        ...


class CausalSampler:
    """A model in this process, perhaps with a trained prefix; values are blocked while it decodes.

    `rows`: texts that are written side by side.
    """

    blocking = DECODING

    def __init__(
        self,
        writer: CausalWriter,
        settings: SamplingSettings | None = None,
        prefix: Prefix | None = None,
        *,
        prefix_digest: str = "",
        rows: int = 8,
    ) -> None:
        self._writer, self._prefix, self.rows = writer, prefix, rows
        self._settings = settings or SamplingSettings()
        self.fingerprint = f"causal/{writer.digest}/{prefix_digest}/{self._settings}"
        self._tables: dict[int, tuple[ValueTrie, BlockedTokens]] = {}

    def write(self, requests: Sequence[TextRequest]) -> list[str]:
        """Return the texts of one batch."""
        return self._writer.write(
            [request.prompt for request in requests],
            [request.seed for request in requests],
            self._settings,
            prefix=self._prefix,
            blocked=self._blocked(requests),
        )

    @property
    def cut(self) -> int:
        """How many prompts lost their beginning."""
        return self._writer.cut

    def close(self) -> None:
        """Do nothing: the model is freed with the sampler."""

    def _blocked(self, requests: Sequence[TextRequest]) -> list[BlockedTokens]:
        """Return the tables of each row; rows that block nothing have an empty set of values."""
        if all(request.values is None for request in requests):
            return []
        return [self._table(request.values or _NO_VALUES) for request in requests]

    def _table(self, values: ValueTrie) -> BlockedTokens:
        known = self._tables.get(id(values))
        if known is None or known[0] is not values:
            if len(self._tables) > 4 * self.rows:
                self._tables.clear()
            known = (values, BlockedTokens(values, self._writer.vocabulary))
            self._tables[id(values)] = known
        return known[1]


_NO_VALUES = ValueTrie(())


class ChatSampler:
    """Any `ChatModel`. Endpoints prohibit at most single tokens (`logit_bias`), which would block
    every word that contains one; so values are not blocked while it decodes."""

    blocking = CHECKING
    cut = 0
    """An endpoint refuses a prompt that it cannot read whole."""

    def __init__(
        self, model: ChatModel, settings: SamplingSettings | None = None, *, rows: int = 8
    ) -> None:
        """Wrap a model; `settings`: those that it was built with, for the fingerprint."""
        self._model, self._asking, self.rows = model, Asking(model), rows
        self.fingerprint = f"chat/{model.name}/{settings}"

    def write(self, requests: Sequence[TextRequest]) -> list[str]:
        """Ask for all texts at once."""
        return self._asking.all([self._answer(request) for request in requests])

    def close(self) -> None:
        """Close the model's connections."""
        self._asking.close()

    async def _answer(self, request: TextRequest) -> str:
        system = SYSTEM if request.coded else SYSTEM_WITHOUT_CODES
        messages = [ChatMessage("system", system), ChatMessage("user", request.prompt)]
        try:
            reply = await self._model.complete(messages, stage="controlled")
        except UnusableReplyError:
            return ""
        return reply.text
