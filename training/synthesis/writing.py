"""Write samples from templates over the document's own sentences."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources
from random import Random
from typing import Protocol

from sage_rag.common.fingerprints import data_digest
from sage_rag.privacy.entities import EntityType
from sage_rag.privacy.tokens import PLACEHOLDER
from sage_rag.training.synthesis.entities import EntityDocument
from sage_rag.training.synthesis.excerpts import (
    covering_sentences,
    describing_sentences,
    excerpt,
)
from sage_rag.training.synthesis.samples import Draft, Kind

VERSION = 5
"""Raised with every change of the text that a template gives."""

_FILE = "templates.toml"
_SLOT = re.compile(r"\{(\w+)\}")
_FOR_SEVERAL = ("{others}", "{all}")
_CHINESE = re.compile("[\u3400-\u9fff]")
_CHINESE_SHARE = 0.2
"""The share of Chinese characters from which a document's templates are Chinese: a Chinese text
with Latin names and figures has more, an English one with Chinese names has less."""
_NUMBERS = frozenset(
    (
        *(EntityType.ID, EntityType.CREDIT_CARD, EntityType.IBAN_CODE, EntityType.BANK_ACCOUNT),
        *(EntityType.US_SSN, EntityType.UK_NHS, EntityType.NATIONAL_ID, EntityType.PASSPORT),
        *(EntityType.DRIVER_LICENSE, EntityType.MEDICAL_LICENSE, EntityType.MEDICAL_RECORD),
    )
)


@dataclass(frozen=True, slots=True)
class Request:
    """What to write: a sample of one kind about a tuple of entities.

    `seed` decides every choice of the writer, so that the same request gives the same text.
    """

    members: tuple[str, ...]
    kind: Kind
    seed: str


class Writer(Protocol):
    """Writes drafts of samples with placeholders."""

    @property
    def fingerprint(self) -> str:
        """A name that changes whenever the drafts could change."""
        ...

    def write(self, document: EntityDocument, requests: Sequence[Request]) -> list[Draft | None]:
        """Return a draft for each request; `None` where there is no usable one."""
        ...


@dataclass(frozen=True, slots=True)
class Language:
    """The templates of one language, and its words for lists, gaps, types, questions, answers."""

    name: str
    templates: Mapping[Kind, tuple[str, ...]]
    comma: str
    conjunction: str
    gap: str
    question_answer: str
    types: Mapping[str, str]

    def type_name(self, entity_type: EntityType) -> str:
        """Return what an entity of this type is called in a sentence."""
        fallback = "number" if entity_type in _NUMBERS else "other"
        return self.types.get(entity_type, self.types[fallback])

    def listed(self, items: Sequence[str]) -> str:
        """Return a list with a conjunction before its last item."""
        *first, last = items
        return f"{self.comma.join(first)}{self.conjunction}{last}" if first else last


@cache
def languages() -> dict[str, Language]:
    """Return the templates by language: `en` and `zh`."""
    source = resources.files(__package__).joinpath(_FILE).read_text("utf-8")
    return {
        name: Language(
            name,
            {kind: tuple(table[kind]) for kind in Kind},
            table["join"]["comma"],
            table["join"]["and"],
            table["join"]["gap"],
            table["join"]["question_answer"],
            table["types"],
        )
        for name, table in tomllib.loads(source).items()
    }


def language_of_templates(text: str) -> Language:
    """Return the templates for a document."""
    words = PLACEHOLDER.sub("", text)
    share = len(_CHINESE.findall(words)) / max(1, len("".join(words.split())))
    return languages()["zh" if share >= _CHINESE_SHARE else "en"]


class TemplateWriter:
    """Fill templates with entities and with sentences of the document.

    Guarantees: a text consists of a template's words, placeholders of the document, and whole
    sentences of the document; a gap stands for one entity. It states nothing else.
    Does not guarantee: that a sentence means the same without its neighbours. One that leans on the
    sentence before it, by a pronoun for example, is quoted together with that one.
    """

    @property
    def fingerprint(self) -> str:
        """Changes with the templates and with `VERSION`."""
        return f"templates-{VERSION}-{data_digest(__package__ or '', _FILE)}"

    def write(self, document: EntityDocument, requests: Sequence[Request]) -> list[Draft | None]:
        """Return a draft for each request."""
        language = language_of_templates(document.text)
        return [_written(document, request, language) for request in requests]


def _written(document: EntityDocument, request: Request, language: Language) -> Draft | None:
    draw = Random(request.seed)  # noqa: S311 - a choice of words, not a secret
    usable = [
        (number, template)
        for number, template in enumerate(language.templates[request.kind])
        if len(request.members) > 1 or not any(slot in template for slot in _FOR_SEVERAL)
    ]
    if not usable:
        return None
    number, template = draw.choice(usable)
    text = _filled(template, document, request, language, draw)
    name = f"template:{language.name}/{request.kind}/{number}"
    return Draft(request.members, request.kind, text, name)


def _filled(
    template: str, document: EntityDocument, request: Request, language: Language, draw: Random
) -> str:
    first, *others = request.members
    needed = set(_SLOT.findall(template))
    about = request.members if needed & {"others", "all"} else (first,)
    values = {
        "entity": first,
        "others": language.listed(others) if others else "",
        "all": language.listed(request.members),
        "type": language.type_name(document.entities[first].entity_type),
    }
    if "gap" in needed:
        numbers = [_gap_sentence(document, request.members, draw)]
        values["gap"] = excerpt(document, numbers).replace(first, language.gap)
    elif len(about) > 1:
        numbers = covering_sentences(document, about, draw)
    else:
        numbers = describing_sentences(document, first, draw)
    if "lines" in needed:
        values["lines"] = excerpt(document, numbers)
    return _SLOT.sub(lambda slot: values[slot.group(1)], template)


def _gap_sentence(document: EntityDocument, members: Sequence[str], draw: Random) -> int:
    """Return a sentence that mentions the first member, and others of the tuple if one does."""
    first, *others = members
    counts = {n: sum(n in document.mentions[o] for o in others) for n in document.mentions[first]}
    most = max(counts.values())
    return draw.choice([number for number, count in counts.items() if count == most])
