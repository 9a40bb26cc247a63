"""Read the word lists of the English generator from `words.toml`."""

from __future__ import annotations

import tomllib
from functools import cache
from importlib.resources import files


@cache
def _tables() -> dict[str, dict[str, str]]:
    text = (
        files("sage_rag.training.recognition.generated").joinpath("words.toml").read_text("utf-8")
    )
    return tomllib.loads(text)


@cache
def words(table: str, key: str) -> tuple[str, ...]:
    """Return one list, in the order of the file.

    Raises: KeyError if there is no such list.
    """
    value = _tables()[table][key]
    return tuple(part.strip() for part in (value.split(";") if ";" in value else value.split()))
