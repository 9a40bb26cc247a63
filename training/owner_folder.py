"""The part of an output folder that stays with the owner, held by one run at a time."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from sage_rag.common.exceptions import InputError
from sage_rag.common.files import locked

OWNER = "owner"
"""Name of the folder: ledger, codebook, replies of a model, pages that show the corpus."""


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
