"""The roles of SAGE done by a language model, with structured answers.

A malformed answer is asked for once more with the reason; then the record is given up
(`AgentOutputError`), which quarantines it.

Source: Zeng et al. (2024), arXiv 2406.14773, §3, A.1. Differs: the model reads placeholders, never
a plain identifier, and the rewriter never sees the original.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import TypeVar

from pydantic import BaseModel, Field, RootModel, ValidationError

from agents.chat import ChatModel, Message
from agents.exceptions import AgentOutputError
from agents.prompts import prompt, prompts_fingerprint
from agents.protocols import (
    Attribute,
    Attributes,
    Draft,
    Extraction,
    Review,
    Roles,
)
from privacy.gate import Verdict
from privacy.protect import ProtectedText

ATTRIBUTES_PER_FIELD = 5
"""Source: arXiv 2406.14773, A.1.1: five for the patient, five for the doctor."""
_FENCE = re.compile(r"```(?:json)?\s*(.*?)```", re.DOTALL)

_Answer = TypeVar("_Answer", bound=BaseModel)


class _AttributeAnswer(BaseModel):
    name: str = Field(min_length=1, max_length=80)
    field: str
    description: str = ""


class _AttributesAnswer(BaseModel):
    attributes: list[_AttributeAnswer] = Field(min_length=1)


class _InformationAnswer(BaseModel):
    information: dict[str, list[str]] = Field(min_length=1)


class _RecordAnswer(RootModel[dict[str, str]]):
    pass


class _ReviewAnswer(BaseModel):
    safe: bool
    suggestions: list[str] = []


def model_roles(model: ChatModel) -> Roles:
    """Return all roles done by one model."""
    agent = ModelAgent(model)
    return Roles(agent, agent, agent, agent, agent, f"model/{model.name}/{prompts_fingerprint()}")


class ModelAgent:
    """Every role over one `ChatModel`; each call stands alone."""

    def __init__(self, model: ChatModel) -> None:
        self._model = model

    async def identify(self, samples: Sequence[ProtectedText]) -> Attributes:
        """Propose attributes from a few samples."""
        fields = list(samples[0].fields)
        system = prompt("identify").substitute(fields=", ".join(fields), count=ATTRIBUTES_PER_FIELD)
        shown = "\n\n---\n\n".join(_as_json(sample.fields) for sample in samples)
        answer = await self._ask(system, shown, _AttributesAnswer)
        return tuple(
            Attribute(a.name, a.field if a.field in fields else fields[0], a.description)
            for a in answer.attributes
        )

    async def extract(self, record: ProtectedText, attributes: Attributes) -> Extraction:
        """Return the record's key information by attribute name."""
        listed = "\n".join(f"- {a.name} (in {a.field}): {a.description}" for a in attributes)
        system = prompt("extract").substitute(attributes=listed)
        answer = await self._ask(system, _as_json(record.fields), _InformationAnswer)
        known = {a.name for a in attributes}
        return {name: phrases for name, phrases in answer.information.items() if name in known}

    async def generate(self, extraction: Extraction, attributes: Attributes) -> Draft:
        """Write a record from key information alone."""
        fields = list(dict.fromkeys(a.field for a in attributes))
        system = prompt("generate").substitute(fields=", ".join(fields), shape=_shape(fields))
        answer = await self._ask(system, _as_json(extraction), _RecordAnswer)
        return _draft(answer, fields)

    async def review(self, record: ProtectedText, draft: Draft) -> Review:
        """Judge a draft on the six aspects."""
        pair = f"ORIGINAL\n{_as_json(record.fields)}\n\nDRAFT\n{_as_json(draft.fields)}"
        answer = await self._ask(prompt("review").substitute(), pair, _ReviewAnswer)
        return Review(answer.safe, tuple(answer.suggestions))

    async def rewrite(self, draft: Draft, review: Review, verdict: Verdict) -> Draft:
        """Revise a draft after the review and the gate's findings."""
        fields = list(draft.fields)
        findings = [*review.suggestions, *(_finding(draft, f.message, f.start, f.end)
                                           for f in verdict.findings)]  # fmt: skip
        request = f"{_as_json(draft.fields)}\n\nFindings:\n" + "\n".join(f"- {f}" for f in findings)
        answer = await self._ask(
            prompt("rewrite").substitute(shape=_shape(fields)), request, _RecordAnswer
        )
        return _draft(answer, fields)

    async def _ask(self, system: str, user: str, shape: type[_Answer]) -> _Answer:
        """Ask; on a malformed answer once more, with the reason."""
        messages = [Message("system", system), Message("user", user)]
        answer = (await self._model.complete(messages)).text
        try:
            return _parse(answer, shape)
        except ValidationError as error:
            complaint = f"That does not fit: {_reason(error)}. Answer again, with JSON alone."
        messages += [Message("assistant", answer), Message("user", complaint)]
        try:
            return _parse((await self._model.complete(messages)).text, shape)
        except ValidationError as error:
            raise AgentOutputError(f"the model's answer does not fit: {_reason(error)}") from None


def _parse(answer: str, shape: type[_Answer]) -> _Answer:
    """Read JSON from an answer, with or without a fence or words around it."""
    fenced = _FENCE.search(answer)
    text = fenced.group(1) if fenced else answer[answer.find("{") : answer.rfind("}") + 1]
    return shape.model_validate_json(text)


def _reason(error: ValidationError) -> str:
    """Say what is wrong without repeating the answer: it may quote a record."""
    first = error.errors(include_input=False, include_context=False)[0]
    return f"{'.'.join(map(str, first['loc'])) or 'answer'}: {first['type']}"


def _draft(answer: _RecordAnswer, fields: Sequence[str]) -> Draft:
    missing = [name for name in fields if not answer.root.get(name, "").strip()]
    if missing:
        raise AgentOutputError(f"the model left out the fields {', '.join(missing)}")
    return Draft({name: answer.root[name].strip() for name in fields})


def _finding(draft: Draft, message: str, start: int | None, end: int | None) -> str:
    place = f': "{draft.text[start:end]}"' if start is not None else ""
    return f"the draft {message}{place}" if place else message


def _as_json(content: Mapping[str, object]) -> str:
    return json.dumps(content, ensure_ascii=False, indent=1)


def _shape(fields: Sequence[str]) -> str:
    return json.dumps(dict.fromkeys(fields, "..."))
