"""Where a verb writes: a file that appears whole or not at all, or standard output."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from sage_rag.common.exceptions import InputError
from sage_rag.common.files import replacing

Write = Callable[[str], object]


@contextmanager
def whole_file(path: Path | None) -> Iterator[Write]:
    """Yield what writes text to `path`, which appears (mode 0600) when the block ends well.

    Without a path, text goes to standard output at once. After an exception, Ctrl-C or a full
    disk nothing is left at `path` that was not there before. A link is followed.

    Raises:
        InputError: when the file cannot be written, or is a device, a pipe or a folder.
    """
    if path is None:
        yield _to_standard_output
        return
    place = Path(os.path.realpath(path))
    if place.exists() and not place.is_file():
        # Putting a new file in its place would take a device such as /dev/null from everybody.
        raise InputError(
            f"cannot write `{path}`: it is no file",
            hint="without --out, the text goes to standard output",
        )
    try:
        with replacing(place) as file:
            yield file.write
    except OSError as error:
        raise InputError(f"cannot write `{path}`: {error.strerror}") from None


def _to_standard_output(text: str) -> None:
    try:
        sys.stdout.buffer.write(text.encode("utf-8"))
        sys.stdout.buffer.flush()
    except BrokenPipeError:
        raise  # whoever read has enough; the verb ends in peace
    except OSError as error:
        raise InputError(f"cannot write to standard output: {error.strerror}") from None
