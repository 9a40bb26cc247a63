"""The attribute identifier over a model: asks once which information a corpus's records hold.

Source: Zeng et al. (2024), arXiv 2406.14773, §3.1, A.1.1. Differs: the samples may decide the
number of attributes; a statement of a single record never becomes an attribute.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Annotated

from pydantic import Field, WithJsonSchema, create_model

from sage_rag.agents.attributes import MAX_DESCRIPTION, MAX_NAME
from sage_rag.agents.chat.protocols import ChatModel
from sage_rag.agents.chat.structured import (
    NonBlankText,
    StructuredAnswer,
    as_json,
    ask,
    says_something,
)
from sage_rag.agents.exceptions import AgentOutputError
from sage_rag.agents.forms import dialogue_sides, form_names, form_of_records, instruction
from sage_rag.agents.prompts import prompt
from sage_rag.agents.protocols import Attribute, CorpusAttributes
from sage_rag.common.exceptions import InputError
from sage_rag.privacy.protect import ProtectedText
from sage_rag.privacy.tokens import LOOK_ALIKE
from sage_rag.privacy.words import tokenize

ATTRIBUTES_PER_FIELD = 5
"""Source: arXiv 2406.14773, A.1.1: five for the patient, five for the doctor."""
_MOST = 10
"""How many are requested per field where the samples decide the number."""
_SUPPORT = 0.6
"""Share of the samples that must contain an attribute then: three of five."""
_QUOTE_WORDS = 6
"""From this many words in a row of a sample an attribute is a quotation, not a kind of
information."""


class _Attribute(StructuredAnswer):
    name: NonBlankText
    field: NonBlankText
    description: str = ""
    samples: tuple[int, ...] = ()


class _Attributes(StructuredAnswer):
    form: str = ""
    attributes: tuple[_Attribute, ...] = Field(min_length=1)


@lru_cache(maxsize=64)
def _shape(fields: tuple[str, ...]) -> type[_Attributes]:
    """Return the shape of an answer, of which a server can enforce the names of fields and forms.

    An answer with others is valid all the same: what is of no use is left out afterwards.
    """
    field = Annotated[NonBlankText, WithJsonSchema({"type": "string", "enum": list(fields)})]
    form = Annotated[str, WithJsonSchema({"type": "string", "enum": list(form_names())})]
    attribute = create_model("_Attribute", __base__=_Attribute, field=(field, ...))
    listed = (tuple[attribute, ...], Field(min_length=1))  # type: ignore[valid-type]
    return create_model("_Attributes", __base__=_Attributes, form=(form, ""), attributes=listed)


async def identify(
    model: ChatModel, samples: Sequence[ProtectedText], per_field: int | None
) -> CorpusAttributes:
    """Ask which attributes and form a corpus has; `per_field` is `None` where samples decide.

    If the field names show a dialogue, the model's form is ignored. A proposed attribute of an
    unknown field, or one that quotes a sample, is dropped.

    Raises:
        InputError: when there is no sample.
        AgentOutputError: when the answers do not fit, twice.
    """
    if not samples:
        raise InputError("no sample to name attributes from", hint="give at least one record")
    fields = tuple(dict.fromkeys(name for sample in samples for name in sample.fields))
    quotes = _runs(sample.text for sample in samples)

    def chosen(answer: _Attributes) -> list[Attribute]:
        usable = [a for a in answer.attributes if a.field in fields and not _quotes(a, quotes)]
        return [
            attribute
            for field in fields
            for attribute in _of_field(
                [a for a in usable if a.field == field], len(samples), per_field
            )
        ]

    def check(answer: _Attributes) -> str | None:
        return _complaint(chosen(answer), fields, per_field)

    system = prompt("identify").substitute(
        fields=", ".join(fields),
        count=f"the {per_field} most essential" if per_field else f"up to {_MOST} essential",
        forms="\n".join(f"- {form}: {instruction(form)}" for form in form_names()),
    )
    shown = "\n\n".join(
        f"Sample {number}:\n{as_json(sample.fields)}" for number, sample in enumerate(samples, 1)
    )
    answer = await ask(model, system, shown, _shape(fields), stage="identify", check=check)
    attributes = _distinct(chosen(answer))
    _require_all(attributes, fields)
    return CorpusAttributes(tuple(attributes), _form(answer.form, samples))


def _of_field(
    proposed: Sequence[_Attribute], samples: int, per_field: int | None
) -> list[Attribute]:
    """Return the attributes kept of one field, in their proposed order."""
    support = {id(a): len(set(a.samples) & set(range(1, samples + 1))) for a in proposed}
    ranked = sorted(proposed, key=lambda a: -support[id(a)])
    if per_field:
        kept = ranked[:per_field]
    else:
        enough = math.ceil(_SUPPORT * samples)
        kept = [a for a in ranked[:_MOST] if support[id(a)] >= enough] or ranked[:1]
    places = {id(a) for a in kept}
    return [
        Attribute(_one_line(a.name, MAX_NAME), a.field, _described(a.description))
        for a in proposed
        if id(a) in places
    ]


def _described(text: str) -> str:
    return _one_line(text, MAX_DESCRIPTION) if says_something(text) else ""


def _complaint(
    attributes: Sequence[Attribute], fields: Sequence[str], per_field: int | None
) -> str | None:
    found = Counter(a.field for a in attributes)
    bare = [field for field in fields if not found[field]]
    if bare:
        return f"no usable attribute is in the field {bare[0]}"
    few = [field for field in fields if per_field and found[field] < per_field]
    if few:
        return f"the field {few[0]} has {found[few[0]]} usable attributes, and needs {per_field}"
    return None


def _require_all(attributes: Sequence[Attribute], fields: Sequence[str]) -> None:
    bare = [field for field in fields if field not in {a.field for a in attributes}]
    if bare:
        raise AgentOutputError(
            f"the model names no attribute for the field `{bare[0]}`",
            hint="write attributes of your own and index with --set attributes=./mine.toml",
        )


def _distinct(attributes: Sequence[Attribute]) -> list[Attribute]:
    """Return attributes with unique names: the field's name is put before a shared one."""
    shared = Counter(name for _, name in {(a.field, a.name) for a in attributes})
    found: dict[str, Attribute] = {}
    for a in attributes:
        name = f"{a.field}: {a.name}"[:MAX_NAME] if shared[a.name] > 1 else a.name
        found.setdefault(name, Attribute(name, a.field, a.description))
    return list(found.values())


def _form(proposed: str, samples: Sequence[ProtectedText]) -> str:
    """Return the model's form, unless the field names show a dialogue or the form is unknown."""
    recognised = form_of_records([sample.fields for sample in samples])
    if dialogue_sides(samples[0].fields) or proposed not in form_names():
        return recognised
    return proposed


def _runs(texts: Iterable[str]) -> frozenset[tuple[str, ...]]:
    """Return all runs of words that are long enough for a quotation."""
    return frozenset(run for text in texts for run in _ngrams(text))


def _ngrams(text: str) -> Iterable[tuple[str, ...]]:
    words = tokenize(text)
    return zip(*(words[start:] for start in range(_QUOTE_WORDS)), strict=False)


def _quotes(attribute: _Attribute, quotes: frozenset[tuple[str, ...]]) -> bool:
    said = f"{attribute.name}. {attribute.description}"
    return bool(LOOK_ALIKE.search(said)) or any(run in quotes for run in _ngrams(said))


def _one_line(text: str, longest: int) -> str:
    return "".join(c if c.isprintable() else " " for c in " ".join(text.split()))[:longest].strip()
