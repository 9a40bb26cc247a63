"""Progress on standard error: bars in a terminal, else a line every ten seconds."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich import progress
from rich.console import Console

Progress = Callable[[str, int, int], None]
"""Receives a stage's name, the items done, and all items."""

_EVERY_S = 10.0


@contextmanager
def progress_bars(note: Callable[[], str] | None = None) -> Iterator[Progress]:
    """Show the progress of each stage while the block runs; yield the callback that moves it.

    In a terminal each stage has a bar. Elsewhere, such as in a log file, a stage writes a line
    every ten seconds and one at its end, unless it ends within ten seconds. `note` returns a text
    to show after them, such as the cost of a model.
    """
    console = Console(stderr=True)
    if not console.is_terminal:
        yield ProgressLines(note)
        return
    columns = (
        progress.TextColumn("{task.description:<8}"),
        progress.BarColumn(),
        progress.MofNCompleteColumn(),
        progress.TimeRemainingColumn(),
        progress.TextColumn("{task.fields[note]}"),
    )
    with progress.Progress(*columns, console=console) as bars:
        tasks = {}

        def show(stage: str, done: int, total: int) -> None:
            if stage not in tasks:
                tasks[stage] = bars.add_task(stage, total=total, note="")
            bars.update(tasks[stage], completed=done, total=total, note=note() if note else "")

        yield show


class ProgressLines:
    """Writes a line on standard error about a stage that takes longer than `every_s` seconds.

    The remaining time assumes that the items left take as long as those done.
    """

    def __init__(
        self,
        note: Callable[[], str] | None = None,
        *,
        every_s: float = _EVERY_S,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._note = note
        self._every_s = every_s
        self._clock = clock
        self._began: dict[str, tuple[float, int]] = {}
        """Time and items done at the first call of each stage."""
        self._written: dict[str, float] = {}

    def __call__(self, stage: str, done: int, total: int) -> None:
        """Write a line if the last one of the stage is old, or the stage ends."""
        now = self._clock()
        if done < self._began.get(stage, (now, done))[1]:
            del self._began[stage]  # the stage starts again, with other items
        began, before = self._began.setdefault(stage, (now, done))
        last = self._written.get(stage)
        due = now - (began if last is None else last) >= self._every_s
        if not (due or (done == total and last is not None)):
            return
        self._written[stage] = now
        rate = (done - before) / (now - began) if now > began else 0.0
        left = f", about {(total - done) / rate:,.0f} s left" if rate and done < total else ""
        note = f", {self._note()}" if self._note else ""
        sys.stderr.write(f"{stage}: {done:,} of {total:,}{left}{note}\n")
