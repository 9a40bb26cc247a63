"""Progress in a file: lines, not too many, with the time left."""

from __future__ import annotations

import pytest

from sage_rag.common.progress import ProgressLines, progress_bars


class Clock:
    """A clock that a test sets."""

    now = 100.0

    def __call__(self) -> float:
        return self.now


def lines(capsys: pytest.CaptureFixture[str]) -> list[str]:
    return capsys.readouterr().err.splitlines()


def test_a_line_comes_every_ten_seconds_with_the_time_left(
    capsys: pytest.CaptureFixture[str],
) -> None:
    clock = Clock()
    show = ProgressLines(clock=clock)
    for done in range(61):
        clock.now = 100.0 + done / 2
        show("protect", done, 1000)
    assert lines(capsys) == [
        "protect: 20 of 1,000, about 490 s left",
        "protect: 40 of 1,000, about 480 s left",
        "protect: 60 of 1,000, about 470 s left",
    ]


def test_a_stage_that_wrote_a_line_writes_one_at_its_end(
    capsys: pytest.CaptureFixture[str],
) -> None:
    clock = Clock()
    show = ProgressLines(lambda: "0.02 spent", clock=clock)
    show("protect", 1, 3)
    clock.now += 12
    show("protect", 2, 3)
    clock.now += 1
    show("protect", 3, 3)
    assert lines(capsys) == [
        "protect: 2 of 3, about 12 s left, 0.02 spent",
        "protect: 3 of 3, 0.02 spent",
    ]


def test_a_short_stage_writes_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    clock = Clock()
    show = ProgressLines(clock=clock)
    for done in range(1, 5):
        clock.now += 1
        show("embed", done, 4)
    assert lines(capsys) == []


def test_stages_have_lines_of_their_own(capsys: pytest.CaptureFixture[str]) -> None:
    clock = Clock()
    show = ProgressLines(clock=clock)
    show("protect", 1, 9)
    show("embed", 1, 9)
    clock.now += 10
    show("protect", 5, 9)
    show("embed", 5, 9)
    assert [line.split(":")[0] for line in lines(capsys)] == ["protect", "embed"]


def test_outside_of_a_terminal_the_lines_replace_the_bars() -> None:
    with progress_bars() as show:
        assert isinstance(show, ProgressLines)
