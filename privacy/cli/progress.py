"""A progress bar on standard error that counts the bytes of a file."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from rich.console import Console
from rich.progress import (
    BarColumn,
    DownloadColumn,
    Progress,
    TaskID,
    TextColumn,
    TimeRemainingColumn,
)


class ByteProgress:
    """Moves a bar to where a file is being read; a stream without places leaves it alone."""

    def __init__(self, bars: Progress, task: TaskID, seekable: bool) -> None:
        self._bars = bars
        self._task = task
        self._seekable = seekable

    def advance(self, source: BinaryIO) -> None:
        """Show how far `source` has been read."""
        if self._seekable:
            self._bars.update(self._task, completed=source.tell())


@contextmanager
def byte_bar(file: Path, verb: str) -> Iterator[ByteProgress]:
    """Show a bar while the block runs; for standard input (`-`) one without an end."""
    known = file.is_file()
    columns = (TextColumn(verb), BarColumn(), DownloadColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True)) as bars:
        task = bars.add_task(verb, total=file.stat().st_size if known else None)
        yield ByteProgress(bars, task, known)
