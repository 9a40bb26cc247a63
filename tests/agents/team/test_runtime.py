"""The runtime of a talk: messages reach who subscribed, in order, and nobody else hears of them."""

from __future__ import annotations

import asyncio
import gc
import logging
from contextvars import ContextVar
from dataclasses import dataclass

import pytest
from autogen_core import AgentId, DefaultTopicId, MessageContext, RoutedAgent, TypeSubscription
from autogen_core import event as on_event
from autogen_core import rpc as on_call

from sage_rag.agents.team.runtime import DirectRuntime

RECORD: ContextVar[str] = ContextVar("record", default="none")


@dataclass
class Said:
    word: str


@dataclass
class Asked:
    word: str


class Hearer(RoutedAgent):
    def __init__(self, heard: list[tuple[str, str]]) -> None:
        super().__init__("hears")
        self.heard = heard

    @on_event
    async def hear(self, message: Said, ctx: MessageContext) -> None:
        self.heard.append((message.word, RECORD.get()))
        if message.word == "fail":
            raise ValueError("a private word")
        if message.word == "pass on":
            await self.publish_message(Said("passed on"), DefaultTopicId("news"))

    @on_call
    async def answer(self, message: Asked, ctx: MessageContext) -> Said:
        if message.word == "fail":
            raise ValueError("as asked for")
        return Said(f"{message.word}!")


async def runtime_with(heard: list[tuple[str, str]], *, hearers: int = 2) -> DirectRuntime:
    runtime = DirectRuntime()
    for number in range(hearers):
        await Hearer.register(runtime, f"hearer{number}", lambda: Hearer(heard))
        await runtime.add_subscription(TypeSubscription("news", f"hearer{number}"))
    return runtime


def test_all_that_subscribed_hear_in_order_in_the_context_of_who_said_it() -> None:
    heard: list[tuple[str, str]] = []

    async def run() -> None:
        runtime = await runtime_with(heard)
        RECORD.set("a")
        for word in ("one", "two"):
            await runtime.publish_message(Said(word), DefaultTopicId("news"))
        await runtime.publish_message(Said("other"), DefaultTopicId("other"))
        await runtime.settle()

    asyncio.run(run())
    assert heard == [("one", "a"), ("one", "a"), ("two", "a"), ("two", "a")]


def test_nobody_hears_what_he_says_himself_and_settling_waits_for_what_follows() -> None:
    heard: list[tuple[str, str]] = []

    async def run() -> None:
        runtime = await runtime_with(heard)
        await runtime.publish_message(Said("pass on"), DefaultTopicId("news"))
        await runtime.settle()

    asyncio.run(run())
    assert [word for word, _ in heard] == ["pass on"] * 2 + ["passed on"] * 2


def test_an_answer_and_a_failure_come_back_to_who_asked() -> None:
    async def run() -> None:
        runtime, recipient = await runtime_with([], hearers=1), AgentId("hearer0", "default")
        assert await runtime.send_message(Asked("well"), recipient) == Said("well!")
        with pytest.raises(ValueError, match="as asked for"):
            await runtime.send_message(Asked("fail"), recipient)
        with pytest.raises(LookupError):
            await runtime.send_message(Asked("well"), AgentId("nobody", "default"))

    asyncio.run(run())


def test_a_failed_delivery_stops_no_other_and_is_told_to_no_log(
    caplog: pytest.LogCaptureFixture,
) -> None:
    heard: list[tuple[str, str]] = []

    async def run() -> None:
        runtime = await runtime_with(heard)
        await runtime.publish_message(Said("fail"), DefaultTopicId("news"))
        await runtime.settle()
        gc.collect()  # asyncio complains of an exception nobody asked for when it is collected

    with caplog.at_level(logging.DEBUG):
        asyncio.run(run())
    assert len(heard) == 2
    assert "private" not in caplog.text
