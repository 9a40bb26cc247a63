"""The timing hook: every stage of a run is reported, and off it changes nothing."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from sage_rag.indexer.testing import HashEmbedder
from sage_rag.indexer.timing import timed, timed_items
from tests.indexer.conftest import Run

_STAGES = {
    *("read", "protect", "recognise", "identify", "extract", "generate", "review", "judge"),
    *("audit", "seal", "embed", "publish", "report", "ledger"),
}


def test_a_run_enters_and_leaves_every_stage(run: Run) -> None:
    entered: list[str] = []
    left: list[str] = []

    @contextmanager
    def timer(stage: str) -> Iterator[None]:
        entered.append(stage)
        try:
            yield
        finally:
            left.append(stage)

    summary = run(timer=timer)
    assert summary.published == 20
    assert set(entered) >= _STAGES
    assert sorted(entered) == sorted(left)


def test_without_a_timer_the_object_itself_is_used() -> None:
    embedder = HashEmbedder()
    assert timed(embedder, None, "embed") is embedder
    assert list(timed_items([1, 2], None, "read")) == [1, 2]


def test_only_the_named_methods_are_timed() -> None:
    entered: list[str] = []

    @contextmanager
    def timer(stage: str) -> Iterator[None]:
        entered.append(stage)
        yield

    embedder = timed(HashEmbedder(), timer, "embed", "embed")
    assert embedder.name == HashEmbedder().name
    assert entered == []
    embedder.embed(["a"])
    assert entered == ["embed"]
