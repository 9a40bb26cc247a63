"""The pool: one question at a time, dead workers replaced, nothing private in a failure."""

from __future__ import annotations

import pickle
import threading
from collections.abc import Callable
from functools import partial
from typing import Any

import pytest

from sage_rag.common.exceptions import InputError, ProtectionError, SageRagError
from sage_rag.indexer.engines.pool import Pool, WorkerLostError
from sage_rag.indexer.engines.tools import WorkerReply, WorkerSetup, WorkerTools
from sage_rag.indexer.testing import HashEmbedder
from sage_rag.privacy.entities import EntityType
from sage_rag.privacy.testing import FailingRecognizer, TableRecognizer

CANARY = "Zebulon Quist"
TABLE = partial(TableRecognizer, {CANARY: EntityType.PERSON})
TOOLS = WorkerSetup(TABLE, HashEmbedder)
WHO = ("table", "hash-64")


class Mortal:
    """A worker that dies over some questions; `dies` hears which worker was asked what."""

    made = 0

    def __init__(self, dies: Callable[[int, Any], bool], tools: WorkerSetup = TOOLS) -> None:
        Mortal.made += 1
        self.number = Mortal.made
        self.ended = 0
        self._dies = dies
        self._bench = WorkerTools(tools)

    def ask(self, task: Any, argument: Any) -> WorkerReply:
        if self.ended or (task != "introduce" and self._dies(self.number, argument)):
            raise WorkerLostError
        return self._bench.answer(task, argument)

    def end(self) -> None:
        self.ended += 1


@pytest.fixture(autouse=True)
def _none_made() -> None:
    Mortal.made = 0


def test_a_worker_starts_when_it_is_needed_and_is_used_again() -> None:
    pool = Pool(partial(Mortal, lambda *_: False), 4, WHO)
    assert Mortal.made == 0
    for _ in range(5):
        (span,) = pool.ask("recognize", f"I am {CANARY}.")
        assert (span.start, span.end) == (5, 18)
    assert Mortal.made == 1


def test_a_question_whose_worker_died_is_asked_again_of_another() -> None:
    pool = Pool(partial(Mortal, lambda number, _: number == 1), 1, WHO)
    assert len(pool.ask("recognize", CANARY)) == 1
    assert Mortal.made == 2


def test_a_question_that_kills_every_worker_is_given_up_without_its_text() -> None:
    pool = Pool(partial(Mortal, lambda _, text: CANARY in text), 2, WHO)
    with pytest.raises(SageRagError, match="3 workers ended") as caught:
        pool.ask("recognize", CANARY)
    assert CANARY not in str(caught.value)
    assert pool.ask("recognize", "someone else") == []


def failing() -> TableRecognizer:
    raise InputError("there is no model at `x`", hint="name another")


def careless() -> TableRecognizer:
    raise RuntimeError(f"cannot read {CANARY}")


@pytest.mark.parametrize(
    ("recognizer", "said"),
    [
        (failing, "a worker cannot be set up: there is no model at `x`"),
        (careless, "a worker cannot be set up: a worker failed to introduce: RuntimeError"),
        (FailingRecognizer, "does not recognise or embed as this process does"),
    ],
)
def test_a_worker_that_cannot_do_the_work_ends_the_run(recognizer: Any, said: str) -> None:
    """Not as an error of one document: each would be quarantined for it."""
    made: list[Mortal] = []

    def start() -> Mortal:
        made.append(Mortal(lambda *_: False, WorkerSetup(recognizer, HashEmbedder)))
        return made[-1]

    with pytest.raises(SageRagError, match=said) as caught:
        Pool(start, 1, WHO).ask("recognize", CANARY)
    assert type(caught.value) is SageRagError
    assert made[0].ended == 1


def test_what_a_worker_met_is_raised_without_the_text() -> None:
    tools = WorkerSetup(FailingRecognizer, HashEmbedder)
    pool = Pool(partial(Mortal, lambda *_: False, tools), 1, ("failing", "hash-64"))
    with pytest.raises(ProtectionError, match=r"^recognising failed: RuntimeError$"):
        pool.ask("recognize", CANARY)


def test_a_failure_travels_whole() -> None:
    answer = WorkerTools(WorkerSetup(failing, HashEmbedder)).answer("recognize", CANARY)
    failure = pickle.loads(pickle.dumps(answer)).failure  # noqa: S301 - our own
    assert isinstance(failure, InputError)
    assert (failure.message, failure.hint) == ("there is no model at `x`", "name another")


def test_closing_frees_whoever_waits_and_ends_every_worker() -> None:
    asked, go = threading.Event(), threading.Event()
    made: list[Slow] = []

    class Slow(Mortal):
        def ask(self, task: Any, argument: Any) -> WorkerReply:
            if task == "introduce":
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

    pool = Pool(start, 1, WHO)
    failures: list[str] = []

    def ask() -> None:
        try:
            pool.ask("recognize", CANARY)
        except SageRagError as error:
            failures.append(error.message)

    threads = [threading.Thread(target=ask) for _ in range(3)]
    for thread in threads:
        thread.start()
    asked.wait()
    pool.close()
    for thread in threads:
        thread.join()
    assert failures == ["the engine is closed"] * 3
    assert len(made) == 1
    with pytest.raises(SageRagError, match="closed"):
        pool.ask("recognize", CANARY)
