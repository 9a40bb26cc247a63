"""Vectors of the sentences of passages, by passage, memory-mapped.

```
sentences.npy          a record per sentence: hash of its text, and its vector in float16
sentences.offsets.npy  the first record of each passage, and the number of records
```

Guarantees: the files contain nothing that a reader of the passages cannot compute. A record is made
of the readable view of one published sentence, by the public embedder that the manifest names: no
token, blind word or value that the passages do not show.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from sage_rag.common.exceptions import InputError
from sage_rag.indexer.embedding import sentence_key
from sage_rag.indexer.protocols import Vector

SENTENCES, OFFSETS = "sentences.npy", "sentences.offsets.npy"


class SentenceVectors:
    """The stored vectors of a layer's sentences. Safe for concurrent readers."""

    def __init__(self, records: NDArray[np.void], offsets: NDArray[np.int64]) -> None:
        # As plain arrays: an access to an array of class `memmap` takes several times as long.
        self._records = np.asarray(records)
        self._offsets = np.asarray(offsets)

    @staticmethod
    def write(passages: Sequence[Mapping[str, Vector]], dim: int, folder: Path) -> None:
        """Write the vectors of each passage's sentences, `(dim,)` float32 by text."""
        kind = np.dtype([("hash", "<u8"), ("vector", "<f2", (dim,))])
        offsets = np.cumsum([0, *map(len, passages)], dtype=np.int64)
        records = np.zeros(int(offsets[-1]), dtype=kind)
        found = ((text, vector) for passage in passages for text, vector in passage.items())
        for record, (text, vector) in enumerate(found):
            records[record] = sentence_key(text), vector
        _save(records, offsets, folder)

    @classmethod
    def open(cls, folder: Path, passages: int) -> SentenceVectors | None:
        """Open the vectors of a layer; `None` where an older version has none.

        Raises:
            InputError: when they do not belong to `passages` passages.
        """
        if not (folder / SENTENCES).exists():
            return None
        records = np.load(folder / SENTENCES, mmap_mode="r")
        offsets = np.load(folder / OFFSETS, mmap_mode="r")
        if len(offsets) != passages + 1 or int(offsets[-1]) != len(records):
            raise InputError(f"`{folder}` is damaged: its parts differ in length")
        return cls(records, offsets)

    def of(self, rows: Iterable[int]) -> dict[int, Vector]:
        """Return the vectors of some passages' sentences: `(dim,)` float32 by `sentence_key`."""
        found: dict[int, Vector] = {}
        for row in rows:
            records = self._records[self._offsets[row] : self._offsets[row + 1]]
            vectors = records["vector"].astype(np.float32)
            found.update(zip(records["hash"].tolist(), vectors, strict=True))
        return found

    def copy(self, folder: Path, order: NDArray[np.int64]) -> None:
        """Write the vectors again; `order`: `(n,)` int64, the old row of each new row."""
        starts, ends = self._offsets[order], self._offsets[order + 1]
        places = [np.arange(a, b) for a, b in zip(starts, ends, strict=True)]
        offsets = np.cumsum([0, *map(len, places)], dtype=np.int64)
        _save(self._records[np.concatenate(places)], offsets, folder)


def _save(records: NDArray[np.void], offsets: NDArray[np.int64], folder: Path) -> None:
    np.save(folder / SENTENCES, records)
    np.save(folder / OFFSETS, offsets)
