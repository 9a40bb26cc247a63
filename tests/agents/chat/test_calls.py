"""All that surrounds a call: cache, budget, concurrency, costs."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from sage_rag.agents.chat.calls import Budget, BudgetExceededError, ModelCalls
from sage_rag.agents.chat.costs import CallCosts, Price
from sage_rag.agents.chat.protocols import (
    ChatMessage,
    Reply,
    RetryableError,
    TokenUsage,
    UnusableReplyError,
)
from sage_rag.agents.chat.rate_limits import RateLimits
from sage_rag.agents.chat.reply_cache import ReplyCache
from sage_rag.agents.chat.retries import RetryPolicy
from sage_rag.common.exceptions import InputError, UpstreamError
from tests.agents.endpoint import ASK, FakeClock


class Model:
    """Answer after a moment with what was asked last; count who is inside."""

    name = "tiny"

    def __init__(self, *faults: Exception, usage: TokenUsage | None = None) -> None:
        self.faults = list(faults)
        self.usage = TokenUsage(100, 20) if usage is None else usage
        self.asked = self.inside = self.most_inside = 0
        self.finished = True

    async def complete(
        self,
        messages: Sequence[ChatMessage],
        *,
        stage: str = "",
        shape: Mapping[str, Any] | None = None,
    ) -> Reply:
        self.asked += 1
        self.inside += 1
        self.most_inside = max(self.most_inside, self.inside)
        await asyncio.sleep(0.001)
        self.inside -= 1
        if self.faults:
            raise self.faults.pop(0)
        return Reply(f"to {messages[-1].content}", self.usage, self.finished)


def user(number: int) -> list[ChatMessage]:
    return [ChatMessage("system", "the same"), ChatMessage("user", f"record {number}")]


def ask_all(calls: ModelCalls, numbers: Sequence[int], stage: str = "extract") -> list[Any]:
    async def main() -> list[Any]:
        asked = (calls.complete(user(n), stage=stage) for n in numbers)
        return list(await asyncio.gather(*asked, return_exceptions=True))

    return asyncio.run(main())


def test_calls_are_counted_with_their_tokens() -> None:
    calls = ModelCalls(Model())
    assert ask_all(calls, [1, 2])[0] == Reply("to record 1", TokenUsage(100, 20))
    stage = calls.costs.snapshot()["stages"]["extract"]
    assert (stage["calls"], stage["prompt_tokens"], stage["completion_tokens"]) == (2, 200, 40)
    assert stage["estimated"] == 0
    assert calls.name == "tiny"


def test_unreported_tokens_are_estimated_and_counted_as_estimated() -> None:
    calls = ModelCalls(Model(usage=TokenUsage()))
    ask_all(calls, [1])
    stage = calls.costs.snapshot()["stages"]["extract"]
    assert stage["estimated"] == 1
    assert stage["prompt_tokens"] == 6  # 16 bytes at 3 a token
    assert stage["completion_tokens"] == 4


def test_no_more_calls_at_once_than_allowed() -> None:
    model = Model()
    ask_all(ModelCalls(model, concurrency=3), range(20))
    assert (model.asked, model.most_inside) == (20, 3)


def test_a_second_run_asks_only_new_questions(tmp_path: Path) -> None:
    path = tmp_path / "replies.sqlite"
    first = ModelCalls(Model(), settings="s", cache=ReplyCache(path))
    ask_all(first, range(4))
    asyncio.run(first.close())
    model = Model()
    second = ModelCalls(model, settings="s", cache=ReplyCache(path))
    assert [reply.text for reply in ask_all(second, range(6))] == [
        f"to record {n}" for n in range(6)
    ]
    assert model.asked == 2
    total = second.costs.total
    assert (total.calls, total.cache_hits, total.tokens) == (2, 4, 240)
    asyncio.run(second.close())


def test_another_setting_or_shape_is_asked_again(tmp_path: Path) -> None:
    model = Model()

    async def main() -> None:
        for settings in ("s", "t"):
            calls = ModelCalls(model, settings=settings, cache=ReplyCache(tmp_path / "r.sqlite"))
            for shape in (None, {"type": "object"}):
                await calls.complete(ASK, shape=shape)
                await calls.complete(ASK, shape=shape)
            await calls.close()

    asyncio.run(main())
    assert model.asked == 4


def test_answers_about_plain_text_are_never_kept(tmp_path: Path) -> None:
    model = Model()
    calls = ModelCalls(model, cache=ReplyCache(tmp_path / "r.sqlite"))
    ask_all(calls, [7], "recognize")
    ask_all(calls, [7], "recognize")
    assert model.asked == 2
    asyncio.run(calls.close())
    assert all(b"record 7" not in file.read_bytes() for file in tmp_path.iterdir())


def test_an_answer_that_was_cut_off_is_not_kept(tmp_path: Path) -> None:
    model = Model()
    model.finished = False
    calls = ModelCalls(model, cache=ReplyCache(tmp_path / "r.sqlite"))
    ask_all(calls, [1])
    ask_all(calls, [1])
    assert model.asked == 2
    asyncio.run(calls.close())


def test_a_budget_of_tokens_stops_before_the_call_that_could_break_it(tmp_path: Path) -> None:
    model = Model()
    cache = ReplyCache(tmp_path / "r.sqlite")
    calls = ModelCalls(model, budget=Budget(tokens=600), cache=cache, concurrency=1)
    replies = ask_all(calls, range(9))
    assert [type(r) for r in replies] == [Reply] * 5 + [BudgetExceededError] * 4
    assert str(replies[5]) == "the budget of 600 tokens is used up (600 spent)"
    assert "finished documents are kept" in replies[5].hint
    assert replies[5].exit_code == 7
    assert model.asked == 5
    assert isinstance(ask_all(calls, [1])[0], Reply)  # the cache costs nothing
    asyncio.run(calls.close())


def test_a_budget_that_allows_no_call_allows_none() -> None:
    model = Model()
    replies = ask_all(ModelCalls(model, budget=Budget(tokens=0)), [1])
    assert isinstance(replies[0], BudgetExceededError)
    assert model.asked == 0


def test_calls_under_way_count_with_what_they_cost_at_least() -> None:
    model = Model(usage=TokenUsage(2, 1))
    calls = ModelCalls(model, budget=Budget(tokens=9), concurrency=64)
    replies = ask_all(calls, range(20))  # 16 bytes: at least 2 tokens and 1
    assert sum(isinstance(r, Reply) for r in replies) == 3
    assert calls.costs.total.tokens == 9


def test_a_budget_in_money_needs_a_price_and_stops() -> None:
    with pytest.raises(InputError, match="needs a price"):
        ModelCalls(Model(), budget=Budget(money=1.0))
    costs = CallCosts(Price(1.0, 10.0))  # 0.0003 a call
    calls = ModelCalls(Model(), costs=costs, budget=Budget(money=0.001), concurrency=1)
    replies = ask_all(calls, range(6))
    assert [type(r) for r in replies] == [Reply] * 4 + [BudgetExceededError] * 2
    assert str(replies[4]) == "the budget of $0.00 is used up ($0.0012 spent)"


def test_what_fails_gives_back_what_was_set_aside() -> None:
    model = Model(UpstreamError("down"), UpstreamError("down"), usage=TokenUsage(2, 1))
    calls = ModelCalls(model, budget=Budget(tokens=3), concurrency=1)
    replies = ask_all(calls, range(4))
    assert [type(r) for r in replies] == [UpstreamError] * 2 + [Reply, BudgetExceededError]


def test_useless_answers_cost_too() -> None:
    calls = ModelCalls(Model(UnusableReplyError("empty", usage=TokenUsage(50, 2))))
    assert isinstance(ask_all(calls, [1])[0], UnusableReplyError)
    assert calls.costs.total.tokens == 52
    assert calls.costs.total.calls == 1


def test_retries_are_counted_but_cost_no_tokens() -> None:
    clock = FakeClock()
    rates = RateLimits(clock=clock, sleep=clock.sleep)
    retries = RetryPolicy(rates=rates, clock=clock, sleep=clock.sleep, jitter=max)
    model = Model(RetryableError("429", retry_after_s=40.0), RetryableError("500"))
    calls = ModelCalls(model, rates=rates, retries=retries, clock=clock)
    assert isinstance(ask_all(calls, [1])[0], Reply)
    total = calls.costs.total
    assert (total.calls, total.retries, total.tokens) == (1, 2, 120)
    assert total.seconds == pytest.approx(43.0)


def test_rates_learn_what_calls_really_take() -> None:
    clock = FakeClock()
    rates = RateLimits(None, 1_200, clock=clock, sleep=clock.sleep)  # 20 a second, 120 at once
    calls = ModelCalls(Model(), rates=rates, concurrency=1)
    ask_all(calls, range(3))
    # The first finds the bucket full; each next one waits until 120 are paid off but for its
    # own estimate of 6.
    assert clock.slept == pytest.approx([6 / 20, 120 / 20])


def test_a_cancelled_call_leaves_its_slot() -> None:
    calls = ModelCalls(Model(), concurrency=1, budget=Budget(tokens=10_000))

    async def main() -> None:
        first = asyncio.create_task(calls.complete(user(1)))
        await asyncio.sleep(0)
        first.cancel()
        await asyncio.gather(first, return_exceptions=True)
        await asyncio.wait_for(calls.complete(user(2)), 5)

    asyncio.run(main())


def test_a_waiting_call_asks_before_the_reply_is_processed() -> None:
    model = Model()
    calls = ModelCalls(model, concurrency=1)
    asked_when_worked_on = []

    async def work(number: int) -> None:
        await calls.complete(user(number))
        asked_when_worked_on.append(model.asked)

    async def main() -> None:
        await asyncio.gather(*(work(number) for number in range(3)))

    asyncio.run(main())
    assert asked_when_worked_on == [2, 3, 3]


def test_a_call_from_another_loop_does_not_wait_for_this_one() -> None:
    calls = ModelCalls(Model(), concurrency=1)

    async def blocked() -> Reply:
        mine = asyncio.create_task(calls.complete(user(1)))
        await asyncio.sleep(0)
        found: list[Reply] = []
        other = threading.Thread(target=lambda: found.append(asyncio.run(calls.complete(user(2)))))
        other.start()
        other.join(10)  # blocks this loop, as a recognizer does, while `mine` holds its slot
        assert found
        return await mine

    assert asyncio.run(blocked()).text == "to record 1"


def test_records_at_once_have_their_own_counts() -> None:
    calls = ModelCalls(Model(), concurrency=4)

    async def record(count: int) -> None:
        with calls.costs.record():
            for n in range(count):
                await calls.complete(user(n), stage="extract")

    async def main() -> None:
        await asyncio.gather(*(record(n) for n in (1, 2, 2, 9, 2)))

    asyncio.run(main())
    figures = json.loads(json.dumps(calls.costs.snapshot()))
    assert figures["stages"]["extract"]["per_record"] == {"calls": 2.0, "tokens": 240.0}
    assert calls.costs.line() == "16 calls, 1.9 k tokens, 3.2 calls a record"


def test_closing_closes_the_cache_and_the_connections() -> None:
    closed: list[str] = []

    async def close() -> None:
        closed.append("backend")

    asyncio.run(ModelCalls(Model(), on_close=close).close())
    assert closed == ["backend"]
