"""What goes into a synthesis and what comes out of it."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from enum import StrEnum

from sage_rag.common.exceptions import SageRagError

CountTokens = Callable[[str], int]
"""Returns the number of tokens of a text."""

_BYTES_PER_TOKEN = 4
"""About that of English under the tokenizers of Llama-3 and Qwen2.5."""


class SynthesisError(SageRagError):
    """A document cannot be turned into samples; the message names it by its id."""


class Kind(StrEnum):
    """The kind of a sample. Source: Liu et al. (2025), SoE, §3.3."""

    DESCRIPTION = "description"
    RELATION = "relation"
    QUESTION = "question"


@dataclass(frozen=True, slots=True)
class SourceDocument:
    """A document to synthesise from. `repr` hides its text."""

    id: str
    text: str = field(repr=False)


@dataclass(frozen=True, slots=True)
class Draft:
    """A text as a writer returns it, with placeholders such as `[PERSON_1]` for all entities.

    `writer`: the template (`template:en/relation/7`) or the model (`model:NAME`).
    """

    members: tuple[str, ...]
    kind: Kind
    text: str = field(repr=False)
    writer: str


@dataclass(frozen=True, slots=True)
class Sample:
    """One text to train on, and where it comes from.

    `source`: the id of its document. `members`: the tuple of entities that it is about.
    `entities`: all that it names, which its sentences may make more. Each one is a token, or the
    plain value where it is not encrypted. `tokens`: as counted by the synthesis. `repr` hides
    everything that can be plain.
    """

    source: str
    text: str = field(repr=False)
    kind: Kind
    members: tuple[str, ...] = field(repr=False)
    entities: tuple[str, ...] = field(repr=False)
    writer: str
    tokens: int


def estimated_tokens(text: str) -> int:
    """Return the number of tokens at four bytes of UTF-8 each, rounded up."""
    return math.ceil(len(text.encode("utf-8", "replace")) / _BYTES_PER_TOKEN)
