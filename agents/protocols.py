"""The roles of SAGE as seams: each has a rule implementation and one that asks a model.

All are async because a model is waited for; rule agents wait for an embedder at most.

Source: Zeng et al. (2024), arXiv 2406.14773, §3.1 (stage 1) and §3.2 (stage 2).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from sage_rag.privacy.gate.gate import Verdict
from sage_rag.privacy.protect import ProtectedText, join_fields


@dataclass(frozen=True, slots=True)
class Attribute:
    """One kind of information that the corpus's records hold.

    `field` names the record's field it is read from; `description` tells an extractor what
    belongs to it.
    """

    name: str
    field: str
    description: str


Attributes = tuple[Attribute, ...]

Extraction = Mapping[str, Sequence[str]]
"""Key information by attribute name; attributes that a record does not speak of are left out."""


@dataclass(frozen=True, slots=True)
class Draft:
    """A synthetic record with the same fields as its original; placeholders for values."""

    fields: Mapping[str, str]

    @property
    def text(self) -> str:
        """All fields joined, as the gate measures it."""
        return join_fields(self.fields)


@dataclass(frozen=True, slots=True)
class Review:
    """The reviewer's word: safe, or what to change."""

    safe: bool
    suggestions: tuple[str, ...] = ()


class AttributeIdentifier(Protocol):
    """Names the essential attributes of a corpus, once."""

    async def identify(self, samples: Sequence[ProtectedText]) -> Attributes:
        """Propose attributes from a few samples (5 in the paper)."""
        ...


class Extractor(Protocol):
    """Fills the attributes for one record."""

    async def extract(self, record: ProtectedText, attributes: Attributes) -> Extraction:
        """Return the record's key information."""
        ...


class Generator(Protocol):
    """Writes a new record from key information alone."""

    async def generate(self, extraction: Extraction, attributes: Attributes) -> Draft:
        """Return a draft; it never sees the record itself."""
        ...


class Reviewer(Protocol):
    """Judges a draft against its (protected) original."""

    async def review(self, record: ProtectedText, draft: Draft) -> Review:
        """Return whether the draft is safe in the reviewer's eyes, or suggestions."""
        ...


class Rewriter(Protocol):
    """Revises a draft. Never sees the original."""

    async def rewrite(self, draft: Draft, review: Review, verdict: Verdict) -> Draft:
        """Return a draft that answers the review and the gate's findings."""
        ...


@dataclass(frozen=True, slots=True)
class Roles:
    """One implementation of every role, and a name that changes with any of them.

    `drafting` is the part of that name that stage 1 (identify, extract, generate) depends on, so
    that a changed review prompt does not make drafts anew; where it is empty, all of `fingerprint`
    counts.
    """

    identifier: AttributeIdentifier
    extractor: Extractor
    generator: Generator
    reviewer: Reviewer
    rewriter: Rewriter
    fingerprint: str
    drafting: str = ""
