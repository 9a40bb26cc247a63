"""The roles of SAGE: each has an implementation by rules and one that asks a model.

All are async, since a model takes time to answer; rules wait for an embedder at most.

Source: Zeng et al. (2024), arXiv 2406.14773, §3.1 (stage 1) and §3.2 (stage 2).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from sage_rag.privacy.gate.findings import Verdict
from sage_rag.privacy.protect import ProtectedText, join_fields


@dataclass(frozen=True, slots=True)
class Attribute:
    """One kind of information in the corpus's records.

    `field`: the record's field that holds it; `description` says what belongs to it.
    """

    name: str
    field: str
    description: str


@dataclass(frozen=True, slots=True)
class CorpusAttributes:
    """The attributes of a corpus and the form of its records, one of `forms.form_names()`."""

    entries: tuple[Attribute, ...]
    form: str

    @property
    def fields(self) -> tuple[str, ...]:
        """The records' fields that have attributes, in order."""
        return tuple(dict.fromkeys(a.field for a in self.entries))


NO_ATTRIBUTES = CorpusAttributes((), "generic")


@dataclass(frozen=True, slots=True)
class Extraction:
    """The key information of one record.

    `phrases` by attribute name; attributes that the record does not mention are left out.
    `sentences`: where they were taken from the record word for word, all of them by field, in the
    record's order. `record`: the new record, where the same call wrote it. `blank`: the fields that
    the record leaves blank, as its draft has to.
    """

    phrases: Mapping[str, Sequence[str]]
    sentences: Mapping[str, Sequence[str]] = field(default_factory=dict)
    record: Mapping[str, str] | None = None
    blank: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Draft:
    """A synthetic record with its original's fields and with placeholders for values."""

    fields: Mapping[str, str]

    @property
    def text(self) -> str:
        """All fields joined, as the gate measures it."""
        return join_fields(self.fields)


@dataclass(frozen=True, slots=True)
class Review:
    """The reviewer's verdict: safe, or what to change."""

    safe: bool
    suggestions: tuple[str, ...] = ()


class AttributeIdentifier(Protocol):
    """Names the essential attributes of a corpus, once."""

    async def identify(self, samples: Sequence[ProtectedText]) -> CorpusAttributes:
        """Propose attributes from a few samples (5 in the paper)."""
        ...


class Extractor(Protocol):
    """Fills the attributes for one record."""

    async def extract(self, record: ProtectedText, attributes: CorpusAttributes) -> Extraction:
        """Return the record's key information."""
        ...


class Generator(Protocol):
    """Writes a new record from key information alone."""

    async def generate(self, extraction: Extraction, attributes: CorpusAttributes) -> Draft:
        """Return a draft; it never sees the record itself."""
        ...


class Reviewer(Protocol):
    """Judges a draft against its (protected) original."""

    async def review(self, record: ProtectedText, draft: Draft) -> Review:
        """Return whether the draft is safe, or suggestions."""
        ...


class Rewriter(Protocol):
    """Revises a draft. Never sees the original."""

    async def rewrite(self, draft: Draft, review: Review, verdict: Verdict) -> Draft:
        """Return a draft revised by the review and the gate's findings."""
        ...


@dataclass(frozen=True, slots=True)
class Roles:
    """One implementation of every role. `fingerprint` changes with any of them.

    `drafting` is the part of it that stage 1 (identify, extract, generate) depends on, so that a
    changed review prompt keeps the drafts; where it is empty, `fingerprint` counts. `languages`, as
    ISO 639-1 codes: those that they can rewrite; `None` for any.
    """

    identifier: AttributeIdentifier
    extractor: Extractor
    generator: Generator
    reviewer: Reviewer
    rewriter: Rewriter
    fingerprint: str
    drafting: str = ""
    languages: frozenset[str] | None = None
