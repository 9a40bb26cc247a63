"""Answer the prompts of all roles without a language model, the same prompt always in the same way.

A draft holds its record's words in short phrases, from the last one to the first: no long run of
the record survives, every placeholder does.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any

from sage_rag.agents.chat.structured import json_objects
from sage_rag.agents.prompts import prompt
from sage_rag.privacy.gate.leakage import Original
from sage_rag.privacy.tokens import PLACEHOLDER

OTHER = "other"
"""The role of a prompt that is not ours."""
ROLES = (
    *("identify", "extract", "generate", "synthesize", "review", "rewrite", "infer", "consensus"),
    *("paraphrase", "checklist", "zerogen"),
)
ASPECTS = (
    *("direct_identifiers", "sensitive_attributes", "context"),
    *("linkage", "consistency", "recovery"),
)
NO_OBJECTION = dict.fromkeys(ASPECTS, "ok")
_KINDS = ("reason", "course", "findings", "measures", "outlook")
_PHRASE_WORDS, _COPIED_WORDS = 4, 10
_PIECE = re.compile(rf"{PLACEHOLDER.pattern}|[^\s\[]+|\[")
_EDGES = " \t.,;:!?()\"'*#|"
_ATTRIBUTE = re.compile(r"^- (.+?) \(in (.+?)\): ", re.MULTILINE)
_QUOTE = re.compile(r'"(?:[^"\\]|\\.)+"$')


@cache
def _openings() -> dict[str, str]:
    """Return each role by the first line of its prompt, up to where it is filled in."""
    return {re.split(r"\$|\n", prompt(role).template)[0].strip(): role for role in ROLES}


def role_of(system: str) -> str:
    """Return the role that a system prompt gives."""
    return next((r for opening, r in _openings().items() if system.startswith(opening)), OTHER)


def answer_to(system: str, user: str) -> dict[str, Any]:
    """Return the answer of the role that the system prompt gives."""
    record = record_in(user)
    draft = {name: reordered(text) for name, text in record.items()}
    match role_of(system):
        case "identify":
            return _attributes(user)
        case "extract":
            return {"information": facts_of(system, record, phrases)}
        case "synthesize":
            return {"information": facts_of(system, record, phrases), "record": draft}
        case "generate":
            return _written(system, next(json_objects(user), {}))
        case "review":
            return _verdict(_records(user))
        case "rewrite":
            return _revised(record, user.rpartition("\nFindings:\n")[2])
        case "infer":
            return {"guesses": []}
        case "consensus":
            return _statements(user)
        case "zerogen":
            return {"pairs": [_pair(name, text) for name, text in record.items() if phrases(text)]}
    return draft


def record_in(text: str) -> dict[str, str]:
    """Return the first record of a text: a JSON object of strings alone."""
    return next(iter(_records(text)), {})


def facts_of(
    system: str, record: Mapping[str, str], split: Callable[[str], list[str]]
) -> dict[str, list[str]]:
    """Return each field's text, split, under the first attribute of the field that is listed."""
    attributes = _ATTRIBUTE.findall(system) or [(name, name) for name in record]
    first = {field: name for name, field in reversed(attributes)}
    return {
        name: split(record.get(field, "")) if first[field] == name else []
        for name, field in attributes
    }


def phrases(text: str, words: int = _PHRASE_WORDS) -> list[str]:
    """Return a text's short phrases, the last one first, without punctuation at word edges."""
    found = (m.group() for m in _PIECE.finditer(text))
    pieces = [p if PLACEHOLDER.fullmatch(p) else p.strip(_EDGES) for p in found]
    pieces = [piece for piece in pieces if piece]
    return [" ".join(pieces[at : at + words]) for at in range(0, len(pieces), words)][::-1]


def reordered(text: str, words: int = _PHRASE_WORDS) -> str:
    """Return a text with its phrases in reverse order."""
    return _sentence(phrases(text, words))


def _sentence(parts: list[str]) -> str:
    return ", ".join(parts) + "." if parts else ""


def _records(text: str) -> list[dict[str, str]]:
    objects = (found for found in json_objects(text) if found)
    return [r for r in objects if all(isinstance(value, str) for value in r.values())]


def _attributes(user: str) -> dict[str, Any]:
    """Name the same kinds of information for every field; each sample speaks of all of them."""
    samples = list(range(1, len(_records(user)) + 1))
    described = {"description": "What the record says of it.", "samples": samples}
    attributes = [
        {"name": f"{kind} of the {field}", "field": field, **described}
        for field in record_in(user)
        for kind in _KINDS
    ]
    return {"form": "generic", "attributes": attributes}


def _written(system: str, facts: Mapping[str, Any]) -> dict[str, str]:
    """Write all facts out, each in the field of its attribute."""
    fields: dict[str, list[str]] = {}
    for name, field in _ATTRIBUTE.findall(system):
        fields.setdefault(field, []).extend(facts.get(name, ()))
    return {field: _sentence(parts) for field, parts in fields.items()}


def _verdict(records: Sequence[Mapping[str, str]]) -> dict[str, Any]:
    """Object to ten words of the original in a row."""
    if len(records) < 2:
        return {**NO_OBJECTION}
    original, draft = (" ".join(record.values()) for record in records[:2])
    runs = Original(original).shared_runs(draft, at_least=_COPIED_WORDS)
    if not runs:
        return {**NO_OBJECTION}
    quote = draft[runs[0].start : runs[0].end]
    return {**NO_OBJECTION, "recovery": {"suggestion": "Say this differently.", "quote": quote}}


def _revised(draft: Mapping[str, str], findings: str) -> dict[str, str]:
    """Reorder or drop what findings quote; if they quote nothing of the draft, drop a word."""
    found = [m.group() for m in map(_QUOTE.search, findings.splitlines()) if m]
    quoted = [part for quote in found for part in json.loads(quote).splitlines() if part.strip()]
    revised = dict(draft)
    for part in sorted(quoted, key=len, reverse=True):
        revised = {name: text.replace(part, _other(part)) for name, text in revised.items()}
    return revised if revised != draft else {n: _shorter(text) for n, text in draft.items()}


def _other(quoted: str) -> str:
    """Reorder a passage; of a few words keep the placeholders alone."""
    if len(quoted.split()) > _PHRASE_WORDS + 1:
        return reordered(quoted, 2)
    return " ".join(m.group() for m in PLACEHOLDER.finditer(quoted))


def _shorter(text: str) -> str:
    """Drop the last word that is not a placeholder."""
    words = text.split()
    plain = [at for at, word in enumerate(words) if not PLACEHOLDER.search(word)]
    if len(plain) > 1:
        del words[plain[-1]]
    return " ".join(words)


def _statements(user: str) -> dict[str, str]:
    """Write each field's statements as sentences, in their order."""
    topic = next(json_objects(user), {})
    shared = {name: found for name, found in topic.items() if isinstance(found, list)}
    return {
        name: " ".join(f"{one['statement'].rstrip('.').capitalize()}." for one in found)
        for name, found in shared.items()
    }


def _pair(field: str, text: str) -> dict[str, str]:
    question = f"What does the {field} begin with?"
    return {"field": field, "question": question, "answer": phrases(text)[-1]}
