"""Requests and tokens per minute, and pauses for all."""

from __future__ import annotations

import asyncio

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sage_rag.agents.chat.rate_limits import RateLimits, TokenBucket
from tests.agents.endpoint import FakeClock


def test_a_bucket_lets_a_burst_through_and_then_keeps_the_rate() -> None:
    clock = FakeClock()
    bucket = TokenBucket(60, clock)
    assert [bucket.take(1) for _ in range(6)] == [0.0] * 6
    assert [bucket.take(1) for _ in range(3)] == pytest.approx([1.0, 2.0, 3.0])
    clock.now += 3.0
    assert bucket.take(1) == pytest.approx(1.0)
    clock.now += 3600
    assert [bucket.take(1) for _ in range(7)] == pytest.approx([0.0] * 6 + [1.0])


def test_a_request_larger_than_the_bucket_passes_and_the_next_one_waits() -> None:
    bucket = TokenBucket(600, FakeClock())
    assert bucket.take(600) == 0.0
    assert bucket.take(10) == pytest.approx((540 + 10) / 10)


def test_corrections_lengthen_and_shorten_the_next_wait() -> None:
    bucket = TokenBucket(600, FakeClock())
    assert bucket.take(60) == 0.0
    bucket.correct(40)
    assert bucket.take(10) == pytest.approx(5.0)
    bucket.correct(-30)
    assert bucket.take(10) == pytest.approx(3.0)


@given(
    st.integers(1, 600),
    st.lists(st.tuples(st.integers(1, 30), st.floats(0, 20)), min_size=1, max_size=40),
)
def test_no_minute_gets_more_than_a_tenth_over_its_rate(
    per_minute: int, calls: list[tuple[int, float]]
) -> None:
    clock = FakeClock()
    bucket = TokenBucket(per_minute, clock)
    passed: list[tuple[float, int]] = []
    for units, later in calls:
        clock.now += later
        passed.append((clock.now + bucket.take(units), units))
    assert passed == sorted(passed, key=lambda p: p[0])
    for start, _ in passed:
        inside = [units for at, units in passed if start <= at < start + 60]
        allowed = per_minute + max(1.0, per_minute / 10)
        assert sum(inside[:-1]) <= allowed + 1e-6 * allowed


@pytest.mark.parametrize("rate", [0, -1])
def test_a_rate_of_nothing_is_refused(rate: float) -> None:
    with pytest.raises(ValueError, match="above 0"):
        TokenBucket(rate, FakeClock())


def test_both_rates_hold_and_a_pause_holds_everybody() -> None:
    clock = FakeClock()
    rates = RateLimits(60, 600, clock=clock, sleep=clock.sleep)

    async def main() -> None:
        for _ in range(6):
            await rates.admit(1)
        assert clock.slept == []
        await rates.admit(1)
        assert clock.slept == pytest.approx([1.0])
        rates.correct(93)
        await rates.admit(10)
        assert clock.slept[-1] == pytest.approx(4.0)
        rates.pause(40)
        rates.pause(10)
        clock.slept.clear()
        await rates.admit(0)
        assert sum(clock.slept) == pytest.approx(40.0)

    asyncio.run(main())


def test_without_limits_no_call_waits() -> None:
    clock = FakeClock()
    rates = RateLimits(clock=clock, sleep=clock.sleep)
    asyncio.run(rates.admit(10**9))
    rates.correct(5)
    assert clock.slept == []
