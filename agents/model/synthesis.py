"""Stage 1 by a language model: attributes once, then key information and a new record for each.

Source: Zeng et al. (2024), arXiv 2406.14773, §3.1, A.1.1. Differs: the model reads placeholders,
never a plain identifier; extractor and generator are one call by default.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Annotated, Any

from pydantic import BeforeValidator, create_model

from sage_rag.agents.chat.protocols import ChatModel
from sage_rag.agents.chat.structured import (
    StructuredAnswer,
    as_json,
    ask,
    keyed_model,
    placeholder_complaint,
    record_model,
    says_something,
    shape_of,
    values_of,
)
from sage_rag.agents.exceptions import AgentOutputError
from sage_rag.agents.forms import form_complaint, form_names, instruction
from sage_rag.agents.model.attributes import ATTRIBUTES_PER_FIELD, identify
from sage_rag.agents.model.domains import Domain
from sage_rag.agents.prompts import STAGE_1, prompt, prompts_fingerprint
from sage_rag.agents.protocols import CorpusAttributes, Draft, Extraction
from sage_rag.privacy.protect import ProtectedText, join_fields
from sage_rag.privacy.tokens import placeholders_in

VERSION = 2
"""Raised with every change of the questions of stage 1 or of how answers are read."""


def _as_list(value: Any) -> Any:
    """Return a list for a single phrase, and an empty one for `None`: models write both."""
    if value is None:
        return []
    return [value] if isinstance(value, str) else value


_Phrases = Annotated[tuple[str, ...], BeforeValidator(_as_list)]


class _Information(StructuredAnswer):
    information: StructuredAnswer


class _WrittenRecord(_Information):
    record: StructuredAnswer


class ModelSynthesis:
    """Identify, extract and generate over one `ChatModel`; calls are independent of each other.

    `joined`: one call, made by `extract`, extracts and generates. With two calls the generator
    never sees the record. `attributes_per_field`: `None` for those that most samples contain.
    `domain`: an add-on to the prompts.

    Guarantees: the system prompt is the same for every record of a corpus; the record comes last,
    as one JSON value that nothing in it can end.
    Does not guarantee: that no record can mislead the model. Its draft still has to pass the gate.
    """

    def __init__(
        self,
        model: ChatModel,
        *,
        joined: bool = True,
        attributes_per_field: int | None = ATTRIBUTES_PER_FIELD,
        domain: Domain | None = None,
    ) -> None:
        self._model = model
        self._joined = joined
        self._per_field = attributes_per_field
        self._advice = f"\n{domain.writing}\n" if domain else ""

    @property
    def fingerprint(self) -> str:
        """Changes with everything that a draft depends on, except record and attributes."""
        forms = (f"forms/{form}" for form in form_names())
        prompts = prompts_fingerprint(*STAGE_1, *forms)
        way = "joined" if self._joined else "two-calls"
        advice = hashlib.sha256(self._advice.encode()).hexdigest()[:12]
        return f"model/{self._model.name}/{prompts}/{VERSION}/{way}/{self._per_field}/{advice}"

    async def identify(self, samples: Sequence[ProtectedText]) -> CorpusAttributes:
        """Propose the attributes of a corpus and the form of its records, from a few samples.

        Raises:
            InputError: when there is no sample.
            AgentOutputError: when the model's answers do not fit, twice.
        """
        return await identify(self._model, samples, self._per_field)

    async def extract(self, record: ProtectedText, attributes: CorpusAttributes) -> Extraction:
        """Return the record's key information by attribute name.

        Raises:
            AgentOutputError: when the model's answers do not fit, twice, or hold nothing.
        """
        return await (self._write if self._joined else self._extract)(record, attributes)

    async def generate(self, extraction: Extraction, attributes: CorpusAttributes) -> Draft:
        """Return the record that `extract` received, or ask for one from the phrases alone.

        Raises:
            AgentOutputError: when the model's answers do not fit, twice.
        """
        if extraction.record is not None:
            return Draft(extraction.record)
        form = attributes.form
        expected = placeholders_in(_join(extraction.phrases))

        def check(answer: StructuredAnswer) -> str | None:
            return _record_complaint(_whole(answer, attributes), expected, form)

        answer = await ask(
            self._model,
            _system("generate", form, attributes, self._advice),
            as_json(extraction.phrases),
            record_model(_filled(attributes, extraction.blank)),
            stage="generate",
            check=check,
        )
        return Draft(_whole(answer, attributes))

    async def _extract(self, record: ProtectedText, attributes: CorpusAttributes) -> Extraction:
        names = tuple(a.name for a in attributes.entries)

        def check(answer: _Information) -> str | None:
            text = _join(_phrases(answer))
            if not text:
                return "it states nothing that the record says"
            return placeholder_complaint(record.placeholders, text)

        answer = await ask(
            self._model,
            _system("extract", attributes.form, attributes, self._advice),
            as_json(record.fields),
            _information_model(names),
            stage="extract",
            check=check,
        )
        phrases = _phrases(answer)
        if not phrases:
            raise AgentOutputError("the model found nothing in the record")
        return Extraction(phrases, blank=_blank(record))

    async def _write(self, record: ProtectedText, attributes: CorpusAttributes) -> Extraction:
        names = tuple(a.name for a in attributes.entries)
        form = attributes.form

        def check(answer: _WrittenRecord) -> str | None:
            return _record_complaint(_whole(answer.record, attributes), record.placeholders, form)

        answer = await ask(
            self._model,
            _system("synthesize", form, attributes, self._advice),
            as_json(record.fields),
            _written_model(names, _filled(attributes, _blank(record))),
            stage="extract",
            check=check,
        )
        return Extraction(_phrases(answer), record=_whole(answer.record, attributes))


@lru_cache(maxsize=64)
def _system(role: str, form: str, attributes: CorpusAttributes, advice: str) -> str:
    """Return a system prompt; cached, since it is the same for all records."""
    names, fields = [a.name for a in attributes.entries], attributes.fields
    return prompt(role).substitute(
        fields=", ".join(fields),
        form=instruction(form),
        domain=advice,
        attributes=_attribute_list(attributes),
        information=_lists(names),
        shape=_lists(names) if role == "extract" else shape_of(fields),
    )


@lru_cache(maxsize=64)
def _information_model(names: tuple[str, ...]) -> type[_Information]:
    information = keyed_model("Information", names, _Phrases, ())
    return create_model("Extracted", __base__=_Information, information=(information, ...))


@lru_cache(maxsize=64)
def _written_model(names: tuple[str, ...], fields: tuple[str, ...]) -> type[_WrittenRecord]:
    information = keyed_model("Information", names, _Phrases, ())
    return create_model(
        "Written",
        __base__=_WrittenRecord,
        information=(information, ...),
        record=(record_model(fields), ...),
    )


def _blank(record: ProtectedText) -> frozenset[str]:
    return frozenset(name for name, text in record.fields.items() if not text.strip())


def _filled(attributes: CorpusAttributes, blank: frozenset[str]) -> tuple[str, ...]:
    return tuple(name for name in attributes.fields if name not in blank)


def _whole(answer: StructuredAnswer, attributes: CorpusAttributes) -> dict[str, str]:
    """Return a record with all fields: blank are those that the model was not asked to fill."""
    return {**dict.fromkeys(attributes.fields, ""), **values_of(answer)}


def _phrases(answer: _Information) -> dict[str, Sequence[str]]:
    """Return the phrases by attribute, without those that say nothing."""
    stripped = {
        name: [phrase.strip() for phrase in phrases if says_something(phrase)]
        for name, phrases in values_of(answer.information).items()
    }
    return {name: phrases for name, phrases in stripped.items() if phrases}


def _join(phrases: Mapping[str, Sequence[str]]) -> str:
    return "\n".join(phrase for some in phrases.values() for phrase in some)


def _record_complaint(record: Mapping[str, str], expected: frozenset[str], form: str) -> str | None:
    return placeholder_complaint(expected, join_fields(record)) or form_complaint(form, record)


def _attribute_list(attributes: CorpusAttributes) -> str:
    return "\n".join(f"- {a.name} (in {a.field}): {a.description}" for a in attributes.entries)


def _lists(names: Sequence[str]) -> str:
    return json.dumps({name: ["..."] for name in names}, ensure_ascii=False)
