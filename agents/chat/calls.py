"""All calls to one model: cached, counted, within rates and a budget, asked again after faults."""

from __future__ import annotations

import asyncio
import math
import threading
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from typing import Any
from weakref import WeakKeyDictionary

from sage_rag.agents.chat.accounting import Accounts, Price
from sage_rag.agents.chat.protocols import (
    ChatMessage,
    ChatModel,
    Reply,
    TokenUsage,
    UnusableReplyError,
)
from sage_rag.agents.chat.rates import Clock, Rates
from sage_rag.agents.chat.reply_cache import ReplyCache, reply_key
from sage_rag.agents.chat.retries import Retrying
from sage_rag.common.exceptions import InputError, SageRagError

_BYTES_PER_TOKEN = 3
"""Errs on the side of too many: about 4 in English, 3 in Chinese, fewer in odd spellings."""
_BYTES_PER_TOKEN_AT_MOST = 8
"""Errs on the side of too few, for what a call must cost at least."""
_NEVER_CACHED = frozenset({"recognize"})
"""Stages that ask about plain text: neither its answers nor a digest of it may be kept."""


class BudgetExceededError(SageRagError):
    """The next call could overrun the budget of this run: it was not made.

    Nothing is wrong with the record, so it is not quarantined; what is finished is kept.
    """

    exit_code = 7


@dataclass(frozen=True, slots=True)
class Budget:
    """What a run may spend at most; `None` is no limit. Money needs a price."""

    tokens: int | None = None
    money: float | None = None

    def require(self, price: Price | None) -> None:
        """Raise `InputError` where money is limited but nobody knows what a call costs."""
        if self.money is not None and price is None:
            raise InputError("a budget in money needs a price", hint="--set model.price=0.15,0.60")


class ModelCalls:
    """A `ChatModel` that takes care of all that can be taken care of around another one.

    `settings`: all that decides the model's answers beside the messages, for the cache. Records
    may be treated concurrently; `concurrency` calls are under way at a time in each event loop.

    Guarantees: no call begins that could not be paid for at its least; what overruns the budget is
    at most the answers of calls under way. Answers about plain text are never kept.
    Does not guarantee: to know what servers charge for tries that failed.
    """

    def __init__(
        self,
        model: ChatModel,
        *,
        settings: str = "",
        accounts: Accounts | None = None,
        budget: Budget | None = None,
        rates: Rates | None = None,
        retrying: Retrying | None = None,
        cache: ReplyCache | None = None,
        concurrency: int = 8,
        clock: Clock = time.monotonic,
        on_close: Callable[[], Awaitable[None]] | None = None,
    ) -> None:
        self.accounts = accounts or Accounts()
        self._budget = budget or Budget()
        self._budget.require(self.accounts.price)
        self._model, self._settings, self._cache = model, settings, cache
        self._rates = rates or Rates()
        self._retrying = retrying or Retrying(rates=self._rates)
        self._concurrency, self._clock, self._on_close = concurrency, clock, on_close
        # One per loop: a recognizer may block one loop while it waits for a call in another, and
        # would wait for ever for a slot that the blocked loop holds.
        self._slots: WeakKeyDictionary[asyncio.AbstractEventLoop, asyncio.Semaphore]
        self._slots = WeakKeyDictionary()
        self._lock = threading.Lock()
        self._under_way = TokenUsage()

    @property
    def name(self) -> str:
        """The model's name."""
        return self._model.name

    async def complete(
        self,
        messages: Sequence[ChatMessage],
        *,
        stage: str = "",
        shape: Mapping[str, Any] | None = None,
    ) -> Reply:
        """Return the model's answer, from the cache where it was given before.

        Raises:
            BudgetExceededError: when the call could overrun the budget.
            UnusableReplyError: when this question has no answer.
            UpstreamError: when the model does not answer, patience at its end.
        """
        key = None
        if self._cache is not None and stage not in _NEVER_CACHED:
            key = reply_key(self.name, self._settings, messages, shape)
            if (kept := self._cache.get(key)) is not None:
                self.accounts.add(stage, cache_hits=1)
                return kept
        reply = await self._ask(messages, stage, shape)
        # An answer that was cut off may come whole when asked again under another limit.
        if self._cache is not None and key is not None and reply.finished:
            self._cache.put(key, reply)
        # Who waits for the slot asks first, and only then is the reply worked on: or answers that
        # came together would leave each other's slots empty.
        await asyncio.sleep(0)
        return reply

    async def disconnect(self) -> None:
        """Close the model's connections of the running loop; the next call there opens new ones."""
        if self._on_close is not None:
            await self._on_close()

    async def close(self) -> None:
        """Close the cache and, from the loop that asked, the model's connections."""
        if self._cache is not None:
            self._cache.close()
        await self.disconnect()

    async def _ask(
        self, messages: Sequence[ChatMessage], stage: str, shape: Mapping[str, Any] | None
    ) -> Reply:
        size = sum(len(m.content.encode("utf-8", "replace")) for m in messages)
        thought = math.ceil(size / _BYTES_PER_TOKEN)

        async def once() -> Reply:
            await self._rates.admit(thought)
            reply = await self._model.complete(messages, stage=stage, shape=shape)
            spent = reply.usage.prompt_tokens + reply.usage.completion_tokens
            if spent:
                self._rates.correct(spent - thought)
            return reply

        def retried() -> None:
            self.accounts.add(stage, retries=1)

        async with self._slot():
            with self._reserved(TokenUsage(size // _BYTES_PER_TOKEN_AT_MOST, 1)):
                started = self._clock()
                try:
                    reply = await self._retrying.call(once, retried)
                except UnusableReplyError as error:
                    self._enter(stage, error.usage, TokenUsage(thought), started)
                    raise
                said = math.ceil(len(reply.text.encode("utf-8", "replace")) / _BYTES_PER_TOKEN)
                self._enter(stage, reply.usage, TokenUsage(thought, said), started)
        return reply

    def _enter(self, stage: str, told: TokenUsage, thought: TokenUsage, started: float) -> None:
        """Enter a call; where the server does not tell its tokens, what was thought."""
        unknown = told == TokenUsage()
        usage = thought if unknown else told
        seconds = self._clock() - started
        self.accounts.add(stage, calls=1, usage=usage, estimated=unknown, seconds=seconds)

    @asynccontextmanager
    async def _slot(self) -> AsyncIterator[None]:
        loop = asyncio.get_running_loop()
        with self._lock:
            slot = self._slots.setdefault(loop, asyncio.Semaphore(self._concurrency))
        async with slot:
            yield

    @contextmanager
    def _reserved(self, least: TokenUsage) -> Iterator[None]:
        """Set aside what a call costs at least while it is under way, if the budget allows it."""
        with self._lock:
            self._under_way = _sum(self._under_way, least)
            try:
                self._check(self._under_way)
            except BudgetExceededError:
                self._under_way = _sum(self._under_way, least, sign=-1)
                raise
        try:
            yield
        finally:
            with self._lock:
                self._under_way = _sum(self._under_way, least, sign=-1)

    def _check(self, ahead: TokenUsage) -> None:
        budget, price, spent = self._budget, self.accounts.price, self.accounts.total
        tokens = ahead.prompt_tokens + ahead.completion_tokens
        if budget.tokens is not None and spent.tokens + tokens > budget.tokens:
            raise BudgetExceededError(
                f"the budget of {budget.tokens:,} tokens is used up ({spent.tokens:,} spent)",
                hint="finished documents are kept; raise `model.budget_tokens` and start again",
            )
        if budget.money is not None and price and spent.money + price.of(ahead) > budget.money:
            raise BudgetExceededError(
                f"the budget of ${budget.money:,.2f} is used up (${spent.money:,.4f} spent)",
                hint="finished documents are kept; raise `model.budget` and start again",
            )


def _sum(one: TokenUsage, other: TokenUsage, *, sign: int = 1) -> TokenUsage:
    return TokenUsage(
        one.prompt_tokens + sign * other.prompt_tokens,
        one.completion_tokens + sign * other.completion_tokens,
    )
