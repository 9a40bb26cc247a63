"""The original texts that outputs are compared with."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from sage_rag.common.exceptions import InputError
from sage_rag.indexer.corpus import read_corpus
from sage_rag.privacy.gate.leakage import Original


@dataclass(frozen=True)
class Originals:
    """The texts of a corpus with their ids, prepared once for all outputs.

    Equal texts count as one original, so that a duplicate does not leak twice.
    """

    ids: tuple[str, ...]
    texts: tuple[Original, ...]

    def __len__(self) -> int:
        return len(self.ids)

    @classmethod
    def of(cls, texts: Iterable[tuple[str, str]]) -> Originals:
        """Prepare pairs of id and text.

        Raises:
            InputError: when there is no text, since then no leak can be found.
        """
        by_text: dict[str, str] = {}
        for original_id, text in texts:
            if text.strip():
                by_text.setdefault(text, original_id)
        if not by_text:
            raise InputError("there are no originals to compare with, so no leak can be measured")
        return cls(tuple(by_text.values()), tuple(map(Original, by_text)))


def read_originals(path: Path, text_fields: Sequence[str] | None) -> Originals:
    """Read a corpus as `sage-rag index` reads it.

    Raises:
        InputError: when the corpus cannot be read or holds no text.
    """
    return Originals.of((document.id, document.text) for document in read_corpus(path, text_fields))
