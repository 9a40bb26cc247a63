"""Who asked how often, and what it cost."""

from __future__ import annotations

import asyncio
import threading

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sage_rag.agents.chat.accounting import Accounts, Price
from sage_rag.agents.chat.protocols import TokenUsage


def call(accounts: Accounts, stage: str, prompt: int = 100, completion: int = 20) -> None:
    accounts.add(stage, calls=1, usage=TokenUsage(prompt, completion), seconds=0.5)


def test_a_price_is_per_million_of_prompt_and_of_answer() -> None:
    assert Price(0.15, 0.60).of(TokenUsage(2_000_000, 500_000)) == pytest.approx(0.60)


def test_stages_and_totals_are_kept_apart() -> None:
    accounts = Accounts(Price(1.0, 10.0))
    call(accounts, "extract")
    call(accounts, "review", 300, 40)
    accounts.add("review", retries=2)
    accounts.add("review", cache_hits=1)
    figures = accounts.snapshot()
    assert figures["calls"] == 2
    assert (figures["prompt_tokens"], figures["completion_tokens"]) == (400, 60)
    assert figures["money"] == pytest.approx(0.001)
    assert figures["seconds"] == 1.0
    assert figures["stages"]["review"]["retries"] == 2
    assert figures["stages"]["review"]["cache_hits"] == 1
    assert figures["stages"]["extract"]["retries"] == 0
    assert set(figures["stages"]) == {"extract", "review"}


def test_medians_are_over_all_records_also_those_that_skip_a_stage() -> None:
    accounts = Accounts()
    for reviews in (0, 0, 1, 4, 0):
        with accounts.record():
            call(accounts, "extract")
            for _ in range(reviews):
                call(accounts, "review")
    figures = accounts.snapshot()
    assert figures["records"] == 5
    assert figures["per_record"] == {"calls": 1.0, "tokens": 120.0}
    assert figures["stages"]["review"]["per_record"] == {"calls": 0.0, "tokens": 0.0}
    assert figures["stages"]["extract"]["per_record"]["calls"] == 1.0


@given(st.lists(st.integers(0, 9), min_size=1, max_size=30))
def test_the_median_is_the_median(counts: list[int]) -> None:
    from statistics import median

    accounts = Accounts()
    for count in counts:
        with accounts.record():
            for _ in range(count):
                call(accounts, "extract")
    assert accounts.snapshot()["per_record"]["calls"] == median(counts)


def test_records_at_once_do_not_mix_and_their_child_tasks_belong_to_them() -> None:
    accounts = Accounts()

    async def ask() -> None:
        await asyncio.sleep(0)
        call(accounts, "extract")

    async def record(calls: int) -> None:
        with accounts.record():
            await asyncio.gather(*(ask() for _ in range(calls)))

    async def main() -> None:
        await asyncio.gather(*(record(n) for n in (1, 3, 3, 3, 7)))
        await ask()

    asyncio.run(main())
    figures = accounts.snapshot()
    assert figures["per_record"]["calls"] == 3.0
    assert figures["calls"] == 18


def test_a_record_counts_what_is_asked_for_it_in_another_loop() -> None:
    accounts = Accounts()
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever)
    thread.start()

    async def ask() -> None:
        call(accounts, "recognize")

    for _ in range(2):
        with accounts.record():
            asyncio.run_coroutine_threadsafe(ask(), loop).result(5)
    loop.call_soon_threadsafe(loop.stop)
    thread.join()
    loop.close()
    stage = accounts.snapshot()["stages"]["recognize"]
    assert stage["per_record"]["calls"] == 1.0


def test_a_record_that_fails_counts_and_a_nested_account_is_not_fooled() -> None:
    accounts, other = Accounts(), Accounts()

    def fail() -> None:
        with accounts.record():
            call(accounts, "extract")
            call(other, "extract")
            raise KeyError

    with pytest.raises(KeyError):
        fail()
    assert accounts.snapshot()["records"] == 1
    assert other.snapshot()["records"] == 0
    assert other.snapshot()["per_record"]["calls"] is None


def test_a_stage_without_a_name_does_not_count_twice() -> None:
    accounts = Accounts()
    with accounts.record():
        call(accounts, "")
    assert accounts.snapshot()["per_record"]["calls"] == 1.0
    assert set(accounts.snapshot()["stages"]) == {"other"}


def test_without_a_price_nothing_is_said_of_money() -> None:
    accounts = Accounts()
    call(accounts, "extract")
    assert accounts.snapshot()["money"] is None
    assert accounts.line() == "1 call, 120 tokens"


def test_the_line_is_short() -> None:
    accounts = Accounts(Price(1.0, 10.0))
    for calls in (2, 3):
        with accounts.record():
            for _ in range(calls):
                call(accounts, "extract", 300_000, 10_000)
    accounts.add("extract", cache_hits=1_234, retries=1)
    line = "5 calls, 1.6 M tokens, $2.00, 2.5 calls a record, 1,234 from the cache, 1 retry"
    assert accounts.line() == line
