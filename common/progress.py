"""Progress bars on standard error."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich import progress
from rich.console import Console

Progress = Callable[[str, int, int], None]
"""Receives a stage's name, the items done, and all items."""


@contextmanager
def progress_bars(note: Callable[[], str] | None = None) -> Iterator[Progress]:
    """Show one bar per stage while the block runs; yield the callback that moves them.

    `note` returns a text to show after the bars, such as the cost of a model.
    """
    columns = (
        progress.TextColumn("{task.description:<8}"),
        progress.BarColumn(),
        progress.MofNCompleteColumn(),
        progress.TimeRemainingColumn(),
        progress.TextColumn("{task.fields[note]}"),
    )
    with progress.Progress(*columns, console=Console(stderr=True)) as bars:
        tasks = {}

        def show(stage: str, done: int, total: int) -> None:
            if stage not in tasks:
                tasks[stage] = bars.add_task(stage, total=total, note="")
            bars.update(tasks[stage], completed=done, total=total, note=note() if note else "")

        yield show
