"""The baselines that SAGE is compared to, as roles: one draft per record, never revised.

Models read placeholders here as everywhere, so a leak is due to the method alone.

Source: Zeng et al. (2024), arXiv 2406.14773, A.3 (paraphrase, ZeroGen, AttrPrompt) and A.6
(Para(Joe), a privacy checklist in one round).
"""

from __future__ import annotations

import hashlib
import random
from collections.abc import Sequence
from dataclasses import replace
from typing import Annotated

from pydantic import AfterValidator, Field

from sage_rag.agents.attributes import MAX_DESCRIPTION
from sage_rag.agents.chat.protocols import ChatModel
from sage_rag.agents.chat.structured import (
    NonBlankText,
    StructuredAnswer,
    as_json,
    ask,
    record_model,
    values_of,
)
from sage_rag.agents.forms import form_of_fields
from sage_rag.agents.prompts import prompt, prompts_fingerprint
from sage_rag.agents.protocols import Attribute, CorpusAttributes, Draft, Extraction, Review, Roles
from sage_rag.agents.rules.roles import (
    LANGUAGES,
    rules_fingerprint,
    rules_roles,
    salient_half,
)
from sage_rag.common.exceptions import InputError
from sage_rag.privacy.gate.findings import Verdict
from sage_rag.privacy.protect import ProtectedText
from sage_rag.privacy.tokens import LOOK_ALIKE

VERSION = 2
"""Raised with every change of what a baseline writes from the same answers."""

PAIRS = 10
"""Questions and answers per record of ZeroGen. Source: arXiv 2406.14773, A.3."""
_ATTRIBUTES_PER_FIELD = 5
_VALUES = 10
"""Values per attribute of AttrPrompt: our choice."""
_BETWEEN = " | "

NEED_A_MODEL = frozenset({"checklist", "zerogen", "attrprompt"})
"""Methods that need a model: rules cannot write such texts."""


def baseline_roles(method: str, model: ChatModel | None) -> Roles:
    """Return the roles of a baseline; without a `model`, by rules if rules can.

    Raises:
        InputError: when the method needs a model.
    """
    if method in NEED_A_MODEL and model is None:
        raise InputError(
            f"recipe `{method}` needs a model",
            hint="name one with --llm-base-url and --llm-model; `paraphrase` works with rules",
        )
    if model is None:
        roles = _roles(_RulesParaphrase(), f"{method}/{rules_fingerprint()}")
        return replace(roles, languages=LANGUAGES)
    name = f"{method}/model/{model.name}"
    if method == "attrprompt":
        return _roles(_AttrPrompt(model), f"{name}/{prompts_fingerprint('attrvalues', method)}")
    agent = _ZeroGen(model) if method == "zerogen" else _Rewriting(model, method)
    return _roles(agent, f"{name}/{prompts_fingerprint(method)}")


class _Baseline:
    """One draft from the fields; every review agrees, and no rewrite changes it."""

    async def identify(self, samples: Sequence[ProtectedText]) -> CorpusAttributes:
        """Return one attribute per field: these methods use no attributes."""
        names = list(dict.fromkeys(name for sample in samples for name in sample.fields))
        entries = tuple(Attribute(name, name, "the whole field") for name in names)
        return CorpusAttributes(entries, form_of_fields(names))

    async def extract(self, record: ProtectedText, attributes: CorpusAttributes) -> Extraction:
        """Return the new text of each field."""
        raise NotImplementedError

    async def generate(self, extraction: Extraction, attributes: CorpusAttributes) -> Draft:
        """Join the phrases of each field."""
        phrases = extraction.phrases
        return Draft({a.field: "\n".join(phrases.get(a.name, ())) for a in attributes.entries})

    async def review(self, record: ProtectedText, draft: Draft) -> Review:
        """Agree: a baseline has no reviewer."""
        return Review(True)

    async def rewrite(self, draft: Draft, review: Review, verdict: Verdict) -> Draft:
        """Return the draft unchanged: a baseline has one round."""
        return draft


def _roles(agent: _Baseline, fingerprint: str) -> Roles:
    return Roles(agent, agent, agent, agent, agent, f"{fingerprint}/{VERSION}")


class _RulesParaphrase(_Baseline):
    """Keep half of each field's sentences, the most salient: the paper names no share."""

    async def extract(self, record: ProtectedText, attributes: CorpusAttributes) -> Extraction:
        return Extraction({name: [salient_half(text)] for name, text in record.fields.items()})


class _Rewriting(_Baseline):
    """One call per record, by the prompt of the method: `paraphrase` or `checklist`."""

    def __init__(self, model: ChatModel, method: str) -> None:
        self._model = model
        self._method = method

    async def extract(self, record: ProtectedText, attributes: CorpusAttributes) -> Extraction:
        names = [name for name, text in record.fields.items() if text]
        system = prompt(self._method).substitute(_field_prompt(names))
        shown = as_json({name: record.fields[name] for name in names})
        answer = await ask(self._model, system, shown, record_model(names), stage="paraphrase")
        return Extraction({name: [text] for name, text in values_of(answer).items()})


class _Pair(StructuredAnswer):
    field: str
    question: NonBlankText
    answer: NonBlankText


class _Pairs(StructuredAnswer):
    pairs: Annotated[list[_Pair], Field(min_length=1)]


class _ZeroGen(_Baseline):
    """Questions whose answers are entities of the record.

    Differs from the paper: one call names the entities and asks the questions; the paper takes the
    entities from spaCy and makes one call for each. Placeholders are entities, too.
    """

    def __init__(self, model: ChatModel) -> None:
        self._model = model

    async def extract(self, record: ProtectedText, attributes: CorpusAttributes) -> Extraction:
        names = list(record.fields)
        system = prompt("zerogen").substitute(fields=", ".join(names), count=PAIRS)
        answer = await ask(self._model, system, as_json(record.fields), _Pairs, stage="extract")
        made: dict[str, list[str]] = {}
        for pair in _random_for(record).sample(answer.pairs, min(PAIRS, len(answer.pairs))):
            field = pair.field if pair.field in names else names[0]
            made.setdefault(field, []).append(f"question: {pair.question} answer: {pair.answer}")
        return Extraction(made)


def _line(text: str) -> str:
    """Return a text as one line without placeholder marks, as an attributes file needs it."""
    return " ".join(LOOK_ALIKE.sub(" ", text).split()) or "other"


_Few = Annotated[
    str, Field(max_length=MAX_DESCRIPTION // _VALUES - len(_BETWEEN)), AfterValidator(_line)
]
"""Short enough that all values of an attribute fit into its description."""


class _ValuedAttribute(StructuredAnswer):
    name: Annotated[_Few, Field(min_length=1)]
    field: str
    values: Annotated[list[_Few], Field(min_length=1)]


class _ValuedAttributes(StructuredAnswer):
    attributes: Annotated[list[_ValuedAttribute], Field(min_length=1)]


class _AttrPrompt(_Baseline):
    """Records from attribute values that the model made up: it sees no record.

    The samples give only the fields and the kind of record that the rules recognise. A hash of a
    record's text draws its values, so that a run can be repeated.
    """

    def __init__(self, model: ChatModel) -> None:
        self._model = model

    async def identify(self, samples: Sequence[ProtectedText]) -> CorpusAttributes:
        preset = await rules_roles().identifier.identify(samples)
        fields = preset.fields
        kind = f"records that speak of {', '.join(dict.fromkeys(a.name for a in preset.entries))}"
        system = prompt("attrvalues").substitute(
            kind=kind, fields=", ".join(fields), count=_ATTRIBUTES_PER_FIELD, values=_VALUES
        )
        found = await ask(self._model, system, "Begin.", _ValuedAttributes, stage="identify")
        named = {a.name: a for a in found.attributes if a.field in fields}
        bare = [name for name in fields if name not in {a.field for a in named.values()}]
        entries = [
            Attribute(name, a.field, _BETWEEN.join(a.values[:_VALUES])) for name, a in named.items()
        ]
        entries += [Attribute(f"content of {name}", name, "as usual") for name in bare]
        return CorpusAttributes(tuple(entries), form_of_fields(fields))

    async def extract(self, record: ProtectedText, attributes: CorpusAttributes) -> Extraction:
        drawn = _random_for(record)
        return Extraction(
            {a.name: [drawn.choice(a.description.split(_BETWEEN))] for a in attributes.entries}
        )

    async def generate(self, extraction: Extraction, attributes: CorpusAttributes) -> Draft:
        names = attributes.fields
        system = prompt("attrprompt").substitute(_field_prompt(names))
        chosen = {name: ", ".join(values) for name, values in extraction.phrases.items()}
        answer = await ask(
            self._model, system, as_json(chosen), record_model(names), stage="generate"
        )
        return Draft(values_of(answer))


def _field_prompt(names: Sequence[str]) -> dict[str, str]:
    """Return the parts of a prompt that describe a record's fields."""
    return {"fields": ", ".join(names), "shape": as_json(dict.fromkeys(names, "..."))}


def _random_for(record: ProtectedText) -> random.Random:
    digest = hashlib.sha256(record.text.encode()).digest()
    return random.Random(digest)  # noqa: S311 - not for secrets
