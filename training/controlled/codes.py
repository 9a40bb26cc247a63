"""Control codes: the private values of a text by type, one line for each type.

Source: Zhao and Field (2025), "Controlled Generation for Private Synthetic Text", §2.1 and A.1.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from sage_rag.privacy.entities import EntityType, Identifiability, identifiability


class CodeType(StrEnum):
    """The kinds of values that a control code names, in the order of its lines."""

    CODE = "CODE"
    PERSON = "PERSON"
    LOC = "LOC"
    ORG = "ORG"
    DEM = "DEM"
    DATETIME = "DATETIME"
    QUANTITY = "QUANTITY"


_NAMED: Mapping[EntityType, CodeType | None] = {
    EntityType.PERSON: CodeType.PERSON,
    EntityType.USERNAME: CodeType.PERSON,
    EntityType.LOCATION: CodeType.LOC,
    EntityType.ORGANIZATION: CodeType.ORG,
    EntityType.DEMOGRAPHIC: CodeType.DEM,
    EntityType.SPECIAL_CATEGORY: CodeType.DEM,
    EntityType.AGE: CodeType.DEM,
    EntityType.DATE_TIME: CodeType.DATETIME,
    EntityType.QUANTITY: CodeType.QUANTITY,
    EntityType.MISC: None,
    EntityType.SOURCE: None,
    EntityType.LITERAL: None,
}


def code_type_of(entity_type: EntityType) -> CodeType | None:
    """Return the line of a control code for a type; `None` for one that codes leave out.

    Every direct identifier that is not a name is a CODE. MISC is left out, as in the paper (A.2):
    an invented law or event does not fit its sentence.
    """
    return _NAMED.get(entity_type, CodeType.CODE)


class Identifiers(StrEnum):
    """Which values count as private."""

    DIRECT = "direct"
    QUASI = "quasi"
    BOTH = "both"

    def cover(self, value: PrivateValue) -> bool:
        """Return whether a value is one of these."""
        return self is Identifiers.BOTH or value.direct == (self is Identifiers.DIRECT)


@dataclass(frozen=True, slots=True)
class PrivateValue:
    """A private value as a text writes it. `repr` hides it.

    `direct`: whether it identifies a person alone.
    """

    text: str = field(repr=False)
    entity_type: EntityType
    direct: bool

    @classmethod
    def of(cls, text: str, entity_type: EntityType) -> PrivateValue:
        """Return a value whose type decides whether it is direct."""
        return cls(text, entity_type, identifiability(entity_type) is Identifiability.DIRECT)


@dataclass(frozen=True, slots=True)
class ValueSpan:
    """The place `[start, end)` of a private value in its document, in code points."""

    start: int
    end: int
    value: PrivateValue


@dataclass(frozen=True, slots=True)
class AnnotatedDocument:
    """A real document and its private values, in order of position. `repr` hides the text."""

    id: str
    text: str = field(repr=False)
    spans: tuple[ValueSpan, ...]

    @property
    def values(self) -> list[PrivateValue]:
        """The values of all spans."""
        return [span.value for span in self.spans]


@dataclass(frozen=True, slots=True)
class ControlCode:
    """Values by type. `repr` hides them."""

    lines: tuple[tuple[CodeType, tuple[str, ...]], ...] = field(repr=False)

    @classmethod
    def of(cls, values: Iterable[tuple[CodeType, str]]) -> ControlCode:
        """Group values by type; equal ones count once, in order of their first mention."""
        found: dict[CodeType, dict[str, None]] = {kind: {} for kind in CodeType}
        for kind, text in values:
            found[kind][" ".join(text.split())] = None
        return cls(tuple((kind, tuple(texts)) for kind, texts in found.items() if texts))

    @classmethod
    def of_document(cls, document: AnnotatedDocument, identifiers: Identifiers) -> ControlCode:
        """Return the real code of a document."""
        return cls.of(
            (kind, value.text)
            for value in document.values
            if identifiers.cover(value) and (kind := code_type_of(value.entity_type))
        )

    @property
    def counts(self) -> dict[CodeType, int]:
        """How many values each type has."""
        return {kind: len(texts) for kind, texts in self.lines}

    def __str__(self) -> str:
        """Return the code as a model reads it: `TYPE: value, value`."""
        return "\n".join(f"{kind}: {', '.join(texts)}" for kind, texts in self.lines)
