"""What trainings of networks print and write: folder, progress bar, machine."""

from __future__ import annotations

import os
import platform
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from sage_rag.common.exceptions import InputError

if TYPE_CHECKING:
    from sage_rag.training.optimization import Progress


def writable_folder(out: Path) -> None:
    """Create a folder.

    Raises:
        InputError: when it cannot be created.
    """
    try:
        out.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"cannot create the folder `{out}`: {error.strerror}") from None


def this_machine() -> str:
    """Return cores and processor, for a model card."""
    return f"{os.cpu_count()} cores, {platform.machine()}"


@contextmanager
def training_bar(what: str) -> Iterator[Progress]:
    """Show the steps of a training and the loss of the last one."""
    from sage_rag.common.progress import progress_bars

    recent = 0.0

    def report(step: int, steps: int, loss: float) -> None:
        nonlocal recent
        recent = loss
        show(what, step, steps)

    with progress_bars(lambda: f"loss {recent:.4f}") as show:
        yield report
