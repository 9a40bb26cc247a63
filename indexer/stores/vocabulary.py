"""A lexical index on disk: read its words, or copy it with other words and another row order."""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from sage_rag.common.exceptions import InputError

_WORDS, _PARAMETERS = "vocab.index.json", "params.index.json"
_SCORES, _ROWS, _STARTS = "data.csc.index.npy", "indices.csc.index.npy", "indptr.csc.index.npy"
"""The files of bm25s: word numbers, and a sparse matrix of scores with a column per word."""


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


def write_index_words(folder: Path, numbers: Mapping[str, int]) -> None:
    """Write the words of a lexical index: the same bytes with every JSON library bm25s may use."""
    (folder / _WORDS).write_text(json.dumps(dict(numbers), ensure_ascii=False), "utf-8")


def copy_renamed(
    source: Path, target: Path, renamed: Mapping[str, str], order: NDArray[np.int64]
) -> None:
    """Copy a lexical index with some words renamed; a word's score in a passage stays.

    `order`: `(n,)` int64, the old row of each new row. The copy equals an index that is written
    from the renamed texts in this order: words are numbered in their own order.

    Raises:
        ValueError: when two words would become one: their scores would need to be summed.
    """
    scores, rows, starts = (np.load(source / name) for name in (_SCORES, _ROWS, _STARTS))
    before = index_words(source)
    columns = len(starts) - 1  # the empty word of bm25s has a number and no column
    after = {renamed.get(w, w): number for w, number in before.items() if number < columns}
    if len(after) != columns:
        raise ValueError("two words would become one")
    words = sorted(after)
    new_column, new_row = np.empty(columns, np.int64), np.argsort(order)
    new_column[[after[word] for word in words]] = np.arange(columns)
    at = np.repeat(new_column, np.diff(starts))
    moved = new_row[rows]
    place = np.lexsort((moved, at))
    target.mkdir()
    np.save(target / _SCORES, scores[place])
    np.save(target / _ROWS, moved[place].astype(rows.dtype))
    counts = np.bincount(at, minlength=columns)
    np.save(target / _STARTS, np.concatenate([[0], np.cumsum(counts)]).astype(starts.dtype))
    numbers = {word: number for number, word in enumerate(words)}
    numbers |= {word: number for word, number in before.items() if number >= columns}
    write_index_words(target, numbers)
    shutil.copyfile(source / _PARAMETERS, target / _PARAMETERS)
