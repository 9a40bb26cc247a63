"""Assemble a version: decide which results become passages and which are refused."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import NamedTuple

from sage_rag.indexer.audit import KNOWN_IDENTIFIER
from sage_rag.indexer.changes import DocumentKey
from sage_rag.indexer.corpus import Document
from sage_rag.indexer.known_identifiers import KnownIdentifiers
from sage_rag.indexer.ledger import Result
from sage_rag.indexer.passages import Passage, SealedDocument
from sage_rag.indexer.sealing import Sealer
from sage_rag.indexer.stores.lexical import searchable
from sage_rag.indexer.timing import Timer, timed
from sage_rag.privacy.blind_index import identifies


@dataclass
class Assembly:
    """The content of a version: passages, the lexical text of each, and reasons of refusals.

    The lexical text also contains the tokens of values that the new text leaves out, and the blind
    words of all values, so that a question finds a record by a name or a part of it; that of a
    piece, too, those of the direct identifiers at the beginning of its text. Blind words
    go nowhere else: no passage, prompt or embedding contains one. `refused`: by document id.

    Rows are in the order of layers and passage ids, a keyed permutation: the order of the corpus
    would reveal to a reader who knows it which passage is of which document.
    """

    passages: list[Passage] = field(default_factory=list)
    lexical: list[str] = field(default_factory=list)
    refused: dict[str, tuple[str, ...]] = field(default_factory=dict)

    def add(self, passage: Passage, tokens: Iterable[str] = (), words: Iterable[str] = ()) -> None:
        """Add a passage with the tokens of its original and their blind words."""
        left_out = [token for token in tokens if token not in passage.text]
        self.passages.append(passage)
        self.lexical.append(searchable(" ".join([passage.text, *left_out]), words))

    def in_order_of_ids(self) -> Assembly:
        """Return the same content with its rows in the order of layers, then of passage ids."""
        passages, lexical = self.passages, self.lexical
        order = sorted(
            range(len(passages)), key=lambda row: (passages[row].layer, passages[row].id)
        )
        return Assembly([passages[r] for r in order], [lexical[r] for r in order], self.refused)

    def __add__(self, other: Assembly) -> Assembly:
        """Return the content of both, for example of two layers, in order."""
        return Assembly(
            self.passages + other.passages,
            self.lexical + other.lexical,
            self.refused | other.refused,
        ).in_order_of_ids()


def assemble_plain(documents: Iterable[Document]) -> Assembly:
    """Take every document unchanged: for the recipe that protects nothing."""
    assembly = Assembly()
    for document in documents:
        name = "p-" + hashlib.sha256(document.id.encode()).hexdigest()[:16]
        assembly.add(Passage(name, document.id, document.fields))
    return assembly.in_order_of_ids()


def assemble(
    results: Iterable[tuple[DocumentKey, Result]], sealer: Sealer, timer: Timer | None = None
) -> Assembly:
    """Seal safe results, with the identifiers of other documents in them; refuse unsafe ones.

    A result with such an identifier of a type that the policy does not encrypt is refused.
    `results` are in the order of the corpus. Each piece of a longer text is also found by the
    direct identifiers of its first published piece: a judgment names the parties at its head.
    """
    known = timed(KnownIdentifiers(sealer), timer, "audit")
    seal = timed(sealer, timer, "seal", "seal").seal
    candidates: list[tuple[DocumentKey, SealedDocument]] = []
    assembly = Assembly()
    for key, result in results:
        if not result.safe:
            assembly.refused[key.id] = result.reasons
            continue
        known.add(result.identifiers)
        candidates.append((key, seal(result)))
    heads: dict[str, _Marks] = {}
    for key, own in candidates:
        if (sealed := known.sealed(own)) is None:
            assembly.refused[key.id] = (KNOWN_IDENTIFIER,)
            continue
        passage = Passage(*sealer.names(key.id), sealed.fields)
        tokens, words = sealed.tokens, sealed.words
        if key.piece_of:
            if key.piece_of not in heads:
                heads[key.piece_of] = _Marks.identifying(sealed)
            head = heads[key.piece_of]
            tokens, words = _united(tokens, head.tokens), _united(words, head.words)
        assembly.add(passage, tokens, words)
    return assembly.in_order_of_ids()


class _Marks(NamedTuple):
    """Tokens and blind words."""

    tokens: tuple[str, ...]
    words: tuple[str, ...]

    @classmethod
    def identifying(cls, sealed: SealedDocument) -> _Marks:
        """Return those of a document's direct identifiers."""
        found = (tuple(filter(identifies, marks)) for marks in (sealed.tokens, sealed.words))
        return cls(*found)


def _united(own: tuple[str, ...], others: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(dict.fromkeys([*own, *others]))
