import asyncio
import threading

import pytest

from sage_rag.common.deadlines import Deadline, WorkAbandonedError, checkpoint, deadline
from sage_rag.common.web.pool import OverloadedError, WorkPool


def test_a_result_and_an_error_come_back():
    async def both() -> int:
        pool = WorkPool(1)
        with pytest.raises(ZeroDivisionError):
            await pool.run(lambda: 1 // 0)
        return await pool.run(lambda x, *, y: x + y, 1, y=2)

    assert asyncio.run(both()) == 3


def test_a_full_pool_refuses_and_takes_work_again_later():
    async def fill() -> None:
        pool, gate = WorkPool(1, waiting=1), threading.Event()
        held = [asyncio.create_task(pool.run(gate.wait, 5)) for _ in range(2)]
        await asyncio.sleep(0)
        with pytest.raises(OverloadedError):
            await pool.run(int)
        gate.set()
        assert await asyncio.gather(*held) == [True, True]
        while pool.pending:
            await asyncio.sleep(0.01)
        assert await pool.run(int) == 0

    asyncio.run(fill())


def test_work_whose_caller_left_never_starts_or_ends_at_its_next_checkpoint():
    ended = threading.Event()
    started: list[int] = []

    def work(number: int) -> None:
        started.append(number)
        try:
            while not ended.wait(0.01):
                checkpoint()
        except WorkAbandonedError:
            ended.set()
            raise

    async def leave() -> None:
        pool = WorkPool(1)
        tasks = [asyncio.create_task(pool.run(work, n)) for n in range(2)]
        while not started:
            await asyncio.sleep(0.01)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        assert await asyncio.to_thread(ended.wait, 5)
        while pool.pending:
            await asyncio.sleep(0.01)

    asyncio.run(leave())
    assert started == [0]


def test_work_that_takes_too_long_is_an_error():
    async def late() -> None:
        pool, gate = WorkPool(1, deadline_s=0.05), threading.Event()
        with pytest.raises(OverloadedError, match=r"0\.05 s"):
            await pool.run(gate.wait, 5)
        gate.set()

    asyncio.run(late())


def test_without_a_deadline_a_checkpoint_does_nothing():
    checkpoint()
    with deadline(Deadline(-1)), pytest.raises(WorkAbandonedError):
        checkpoint()
    checkpoint()
