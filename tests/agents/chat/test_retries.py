"""Asking again: how long, how often, and when no more."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

import pytest

from sage_rag.agents.chat.protocols import RetryableError, UnusableReplyError
from sage_rag.agents.chat.rate_limits import RateLimits
from sage_rag.agents.chat.retries import RetryPolicy
from sage_rag.common.exceptions import UpstreamError
from tests.agents.endpoint import FakeClock


class Asking:
    """A model that fails as listed, then answers; and what was waited and said meanwhile."""

    def __init__(self, *faults: Exception, patience_s: float = 300.0, jitter: float = 1.0) -> None:
        self.clock = FakeClock()
        self.faults = list(faults)
        self.said: list[str] = []
        self.retries = self.tries = 0
        self.rates = RateLimits(clock=self.clock, sleep=self.clock.sleep)
        self.policy = RetryPolicy(
            patience_s, rates=self.rates, clock=self.clock, sleep=self.clock.sleep,
            jitter=lambda low, high: low + jitter * (high - low), announce=self.said.append,
        )  # fmt: skip

    async def ask(self) -> str:
        await self.rates.admit(0)
        await asyncio.sleep(0)  # the answer comes when others are under way, too
        self.tries += 1
        if self.faults:
            raise self.faults.pop(0)
        return "fine"

    def retried(self) -> None:
        self.retries += 1

    def run(self) -> str:
        return asyncio.run(self.policy.call(self.ask, self.retried))


def busy(retry_after_s: float | None = None) -> RetryableError:
    return RetryableError("the model endpoint answered 429", retry_after_s=retry_after_s)


def for_ever(make: Callable[[], Exception]) -> list[Exception]:
    return [make() for _ in range(10_000)]


def test_pauses_double_up_to_a_limit() -> None:
    asking = Asking(*(busy() for _ in range(8)), patience_s=1e6)
    assert asking.run() == "fine"
    assert asking.clock.slept == [1, 2, 4, 8, 16, 30, 30, 30]
    assert asking.retries == 8


@pytest.mark.parametrize(("jitter", "slept"), [(0.0, [0, 0]), (0.5, [0.5, 1])])
def test_jitter_is_full(jitter: float, slept: list[float]) -> None:
    asking = Asking(busy(), busy(), jitter=jitter)
    asking.run()
    assert asking.clock.slept == slept


def test_patience_is_a_total_and_its_end_is_used() -> None:
    asking = Asking(*for_ever(busy), patience_s=100)
    with pytest.raises(UpstreamError, match=r"answered 429; given up after \d+ tries in 100 s"):
        asking.run()
    assert sum(asking.clock.slept) == pytest.approx(100, abs=1)


def test_giving_up_is_final() -> None:
    with pytest.raises(UpstreamError) as caught:
        Asking(*for_ever(busy), patience_s=10).run()
    assert not isinstance(caught.value, RetryableError)
    assert "finished documents are kept" in (caught.value.hint or "")


def test_retry_after_is_obeyed_to_the_full() -> None:
    asking = Asking(busy(17.0), jitter=0.0)
    asking.run()
    assert sum(asking.clock.slept) == 17.0
    assert asking.said == []


def test_a_long_retry_after_is_obeyed_and_said_once() -> None:
    asking = Asking(busy(120.0), busy(0.0))
    others = [busy(119.0), busy(118.0)]

    async def other() -> str:
        await asking.rates.admit(0)
        await asyncio.sleep(0)
        if others:
            raise others.pop()
        return "other"

    async def main() -> list[str]:
        call = asking.policy.call
        return list(
            await asyncio.gather(
                call(asking.ask, asking.retried),
                call(other, asking.retried),
                call(other, asking.retried),
            )
        )

    assert asyncio.run(main()) == ["fine", "other", "other"]
    assert asking.said == ["the model endpoint asks to wait 120 s; waiting"]


def test_a_retry_after_pauses_all_calls() -> None:
    asking = Asking(busy(60.0), jitter=0.0)

    async def main() -> float:
        failing = asyncio.create_task(asking.policy.call(asking.ask, asking.retried))
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        await asking.rates.admit(0)
        waited_until = asking.clock.now
        await failing
        return waited_until - 1_000.0

    assert asyncio.run(main()) >= 60.0


def test_a_retry_after_longer_than_the_patience_is_given_up_at_once() -> None:
    asking = Asking(busy(3600.0))
    with pytest.raises(UpstreamError) as caught:
        asking.run()
    line = "the model endpoint answered 429 and asks to wait 3,600 s, longer than"
    assert str(caught.value) == f"{line} the patience of 300 s"
    assert asking.clock.slept == []
    assert asking.tries == 1


def test_an_endpoint_that_never_answered_is_given_up_after_seconds() -> None:
    def unreachable() -> RetryableError:
        return RetryableError("the model endpoint cannot be reached", answered=False)

    asking = Asking(*for_ever(unreachable))
    with pytest.raises(UpstreamError, match="cannot be reached; given up"):
        asking.run()
    assert sum(asking.clock.slept) <= 5


def test_a_server_that_was_there_is_waited_for() -> None:
    asking = Asking()
    asking.run()
    asking.faults = [RetryableError("gone", answered=False) for _ in range(8)]
    assert asking.run() == "fine"
    assert sum(asking.clock.slept) > 60


def test_faults_that_seldom_pass_are_tried_a_few_times() -> None:
    asking = Asking(*for_ever(lambda: RetryableError("no JSON", max_tries=3)))
    with pytest.raises(UpstreamError, match="no JSON, 3 times in a row"):
        asking.run()
    assert asking.tries == 3


@pytest.mark.parametrize("fault", [UnusableReplyError("empty"), UpstreamError("404"), KeyError()])
def test_what_cannot_pass_is_not_tried_again(fault: Exception) -> None:
    asking = Asking(fault)
    with pytest.raises(type(fault)):
        asking.run()
    assert asking.tries == 1


def test_without_patience_nothing_is_tried_twice() -> None:
    with pytest.raises(UpstreamError, match="given up after 1 try in 0 s"):
        Asking(busy(), patience_s=0.0).run()
