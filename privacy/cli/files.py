"""The two files of a verb: one is read with a progress bar, one is written whole or not at all."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

import typer
from rich.console import Console
from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TimeRemainingColumn

from sage_rag.common.exceptions import InputError
from sage_rag.common.files import replacing

STANDARD_INPUT = Path("-")

Write = Callable[[str], object]


def check_paths(file: Path, out: Path | None) -> None:
    """Refuse to write over the file that is read.

    Raises:
        InputError: when `file` and `out` are the same file.
    """
    if out is not None and out.exists() and file.exists() and out.samefile(file):
        raise InputError("--out is the file that is read", hint="name another file")


def is_jsonl(file: Path, flag: bool) -> bool:
    """Return whether a file is read as jsonl: by its suffix; for standard input, by the flag.

    Raises:
        InputError: for a file that does not exist, and any suffix except jsonl, txt and md.
    """
    if file == STANDARD_INPUT:
        return flag
    if not file.exists():
        raise InputError(f"there is no file `{file}`")
    suffix = file.suffix.lower()
    if suffix not in (".jsonl", ".txt", ".md") or (flag and suffix != ".jsonl"):
        raise InputError(f"cannot read `{file}` in this format", hint="give jsonl, txt or md")
    return suffix == ".jsonl"


@contextmanager
def open_input(file: Path, verb: str) -> Iterator[BinaryIO]:
    """Yield a file, or standard input for `-`; a bar on standard error shows what was read.

    Raises:
        InputError: when the file cannot be read.
    """
    columns = (TextColumn(verb), BarColumn(), DownloadColumn(), TimeRemainingColumn())
    try:
        with Progress(*columns, console=Console(stderr=True)) as bars:
            if file == STANDARD_INPUT:
                bars.add_task(verb, total=None)
                yield sys.stdin.buffer
            else:
                with file.open("rb") as source:
                    yield bars.wrap_file(source, file.stat().st_size, description=verb)
    except BrokenPipeError:
        # The reader of our output closed it; Python would report that once more at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise typer.Exit from None
    except OSError as error:
        raise InputError(f"cannot read `{file}`: {error.strerror}") from None


@contextmanager
def open_output(path: Path | None) -> Iterator[Write]:
    """Yield a function that writes text to `path`, which appears (mode 0600) when the block ends.

    Without a path, the text goes to standard output at once. After an exception, Ctrl-C or a full
    disk, `path` is unchanged. A link is followed.

    Raises:
        InputError: when the file cannot be written, or is a device, a pipe or a folder.
    """
    if path is None:
        yield _write_to_standard_output
        return
    target = Path(os.path.realpath(path))
    if target.exists() and not target.is_file():
        # A new file would replace a device such as /dev/null for every user.
        raise InputError(
            f"cannot write `{path}`: it is not a file",
            hint="without --out, the text goes to standard output",
        )
    try:
        with replacing(target) as file:
            yield file.write
    except OSError as error:
        raise InputError(f"cannot write `{path}`: {error.strerror}") from None


def _write_to_standard_output(text: str) -> None:
    try:
        sys.stdout.buffer.write(text.encode("utf-8"))
        sys.stdout.buffer.flush()
    except BrokenPipeError:
        raise  # the reader has read enough: the verb ends without an error
    except OSError as error:
        raise InputError(f"cannot write to standard output: {error.strerror}") from None
