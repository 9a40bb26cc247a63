"""Passages: the records of an index, as retrieval returns them."""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final, Literal

from sage_rag.common.exceptions import InputError
from sage_rag.privacy.keyset.keyset import Keyset
from sage_rag.privacy.protect import join_fields

Layer = Literal["consensus", "records"]
"""What a passage is made of: statements that several subjects share, or one record."""
CONSENSUS: Final = "consensus"
RECORDS: Final = "records"


@dataclass(frozen=True, slots=True)
class Passage:
    """One retrieved record of an index version.

    `id` is public and stable within a version; `source` is the owner's name for the document, a
    `SOURCE_[...]` token unless the recipe publishes plain text; `score` grows with relevance;
    `row` is its place in an open layer.
    """

    id: str
    source: str
    fields: Mapping[str, str]
    score: float = 0.0
    layer: Layer = RECORDS
    row: int | None = field(default=None, compare=False)

    @property
    def text(self) -> str:
        """All fields joined."""
        return join_fields(self.fields)


@dataclass(frozen=True, slots=True)
class SealedDocument:
    """A document in its publishable form.

    `tokens` are those of all encrypted values, including values that the new text leaves out: the
    lexical index reads them, so that a question finds the record by a person's name. `words` are
    the blind words of the same values.
    """

    fields: dict[str, str]
    tokens: tuple[str, ...]
    words: tuple[str, ...]


def layer_called(name: str) -> Layer:
    """Return the layer of a name.

    Raises:
        InputError: for another name.
    """
    layers: dict[str, Layer] = {CONSENSUS: CONSENSUS, RECORDS: RECORDS}
    if name not in layers:
        raise InputError(f"no layer is called `{name}`", hint=f"one of: {', '.join(layers)}")
    return layers[name]


def passage_id(keyset: Keyset, corpus: str, document_id: str) -> str:
    """Return a passage's name: an HMAC, so that no one without the key can test a guessed id.

    It is made under the primary key: a rotation changes the names, so that an old key cannot test
    guesses either.

    Raises:
        KeysetError: with a grant.
    """
    key = keyset.derive(keyset.primary, purpose="passage-id", size_bytes=32)
    name = f"{corpus}\n{document_id}".encode()
    return "p-" + hmac.new(key, name, hashlib.sha256).hexdigest()[:16]
