"""The part of an output folder that stays with the owner, held by one run at a time."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path

from sage_rag.common.exceptions import InputError
from sage_rag.common.files import locked, reading, write_file
from sage_rag.common.unicode_text import well_formed

OWNER = "owner"
"""Name of the folder: ledger, codebook, replies of a model, pages that show the corpus."""
LEDGER = "ledger.sqlite"
_RUN = "run"
"""No suffix of a text: `index` reads those of a generated folder."""


def made_owner_folder(folder: Path) -> Path:
    """Make the owner's folder in an output folder, readable by the owner alone.

    Raises:
        InputError: when the folder cannot be written.
    """
    owner = folder / OWNER
    try:
        owner.mkdir(parents=True, exist_ok=True, mode=0o700)
    except OSError as error:
        raise InputError(f"cannot write to `{folder}`: {error.strerror}") from None
    return owner


@contextmanager
def owner_folder(folder: Path) -> Iterator[Path]:
    """Make the owner's folder in an output folder, and hold its lock; readable by the owner alone.

    Raises:
        InputError: when another run holds it, or the folder cannot be written.
    """
    owner = made_owner_folder(folder)
    with ExitStack() as held:
        try:
            held.enter_context(locked(owner / "lock", create=True))
        except BlockingIOError:
            raise InputError(f"another run writes to `{folder}`", hint="wait for it") from None
        except OSError as error:
            raise InputError(f"cannot write to `{folder}`: {error.strerror}") from None
        yield owner


def check_for(folder: Path, run: str, results: Iterable[str]) -> None:
    """Check that an output folder is free for a run, or belongs to it; write nothing.

    `run`: verb and name of the corpus. `results`: patterns of the files that the run replaces.
    Other settings are no other run: the ledger keeps what was finished under the earlier ones.

    Raises:
        InputError: when another run made the folder's output, or no run that is known.
    """
    marker = folder / OWNER / _RUN
    hint = "name another folder with --out"
    if marker.exists():
        with reading(marker):
            earlier = _line(marker.read_text("utf-8"))
        if earlier != _line(run):
            raise InputError(f"`{folder}` holds the output of `{earlier}`", hint=hint)
        return
    found = next((file for pattern in results for file in folder.glob(pattern)), None)
    if found is not None and not (folder / OWNER / LEDGER).exists():
        raise InputError(
            f"`{found}` exists, and no run that `{folder / OWNER}` knows made it", hint=hint
        )


@contextmanager
def owner_folder_for(folder: Path, run: str, results: Sequence[str]) -> Iterator[Path]:
    """Hold the owner's folder as `owner_folder` does, and keep it for a run, as in `check_for`.

    Raises:
        InputError: as both.
    """
    check_for(folder, run, results)  # a folder of others gets no file
    with owner_folder(folder) as owner:
        check_for(folder, run, results)
        try:
            write_file(owner / _RUN, _line(run) + "\n")
        except OSError as error:
            raise InputError(f"cannot write to `{folder}`: {error.strerror}") from None
        yield owner


def _line(run: str) -> str:
    """Return a run as one line: a corpus's name can hold any white space, also at its end."""
    return " ".join(well_formed(run).split())
