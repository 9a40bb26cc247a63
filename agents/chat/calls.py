"""All calls of one model: cached, counted, limited in rate and budget, repeated after faults."""

from __future__ import annotations

import asyncio
import math
import threading
import time
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from typing import Any
from weakref import WeakKeyDictionary

from sage_rag.agents.chat.costs import CallCosts, Price
from sage_rag.agents.chat.protocols import (
    ChatMessage,
    ChatModel,
    Reply,
    TokenUsage,
    UnusableReplyError,
)
from sage_rag.agents.chat.rate_limits import Clock, RateLimits
from sage_rag.agents.chat.reply_cache import ReplyCache, reply_key
from sage_rag.agents.chat.retries import RetryPolicy
from sage_rag.common.exceptions import InputError, SageRagError

_BYTES_PER_TOKEN = 3
"""For estimates, rather too many tokens: about 4 in English, 3 in Chinese, fewer in odd text."""
_MAX_BYTES_PER_TOKEN = 8
"""For the least that a call can cost, rather too few tokens."""
_NEVER_CACHED = frozenset({"recognize"})
"""Stages that ask about plain text: neither its answers nor a digest of it may be kept."""


class BudgetExceededError(SageRagError):
    """The next call could exceed the budget of this run and was not made.

    The record has no defect, so it is not quarantined; finished documents are kept.
    """

    exit_code = 7


@dataclass(frozen=True, slots=True)
class Budget:
    """The most that a run may spend; `None` is no limit. A limit in money needs a price."""

    tokens: int | None = None
    money: float | None = None

    def require(self, price: Price | None) -> None:
        """Raise `InputError` if money is limited but the price is unknown."""
        if self.money is not None and price is None:
            raise InputError("a budget in money needs a price", hint="--set model.price=0.15,0.60")

    def check(self, costs: CallCosts, in_progress: Sequence[TokenUsage]) -> None:
        """Raise `BudgetExceededError` if the costs and the calls in progress exceed the budget."""
        ahead = TokenUsage(
            sum(usage.prompt_tokens for usage in in_progress),
            sum(usage.completion_tokens for usage in in_progress),
        )
        spent, price = costs.total, costs.price
        if self.tokens is not None and spent.tokens + ahead.tokens > self.tokens:
            raise BudgetExceededError(
                f"the budget of {self.tokens:,} tokens is used up ({spent.tokens:,} spent)",
                hint="finished documents are kept; raise `model.budget_tokens` and start again",
            )
        if self.money is not None and price and spent.money + price.of(ahead) > self.money:
            raise BudgetExceededError(
                f"the budget of ${self.money:,.2f} is used up (${spent.money:,.4f} spent)",
                hint="finished documents are kept; raise `model.budget` and start again",
            )


class ModelCalls:
    """Wraps a `ChatModel` with a cache, rate limits, a budget and retries.

    `settings`: everything that decides the model's answers besides the messages, for the cache.
    Records may be treated concurrently; at most `concurrency` calls are in progress per event loop.

    Guarantees: no call begins if the budget cannot pay its least cost; only the answers of calls
    in progress can exceed the budget. Answers about plain text are never kept.
    Does not guarantee: to know what servers charge for failed tries.
    """

    def __init__(
        self,
        model: ChatModel,
        *,
        settings: str = "",
        costs: CallCosts | None = None,
        budget: Budget | None = None,
        rates: RateLimits | None = None,
        retries: RetryPolicy | None = None,
        cache: ReplyCache | None = None,
        concurrency: int = 8,
        clock: Clock = time.monotonic,
        on_close: Callable[[], Awaitable[None]] | None = None,
    ) -> None:
        self.name = model.name
        self.costs = costs or CallCosts()
        self._budget = budget or Budget()
        self._budget.require(self.costs.price)
        self._model, self._settings, self._cache = model, settings, cache
        self._rates = rates or RateLimits()
        self._retries = retries or RetryPolicy(rates=self._rates)
        self._concurrency, self._clock, self._on_close = concurrency, clock, on_close
        # One per loop: a recognizer may block one loop while it waits for a call in another, and
        # would wait for ever for a slot that the blocked loop holds.
        self._slots: WeakKeyDictionary[asyncio.AbstractEventLoop, asyncio.Semaphore]
        self._slots = WeakKeyDictionary()
        self._lock = threading.Lock()
        self._in_progress: list[TokenUsage] = []

    async def complete(
        self,
        messages: Sequence[ChatMessage],
        *,
        stage: str = "",
        shape: Mapping[str, Any] | None = None,
    ) -> Reply:
        """Return the model's answer, from the cache if the same question was answered before.

        Raises:
            BudgetExceededError: when the call could exceed the budget.
            UnusableReplyError: when this question has no answer.
            UpstreamError: when no try within the patience is answered.
        """
        cache = None if stage in _NEVER_CACHED else self._cache
        key = reply_key(self.name, self._settings, messages, shape) if cache else ""
        if cache and (kept := cache.get(key)) is not None:
            self.costs.add(stage, cache_hits=1)
            return replace(kept, forget=partial(cache.remove, key))
        reply = await self._ask(messages, stage, shape)
        # An answer that was cut off may be complete under another limit, so it is not kept.
        if cache and reply.finished:
            cache.put(key, reply)
            reply = replace(reply, forget=partial(cache.remove, key))
        # Let the caller that waits for the slot send its question before this reply is processed:
        # after answers that arrive together, slots would stay empty.
        await asyncio.sleep(0)
        return reply

    async def disconnect(self) -> None:
        """Close the model's connections of the running loop; the next call there opens new ones."""
        if self._on_close is not None:
            await self._on_close()

    async def close(self) -> None:
        """Close the cache and the model's connections of the running loop."""
        if self._cache is not None:
            self._cache.close()
        await self.disconnect()

    async def _ask(
        self, messages: Sequence[ChatMessage], stage: str, shape: Mapping[str, Any] | None
    ) -> Reply:
        size = sum(map(_size, (message.content for message in messages)))
        estimated = math.ceil(size / _BYTES_PER_TOKEN)

        async def once() -> Reply:
            await self._rates.admit(estimated)
            reply = await self._model.complete(messages, stage=stage, shape=shape)
            if reply.usage.tokens:
                self._rates.correct(reply.usage.tokens - estimated)
            return reply

        def retried() -> None:
            self.costs.add(stage, retries=1)

        least = TokenUsage(size // _MAX_BYTES_PER_TOKEN, 1)
        async with self._slot():
            with self._reserved(least):
                started = self._clock()
                try:
                    reply = await self._retries.call(once, retried)
                except UnusableReplyError as error:
                    self._count(stage, error.usage, TokenUsage(estimated), started)
                    raise
                answer = math.ceil(_size(reply.text) / _BYTES_PER_TOKEN)
                self._count(stage, reply.usage, TokenUsage(estimated, answer), started)
        return reply

    def _count(
        self, stage: str, reported: TokenUsage, estimated: TokenUsage, started: float
    ) -> None:
        """Count a call, with the estimate if the server reports no tokens."""
        unknown = reported == TokenUsage()
        usage = estimated if unknown else reported
        seconds = self._clock() - started
        self.costs.add(stage, calls=1, usage=usage, estimated=unknown, seconds=seconds)

    def _slot(self) -> asyncio.Semaphore:
        with self._lock:
            return self._slots.setdefault(
                asyncio.get_running_loop(), asyncio.Semaphore(self._concurrency)
            )

    @contextmanager
    def _reserved(self, least: TokenUsage) -> Iterator[None]:
        """Reserve the least cost of a call while it is in progress, if the budget allows it."""
        with self._lock:
            self._budget.check(self.costs, [*self._in_progress, least])
            self._in_progress.append(least)
        try:
            yield
        finally:
            with self._lock:
                self._in_progress.remove(least)


def _size(text: str) -> int:
    return len(text.encode("utf-8", "replace"))
