"""The layers of an index version: each is searched alone, with files and statistics of its own.

A version with one layer holds these files itself; with more, each layer has a folder:

```
passages.jsonl  passages.offsets.npy  vectors.faiss  lexical/  sentences.npy  sentences.offsets.npy
```

Word statistics are not shared: the scores of one layer's passages say nothing about another layer.
"""

from __future__ import annotations

import json
import mmap
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sage_rag.common.exceptions import InputError
from sage_rag.indexer.passages import Layer, Passage
from sage_rag.indexer.protocols import Vector, VectorIndex, Vectors
from sage_rag.indexer.stores.faiss import FaissIndex
from sage_rag.indexer.stores.lexical import LexicalIndex
from sage_rag.indexer.stores.sentences import SentenceVectors

PASSAGES, OFFSETS, VECTORS = "passages.jsonl", "passages.offsets.npy", "vectors.faiss"
LEXICAL = "lexical"


OpenVectors = Callable[[FaissIndex, Layer], VectorIndex]
"""Takes the stored vectors of a layer, and returns what searches them."""


class LayerIndex:
    """One layer, opened read-only and memory-mapped. Safe for concurrent readers."""

    def __init__(self, path: Path, name: Layer, vectors: OpenVectors | None = None) -> None:
        self.path = path
        self.name = name
        stored = FaissIndex.open(path / VECTORS)
        self._dense: VectorIndex = vectors(stored, name) if vectors else stored
        self._lexical = LexicalIndex.open(path / LEXICAL)
        self._offsets: NDArray[np.int64] = np.load(path / OFFSETS, mmap_mode="r")
        with (path / PASSAGES).open("rb") as file:
            self._passages = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        if len(self._passages) != int(self._offsets[-1]) or len(self._dense) != len(self):
            raise InputError(f"`{path}` is damaged: its parts differ in length")
        self.sentences = SentenceVectors.open(path, len(self))

    def __len__(self) -> int:
        return len(self._offsets) - 1

    def passage(self, row: int, score: float = 0.0) -> Passage:
        """Return the passage of a row."""
        line = self._passages[int(self._offsets[row]) : int(self._offsets[row + 1])]
        record = json.loads(line)
        return Passage(record["id"], record["source"], record["fields"], score, self.name, row)

    def search_dense(
        self, vector: NDArray[np.float32], top_k: int, rows: NDArray[np.int64] | None = None
    ) -> list[tuple[int, float]]:
        """Return pairs of row and cosine, best first; of all rows, or of `rows` alone.

        `vector`: `(dim,)` float32; `rows`: `(m,)` int64, ascending.
        """
        return self._dense.search(vector, top_k, rows)

    def search_lexical(
        self,
        text: str,
        top_k: int,
        rows: NDArray[np.int64] | None = None,
        groups: Sequence[Sequence[str]] = (),
    ) -> list[tuple[int, float]]:
        """Return pairs of row and BM25 score over 0, best first; of all rows, or of `rows`.

        `groups`: tokens whose values share a word; each group counts as one word.
        """
        return self._lexical.search(text, top_k, rows, groups)

    def rows_with(self, marks: Iterable[str]) -> NDArray[np.int64]:
        """Return the rows with at least one of some tokens or blind words: `(m,)`, ascending."""
        return self._lexical.rows_with(marks)

    def holders(self, words: Iterable[str]) -> dict[str, int]:
        """Return the number of rows that contain each index word; 0 for an unknown one."""
        return self._lexical.holders(words)

    def sentence_vectors(self, rows: Iterable[int]) -> dict[int, Vector]:
        """Return the stored vectors of some passages' sentences: `(dim,)` by `sentence_key`."""
        return self.sentences.of(rows) if self.sentences else {}

    def close(self) -> None:
        """Close the memory map."""
        self._passages.close()


def layer_folder(version: Path, layer: Layer, layers: Collection[Layer]) -> Path:
    """Return the folder of a layer of a version that has these layers."""
    return version if len(layers) == 1 else version / layer


def write_layer(
    folder: Path,
    passages: Sequence[Passage],
    vectors: Vectors,
    lexical: Sequence[str],
    sentences: Sequence[Mapping[str, Vector]] = (),
) -> None:
    """Write the files of a layer.

    `vectors`: `(n, dim)`; for each passage, `lexical` has a text and `sentences`, if given, the
    vectors of its sentences by their readable views.
    """
    folder.mkdir(exist_ok=True)
    write_passages(folder, passages)
    FaissIndex.write(vectors, folder / VECTORS)
    LexicalIndex.write(lexical, folder / LEXICAL)
    if sentences:
        SentenceVectors.write(sentences, vectors.shape[1], folder)


def write_passages(folder: Path, passages: Iterable[Passage]) -> None:
    """Write passages, and the offset at which each begins.

    Raises:
        ValueError: unless they are in the order of their ids, which hides that of the corpus.
    """
    offsets, last = [0], ""
    with (folder / PASSAGES).open("wb") as file:
        for passage in passages:
            if passage.id < last:
                raise ValueError("passages are not in the order of their ids")
            last = passage.id
            offsets.append(offsets[-1] + file.write(_line(passage)))
    np.save(folder / OFFSETS, np.asarray(offsets, dtype=np.int64))


def _line(passage: Passage) -> bytes:
    record: dict[str, Any] = {
        "id": passage.id,
        "source": passage.source,
        "fields": dict(passage.fields),
    }
    return json.dumps(record, ensure_ascii=False).encode() + b"\n"
