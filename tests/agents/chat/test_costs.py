"""Who asked how often, and what it cost."""

from __future__ import annotations

import asyncio
import threading

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sage_rag.agents.chat.costs import CallCosts, Price
from sage_rag.agents.chat.protocols import TokenUsage


def call(costs: CallCosts, stage: str, prompt: int = 100, completion: int = 20) -> None:
    costs.add(stage, calls=1, usage=TokenUsage(prompt, completion), seconds=0.5)


def test_a_price_is_per_million_of_prompt_and_of_answer() -> None:
    assert Price(0.15, 0.60).of(TokenUsage(2_000_000, 500_000)) == pytest.approx(0.60)


def test_stages_and_totals_are_kept_apart() -> None:
    costs = CallCosts(Price(1.0, 10.0))
    call(costs, "extract")
    call(costs, "review", 300, 40)
    costs.add("review", retries=2)
    costs.add("review", cache_hits=1)
    figures = costs.snapshot()
    assert figures["calls"] == 2
    assert (figures["prompt_tokens"], figures["completion_tokens"]) == (400, 60)
    assert figures["money"] == pytest.approx(0.001)
    assert figures["seconds"] == 1.0
    assert figures["stages"]["review"]["retries"] == 2
    assert figures["stages"]["review"]["cache_hits"] == 1
    assert figures["stages"]["extract"]["retries"] == 0
    assert set(figures["stages"]) == {"extract", "review"}


@given(st.lists(st.integers(0, 5_000), min_size=1, max_size=20), st.randoms(use_true_random=False))
def test_money_does_not_depend_on_the_order_of_calls(prompts, random) -> None:
    forward, shuffled = CallCosts(Price(0.15, 0.60)), CallCosts(Price(0.15, 0.60))
    for prompt in prompts:
        call(forward, "review", prompt)
    random.shuffle(prompts)
    for prompt in prompts:
        call(shuffled, "review", prompt)
    assert forward.total.money == shuffled.total.money


def test_medians_are_over_all_records_also_those_that_skip_a_stage() -> None:
    costs = CallCosts()
    for reviews in (0, 0, 1, 4, 0):
        with costs.record():
            call(costs, "extract")
            for _ in range(reviews):
                call(costs, "review")
    figures = costs.snapshot()
    assert figures["records"] == 5
    assert figures["per_record"] == {"calls": 1.0, "tokens": 120.0}
    assert figures["stages"]["review"]["per_record"] == {"calls": 0.0, "tokens": 0.0}
    assert figures["stages"]["extract"]["per_record"]["calls"] == 1.0


@given(st.lists(st.integers(0, 9), min_size=1, max_size=30))
def test_the_median_is_the_median(counts: list[int]) -> None:
    from statistics import median

    costs = CallCosts()
    for count in counts:
        with costs.record():
            for _ in range(count):
                call(costs, "extract")
    assert costs.snapshot()["per_record"]["calls"] == median(counts)


def test_records_at_once_do_not_mix_and_their_child_tasks_belong_to_them() -> None:
    costs = CallCosts()

    async def ask() -> None:
        await asyncio.sleep(0)
        call(costs, "extract")

    async def record(calls: int) -> None:
        with costs.record():
            await asyncio.gather(*(ask() for _ in range(calls)))

    async def main() -> None:
        await asyncio.gather(*(record(n) for n in (1, 3, 3, 3, 7)))
        await ask()

    asyncio.run(main())
    figures = costs.snapshot()
    assert figures["per_record"]["calls"] == 3.0
    assert figures["calls"] == 18


def test_a_record_counts_its_calls_in_another_loop() -> None:
    costs = CallCosts()
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever)
    thread.start()

    async def ask() -> None:
        call(costs, "recognize")

    for _ in range(2):
        with costs.record():
            asyncio.run_coroutine_threadsafe(ask(), loop).result(5)
    loop.call_soon_threadsafe(loop.stop)
    thread.join()
    loop.close()
    stage = costs.snapshot()["stages"]["recognize"]
    assert stage["per_record"]["calls"] == 1.0


def test_a_record_that_fails_counts_and_a_nested_account_is_not_fooled() -> None:
    costs, other = CallCosts(), CallCosts()

    def fail() -> None:
        with costs.record():
            call(costs, "extract")
            call(other, "extract")
            raise KeyError

    with pytest.raises(KeyError):
        fail()
    assert costs.snapshot()["records"] == 1
    assert other.snapshot()["records"] == 0
    assert other.snapshot()["per_record"]["calls"] is None


def test_a_stage_without_a_name_does_not_count_twice() -> None:
    costs = CallCosts()
    with costs.record():
        call(costs, "")
    assert costs.snapshot()["per_record"]["calls"] == 1.0
    assert set(costs.snapshot()["stages"]) == {"other"}


def test_without_a_price_nothing_is_said_of_money() -> None:
    costs = CallCosts()
    call(costs, "extract")
    assert costs.snapshot()["money"] is None
    assert costs.line() == "1 call, 120 tokens"


def test_the_line_is_short() -> None:
    costs = CallCosts(Price(1.0, 10.0))
    for calls in (2, 3):
        with costs.record():
            for _ in range(calls):
                call(costs, "extract", 300_000, 10_000)
    costs.add("extract", cache_hits=1_234, retries=1)
    line = "5 calls, 1.6 M tokens, $2.00, 2.5 calls a record, 1,234 from the cache, 1 retry"
    assert costs.line() == line
