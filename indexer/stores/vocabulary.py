"""The words of a lexical index on disk: read or replace them."""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping
from pathlib import Path

from sage_rag.common.exceptions import InputError

_WORDS = "vocab.index.json"
"""The word file of bm25s; scores and postings are in other files, by the number of a word."""


def index_words(folder: Path) -> dict[str, int]:
    """Return the words of a lexical index with their numbers.

    Raises:
        InputError: when the folder does not hold one.
    """
    try:
        words: dict[str, int] = json.loads((folder / _WORDS).read_bytes())
    except (OSError, ValueError):
        raise InputError(
            f"`{folder}` is not a lexical index", hint="index the corpus again"
        ) from None
    return words


def copy_renamed(source: Path, target: Path, renamed: Mapping[str, str]) -> None:
    """Copy a lexical index with some words renamed; every score stays.

    Raises:
        ValueError: when two words would become one: their scores would need to be summed.
    """
    before = index_words(source)
    after = {renamed.get(word, word): number for word, number in before.items()}
    if len(after) != len(before):
        raise ValueError("two words would become one")
    target.mkdir()
    for path in source.iterdir():
        if path.name != _WORDS:
            shutil.copyfile(path, target / path.name)
    (target / _WORDS).write_text(json.dumps(after, ensure_ascii=False), "utf-8")
