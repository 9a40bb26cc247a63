"""Ask a model for an answer of a given shape, and accept no other.

JSON is found inside prose and code fences and validated by a pydantic model. An answer that does
not fit is asked for once more. No message quotes an answer: it may quote a record.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Annotated, Any, TypeVar

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError, create_model
from pydantic_core import PydanticCustomError

from sage_rag.agents.chat.protocols import ChatMessage, ChatModel, Reply
from sage_rag.agents.exceptions import AgentOutputError
from sage_rag.privacy.tokens import LOOK_ALIKE, PLACEHOLDER, placeholders_in

_OBJECTS_TRIED = 32
"""Places in an answer where JSON may begin. Limits the cost of nested brackets."""
_QUOTED_CHARS = 4_000
"""Characters of a bad answer that the model is shown again: a long one must not fill its
context."""


def _close(schema: dict[str, Any]) -> None:
    """Require all properties of a schema and forbid others, as strict servers demand."""
    schema.pop("title", None)
    schema["required"] = list(schema.get("properties", {}))
    schema["additionalProperties"] = False
    for described in schema.get("properties", {}).values():
        described.pop("title", None)
        described.pop("default", None)


class StructuredAnswer(BaseModel):
    """Base of every answer's shape. Keys of an answer that are not fields are ignored."""

    model_config = ConfigDict(json_schema_extra=_close, frozen=True)


_A = TypeVar("_A", bound=StructuredAnswer)


def says_something(text: str) -> bool:
    """Return whether a text has a letter or a digit: small models copy the "..." of a shape."""
    return any(map(str.isalnum, text))


def _not_blank(text: str) -> str:
    if not says_something(text):
        raise PydanticCustomError("blank", "blank")
    return text.strip()


NonBlankText = Annotated[str, AfterValidator(_not_blank)]
"""Text with a letter or a digit, without white space at its ends."""


@lru_cache(maxsize=64)
def keyed_model(
    title: str, keys: tuple[str, ...], kind: Any, default: Hashable = ...
) -> type[StructuredAnswer]:
    """Return the shape of an object with these keys, which may hold any characters.

    Cached: building a shape takes longer than using it a hundred times.
    """
    fields = {f"key_{i}": (kind, Field(default, alias=key)) for i, key in enumerate(keys)}
    return create_model(title, __base__=StructuredAnswer, **fields)  # type: ignore[call-overload,no-any-return]


def record_model(fields: Sequence[str]) -> type[StructuredAnswer]:
    """Return the shape of a record: all of its fields, none blank."""
    return keyed_model("Record", tuple(fields), NonBlankText)


def shape_of(fields: Sequence[str]) -> str:
    """Return a record as a prompt shows it: each field with `...`."""
    return json.dumps(dict.fromkeys(fields, "..."), ensure_ascii=False)


def values_of(answer: StructuredAnswer) -> dict[str, Any]:
    """Return the values of an answer of a `keyed_model`, by key."""
    fields = type(answer).model_fields.items()
    return {info.alias or name: getattr(answer, name) for name, info in fields}


def as_json(content: Mapping[str, object]) -> str:
    """Return content as JSON, one line per entry: no text can end the string that holds it."""
    # With `indent`, `json` would be ten times slower.
    entries = (f" {_dump(name)}: {_dump(value)}" for name, value in content.items())
    return "{\n" + ",\n".join(entries) + "\n}"


def _dump(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


async def ask(
    model: ChatModel,
    system: str,
    user: str,
    answer: type[_A],
    *,
    stage: str,
    check: Callable[[_A], str | None] = lambda _: None,
    strict: bool = False,
) -> _A:
    """Return the model's answer; if it does not fit, ask once more and give the reason.

    `check` returns a complaint about an answer that fits but should be better; it must not quote a
    record. Such an answer is asked for once more, too. The second answer is used if it fits, even
    if `check` still complains: the gate judges the result. With `strict`, it does not fit then.

    Raises:
        AgentOutputError: when no answer fits; no cache keeps them, so that asking again may help.
        UpstreamError: when the model cannot be reached.
    """
    shape = _schema(answer)
    messages = [ChatMessage("system", system), ChatMessage("user", user)]
    asked = reply = await model.complete(messages, stage=stage, shape=shape)
    first, complaint = _parsed(reply, answer, check)
    if first is not None and complaint is None:
        return first
    again = f"That does not fit: {complaint}. Answer again, in full, with JSON alone."
    # Some servers refuse an empty message.
    shown = reply.text[:_QUOTED_CHARS] or "(nothing)"
    messages += [ChatMessage("assistant", shown), ChatMessage("user", again)]
    reply = await model.complete(messages, stage=stage, shape=shape)
    second, complaint = _parsed(reply, answer, check)
    answered = second or first
    if answered is None or (strict and complaint is not None):
        asked.forget()
        reply.forget()
        raise AgentOutputError(f"the model's answer does not fit: {complaint}")
    return answered


@lru_cache(maxsize=64)
def _schema(answer: type[StructuredAnswer]) -> Mapping[str, Any]:
    """Return an answer's JSON schema. Cached: building one takes longer than a request."""
    return answer.model_json_schema()


def placeholder_complaint(expected: frozenset[str], text: str) -> str | None:
    """Return which placeholders a text lost, or that it holds marks that the record has not."""
    lost = sorted(expected - placeholders_in(text))
    if lost:
        return f"it lost {', '.join(lost)}"
    rest = PLACEHOLDER.sub(lambda m: "" if m.group() in expected else m.group(), text)
    if LOOK_ALIKE.search(rest):
        return "it holds marks in brackets that the record has not"
    return None


def _parsed(
    reply: Reply, answer: type[_A], check: Callable[[_A], str | None]
) -> tuple[_A | None, str | None]:
    """Return the answer in a reply if it fits, and the complaint about it if there is one."""
    fitting: tuple[_A, str] | None = None
    complaint = "it holds no JSON object"
    for content in json_objects(reply.text):
        try:
            found = answer.model_validate(content)
        except ValidationError as error:
            complaint = _reason(error, answer)
            continue
        defect = check(found)
        if defect is None:
            return found, None
        fitting = fitting or (found, defect)
    if fitting:
        return fitting
    return None, complaint if reply.finished else "it was cut off before its end; be briefer"


def json_objects(text: str) -> Iterator[dict[str, Any]]:
    """Yield the JSON objects in an answer, with or without a fence or words around them."""
    decoder, position = json.JSONDecoder(), text.find("{")
    for _ in range(_OBJECTS_TRIED):
        if position < 0:
            return
        try:
            found, end = decoder.raw_decode(text, position)
            # JSON allows half a surrogate pair, which can be neither stored nor sent.
            json.dumps(found, ensure_ascii=False).encode()
        except (ValueError, RecursionError):
            position += 1
        else:
            yield found
            position = end
        position = text.find("{", position)


def _reason(error: ValidationError, answer: type[StructuredAnswer]) -> str:
    """Return what is wrong and where, without keys of the answer: they may quote a record."""
    first = error.errors(include_input=False, include_context=False, include_url=False)[0]
    known = set(_names(answer))
    places = [str(part) for part in first["loc"] if isinstance(part, int) or part in known]
    return f"{'.'.join(places) or 'answer'}: {first['type'].replace('_', ' ')}"


def _names(answer: type[BaseModel]) -> Iterator[str]:
    for name, info in answer.model_fields.items():
        yield info.alias or name
        for part in (info.annotation, *getattr(info.annotation, "__args__", ())):
            if isinstance(part, type) and issubclass(part, BaseModel):
                yield from _names(part)
