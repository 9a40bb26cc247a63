"""Figures in the home of a study: what a killed run has measured is read again, not measured."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TypeVar

from pydantic import BaseModel, ValidationError

from sage_rag.common.exceptions import InputError
from sage_rag.common.files import reading, write_file

_SETTINGS = "settings.json"
_T = TypeVar("_T", bound=BaseModel)


def store(figures: BaseModel, file: Path) -> None:
    """Write figures; the file is complete or absent."""
    file.parent.mkdir(parents=True, exist_ok=True)
    write_file(file, figures.model_dump_json(indent=1) + "\n")


def stored(kind: type[_T], file: Path) -> _T | None:
    """Return the figures in a file; `None` where nothing has been measured.

    Raises:
        InputError: for a file that does not hold such figures.
    """
    if not file.exists():
        return None
    try:
        with reading(file):
            return kind.model_validate_json(file.read_text("utf-8"))
    except ValidationError:
        raise InputError(
            f"`{file}` is not a result of this version of the study",
            hint="delete it; the next run measures again",
        ) from None


def all_stored(kind: type[_T], home: Path, pattern: str) -> Iterator[_T]:
    """Yield the figures in all files that a pattern names, in the order of their paths.

    Raises:
        InputError: for a file that does not hold such figures.
    """
    for file in sorted(home.glob(pattern)):
        found = stored(kind, file)
        if found is not None:
            yield found


def check_size(home: Path, settings: BaseModel) -> None:
    """Store the settings of a study in its home, or compare them with those that are there.

    Raises:
        InputError: when the home holds a study with other settings.
    """
    file = home / _SETTINGS
    found = stored(type(settings), file)
    if found is None:
        store(settings, file)
    elif found != settings:
        raise InputError(
            "the home folder holds a study of another size",
            hint="name another --home, or change --small",
        )
