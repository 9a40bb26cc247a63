"""Rates and budgets that processes share."""

from __future__ import annotations

import os
from collections.abc import Callable

import pytest

from sage_rag.common.web.errors import ApiError
from sage_rag.rag_server.access.keys import ApiKey, Scope, make_key
from sage_rag.rag_server.access.meters import Meters


def key(**limits: int) -> ApiKey:
    return make_key("edge", frozenset({Scope.CHAT}), **limits)[1]


def in_a_process(work: Callable[[], object]) -> None:
    """Do some work in a process that is forked, and wait for its end."""
    if (child := os.fork()) == 0:
        try:
            work()
        finally:
            os._exit(0)
    os.waitpid(child, 0)


def admitted(meters: Meters, limited: ApiKey, tries: int) -> int:
    count = 0
    for _ in range(tries):
        try:
            meters.request(limited)
            count += 1
        except ApiError:
            continue
    return count


def test_requests_of_another_process_count_against_the_rate() -> None:
    meters, limited = Meters(), key(requests_per_minute=10)
    in_a_process(lambda: admitted(meters, limited, 7))
    assert admitted(meters, limited, 7) == 3


def test_tokens_of_another_process_count_against_the_budget() -> None:
    meters, limited = Meters(), key(tokens_per_day=100)
    in_a_process(lambda: meters.spend(limited, 60))
    meters.spend(limited, 30)
    meters.request(limited)
    in_a_process(lambda: meters.spend(limited, 10))
    with pytest.raises(ApiError, match="100 tokens per day"):
        meters.request(limited)


def test_no_request_of_processes_that_ask_at_once_is_lost() -> None:
    meters, limited = Meters(clock=lambda: 0.0), key(requests_per_minute=2000)
    children = []
    for _ in range(4):
        if (child := os.fork()) == 0:
            admitted(meters, limited, 300)
            os._exit(0)
        children.append(child)
    for child in children:
        os.waitpid(child, 0)
    assert admitted(meters, limited, 2000) == 800


def test_a_process_that_ends_in_the_middle_blocks_no_other() -> None:
    meters, limited = Meters(), key(requests_per_minute=5)

    def end_inside() -> None:
        with meters._shared.locked():
            os._exit(1)

    in_a_process(end_inside)
    assert admitted(meters, limited, 6) == 5


def test_keys_are_counted_apart_also_where_their_places_are_the_same() -> None:
    meters = Meters()
    one = key(requests_per_minute=1)
    other = one.model_copy(update={"id": f"{(int(one.id, 16) + 4096) % 2**32:08x}"})
    assert [admitted(meters, k, 2) for k in (one, other)] == [1, 1]


def test_a_key_with_new_limits_begins_again() -> None:
    meters, limited = Meters(), key(requests_per_minute=1)
    assert admitted(meters, limited, 2) == 1
    assert admitted(meters, limited.model_copy(update={"requests_per_minute": 3}), 5) == 3
