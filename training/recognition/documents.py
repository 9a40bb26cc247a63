"""Assign texts to documents, and documents to training, calibration or measurement.

A split by sentences would measure on documents that trained. Sets of sentences in order are cut
where a document begins, or into blocks. Texts of one template, and copies of one tweet, are one
document.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Mapping, Sequence
from enum import StrEnum
from typing import Any

Row = Mapping[str, Any]
DocumentNames = Callable[[Sequence[Row]], Sequence[str | None]]
"""Returns each row's document; `None` for a row that may belong to two and is not used."""

_BLOCK = 100
"""Sentences of a block: about eight articles of Wikigold."""
_EDGE = 15
"""Sentences next to a block of another split, which may share an article with it."""
_TEMPLATE_WORDS = 6
_AGREEMENT = re.compile(
    r"(?:\W|\d|LOAN AND SECURITY AGREEMENT)*THIS LOAN (?:AND SECURITY )?AGREEMENT"
    r"|This Loan Agreement \( this"
)
_LINK = re.compile(r"https?\S*|@\w+|^RT\b|\W|\d")


class Split(StrEnum):
    """The use of a document."""

    TRAIN = "training"
    CALIBRATION = "calibration"
    HELD_OUT = "held out"


_RANK = {Split.TRAIN: 0, Split.CALIBRATION: 1, Split.HELD_OUT: 2}


def held_out(document: str) -> bool:
    """Return whether a document is held out: one in five is."""
    return _bucket(document) % 5 == 0


def calibration(document: str) -> bool:
    """Return whether a document calibrates scores: one in ten of the others does."""
    return not held_out(document) and _bucket(f"calibration:{document}") % 10 == 0


def split_of(document: str) -> Split:
    """Return the split of a document."""
    if held_out(document):
        return Split.HELD_OUT
    return Split.CALIBRATION if calibration(document) else Split.TRAIN


def _bucket(name: str) -> int:
    return int(hashlib.sha256(name.encode()).hexdigest(), 16)


def by_field(name: str) -> DocumentNames:
    """Name documents by a field."""
    return lambda rows: [str(row[name]) for row in rows]


def by_wording(rows: Sequence[Row]) -> list[str]:
    """Treat texts that differ only in links, mentions, digits and signs as one document."""
    return [_digest(_LINK.sub("", row["text"]).casefold()) for row in rows]


def by_template(rows: Sequence[Row]) -> list[str]:
    """Treat texts with the same beginning, labels in place of values, as one document."""
    return [_digest(" ".join(_template(row).split()[:_TEMPLATE_WORDS])) for row in rows]


def by_block(rows: Sequence[Row]) -> list[str | None]:
    """Cut sentences in order into blocks; drop sentences next to a block of a later split."""
    names = [f"{row['dataset']}-block-{place // _BLOCK}" for place, row in enumerate(rows)]
    ranks = [_RANK[split_of(name)] for name in names]
    return [
        name if max(ranks[max(0, place - _EDGE) : place + _EDGE + 1]) == ranks[place] else None
        for place, name in enumerate(names)
    ]


def by_agreement(rows: Sequence[Row]) -> list[str]:
    """Cut sentences in order at the beginning of each agreement."""
    number, names = 0, []
    for row in rows:
        number += _AGREEMENT.match(row["text"]) is not None
        names.append(f"{row['dataset']}-agreement-{number}")
    return names


def _template(row: Row) -> str:
    text, parts, position = row["text"], [], 0
    for span in sorted(row["spans"], key=lambda s: int(s["start"])):
        parts += [text[position : span["start"]], f" {span['label']} "]
        position = span["end"]
    return re.sub(r"[\W\d]+", " ", "".join(parts) + text[position:]).casefold()


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:16]
