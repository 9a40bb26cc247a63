"""Time the stages of a run: a hook for benchmarks, off by default."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager
from dataclasses import replace
from typing import Any, TypeVar, cast

from sage_rag.agents.protocols import Roles

_T = TypeVar("_T")
_END = object()

Timer = Callable[[str], AbstractContextManager[None]]
"""Entered around each piece of work with its stage's name, in the thread that does the work.

Stages: `read`, `protect`, `recognise`, `identify`, `extract`, `generate`, `review`, `rewrite`,
`judge`, `audit`, `seal`, `embed`, `publish`, `report`, `ledger`. They nest (`recognise` occurs
within `protect`), several threads enter them, and around an agent the time it waits is included.
"""


def timed(inner: _T, timer: Timer | None, stage: str, *methods: str) -> _T:
    """Return `inner` with `methods`, or with all public ones, timed as `stage`.

    Without a timer it is `inner` itself.
    """
    return inner if timer is None else cast("_T", _TimedObject(inner, timer, stage, methods))


def timed_items(items: Iterable[_T], timer: Timer | None, stage: str) -> Iterator[_T]:
    """Yield the items; time how long each one takes to come."""
    if timer is None:
        yield from items
        return
    source = iter(items)
    while True:
        with timer(stage):
            item = next(source, _END)
        if item is _END:
            return
        yield cast("_T", item)


def timed_roles(roles: Roles, timer: Timer | None) -> Roles:
    """Return the roles with each agent's work timed under its own stage."""
    return replace(
        roles,
        identifier=timed(roles.identifier, timer, "identify", "identify"),
        extractor=timed(roles.extractor, timer, "extract", "extract"),
        generator=timed(roles.generator, timer, "generate", "generate"),
        reviewer=timed(roles.reviewer, timer, "review", "review"),
        rewriter=timed(roles.rewriter, timer, "rewrite", "rewrite"),
    )


class _TimedObject:
    """Forwards every attribute of another object and times some of its methods."""

    def __init__(self, inner: Any, timer: Timer, stage: str, methods: tuple[str, ...]) -> None:
        self._inner = inner
        self._timer = timer
        self._stage = stage
        self._methods = methods

    def __getattr__(self, name: str) -> Any:
        attribute = getattr(self._inner, name)
        if not callable(attribute) or (self._methods and name not in self._methods):
            return attribute

        def work(*arguments: Any, **named: Any) -> Any:
            with self._timer(self._stage):
                return attribute(*arguments, **named)

        async def agent_work(*arguments: Any, **named: Any) -> Any:
            with self._timer(self._stage):
                return await attribute(*arguments, **named)

        return agent_work if inspect.iscoroutinefunction(attribute) else work
