"""Do asynchronous work for many items, a few at a time."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable
from typing import TypeVar

_T = TypeVar("_T")


async def each(items: Iterable[_T], work: Callable[[_T], Awaitable[None]], at_once: int) -> None:
    """Do the work for every item, `at_once` at a time; the first failure ends all."""
    waiting = iter(items)

    async def worker() -> None:
        for item in waiting:
            await work(item)

    try:
        async with asyncio.TaskGroup() as group:
            for _ in range(at_once):
                group.create_task(worker())
    except ExceptionGroup as failures:
        raise failures.exceptions[0] from None
