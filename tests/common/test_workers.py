"""The pool: one question at a time, dead workers replaced, nothing private in a failure."""

from __future__ import annotations

import os
import pickle
import signal
import threading
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from sage_rag.common.exceptions import InputError, ProtectionError, SageRagError
from sage_rag.common.workers import (
    Responder,
    WorkerLostError,
    WorkerPool,
    WorkerReply,
    local_pool,
    map_on_processes,
)

CANARY = "Zebulon Quist"


class Counting:
    """Count the letters of a text; kill its process on one text, with a `flag` file only once."""

    fingerprint = "counting"

    def __init__(self, flag: Path | None = None) -> None:
        self._flag = flag

    def answer(self, task: str, argument: Any) -> Any:
        if argument == "die" and (self._flag is None or not self._flag.exists()):
            if self._flag is not None:
                self._flag.touch()
            os.kill(os.getpid(), signal.SIGKILL)
        if argument == "fail":
            raise ProtectionError("it cannot be read")
        if argument == CANARY:
            raise RuntimeError(f"cannot read {CANARY}")
        return task, len(argument)


class Mortal:
    """A worker in this process that dies on some questions: `dies(number, question)`."""

    made = 0

    def __init__(self, dies: Callable[[int, Any], bool], set_up: Any = Counting) -> None:
        Mortal.made += 1
        self.number = Mortal.made
        self.ended = 0
        self._dies = dies
        self._responder = Responder(set_up)

    def ask(self, task: str, argument: Any) -> WorkerReply:
        if self.ended or (argument is not None and self._dies(self.number, argument)):
            raise WorkerLostError
        return self._responder.reply(task, argument)

    def end(self) -> None:
        self.ended += 1


@pytest.fixture(autouse=True)
def _none_made() -> None:
    Mortal.made = 0


def test_a_worker_starts_when_it_is_needed_and_is_used_again() -> None:
    pool = WorkerPool(partial(Mortal, lambda *_: False), 4, "counting")
    assert Mortal.made == 0
    for _ in range(5):
        assert pool.ask("count", "five!") == ("count", 5)
    assert Mortal.made == 1


def test_a_question_whose_worker_died_is_asked_again_of_another() -> None:
    pool = WorkerPool(partial(Mortal, lambda number, _: number == 1), 1, "counting")
    assert pool.ask("count", "a") == ("count", 1)
    assert Mortal.made == 2


def test_a_question_that_kills_every_worker_is_given_up_without_its_text() -> None:
    pool = WorkerPool(partial(Mortal, lambda _, text: CANARY in text), 2, "counting")
    with pytest.raises(SageRagError, match="3 worker processes ended") as caught:
        pool.ask("count", f"I am {CANARY}")
    assert CANARY not in str(caught.value)
    assert pool.ask("count", "someone else") == ("count", 12)


def missing_model() -> Counting:
    raise InputError("there is no model at `x`", hint="name another")


def careless() -> Counting:
    raise RuntimeError(f"cannot read {CANARY}")


class Other(Counting):
    fingerprint = "other"


@pytest.mark.parametrize(
    ("set_up", "message", "exit_code"),
    [
        (missing_model, "a worker cannot be set up: there is no model at `x`", 2),
        (careless, "a worker cannot be set up: a worker failed: RuntimeError", 1),
        (Other, "does not recognise or embed as this process does", 1),
    ],
)
def test_a_worker_that_cannot_do_the_work_ends_the_run(
    set_up: Any, message: str, exit_code: int
) -> None:
    """It is no error of one document: every document would be quarantined."""
    made: list[Mortal] = []

    def start() -> Mortal:
        made.append(Mortal(lambda *_: False, set_up))
        return made[-1]

    with pytest.raises(SageRagError, match=message) as caught:
        WorkerPool(start, 1, "counting").ask("count", CANARY)
    assert type(caught.value) is SageRagError
    assert caught.value.exit_code == exit_code
    assert made[0].ended == 1


def test_without_a_fingerprint_any_worker_that_can_be_set_up_serves() -> None:
    pool = WorkerPool(partial(Mortal, lambda *_: False, Other), 1, None)
    assert pool.ask("count", "a") == ("count", 1)


def test_the_failure_of_a_worker_is_raised_without_the_text() -> None:
    pool = local_pool(Counting())
    with pytest.raises(ProtectionError, match="it cannot be read"):
        pool.ask("count", "fail")
    with pytest.raises(SageRagError, match=r"^a worker failed: RuntimeError$"):
        pool.ask("count", CANARY)


def test_a_failure_travels_whole() -> None:
    reply = Responder(missing_model).reply("count", CANARY)
    failure = pickle.loads(pickle.dumps(reply)).failure  # noqa: S301 - our own
    assert isinstance(failure, InputError)
    assert (failure.message, failure.hint) == ("there is no model at `x`", "name another")


def test_closing_frees_waiting_callers_and_ends_every_worker() -> None:
    asked, go = threading.Event(), threading.Event()
    made: list[Slow] = []

    class Slow(Mortal):
        def ask(self, task: str, argument: Any) -> WorkerReply:
            if argument is None:
                return super().ask(task, argument)
            asked.set()
            go.wait()
            raise WorkerLostError

        def end(self) -> None:
            super().end()
            go.set()

    def start() -> Slow:
        made.append(Slow(lambda *_: False))
        return made[-1]

    pool = WorkerPool(start, 1, "counting")
    failures: list[str] = []

    def ask() -> None:
        try:
            pool.ask("count", CANARY)
        except SageRagError as error:
            failures.append(error.message)

    threads = [threading.Thread(target=ask) for _ in range(3)]
    for thread in threads:
        thread.start()
    asked.wait()
    pool.close()
    for thread in threads:
        thread.join()
    assert failures == ["the workers are closed"] * 3
    assert len(made) == 1
    with pytest.raises(SageRagError, match="closed"):
        pool.ask("count", CANARY)


@pytest.mark.slow
def test_a_worker_process_that_is_killed_is_replaced_and_order_is_kept(tmp_path: Path) -> None:
    texts = ["a", "die", *("x" * length for length in range(20))]
    set_up = partial(Counting, tmp_path / "died")
    answers = list(map_on_processes(set_up, "count", texts, 2))
    assert answers == [("count", len(text)) for text in texts]
    assert (tmp_path / "died").exists()


@pytest.mark.slow
def test_a_text_that_kills_every_process_ends_the_map() -> None:
    with pytest.raises(SageRagError, match="3 worker processes ended"):
        list(map_on_processes(Counting, "count", ["a", "die", "b"], 2))
