"""Answer as a competent model would, from the prompt alone and always the same.

The role is told from the system prompt: whichever of `agents/prompts/*.md` it opens with. Facts are
the record's own words in short phrases from its end to its beginning; records are those phrases
written out; a review objects to ten words of the original in a row; a rewrite drops what the
findings quote.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from importlib import resources
from typing import Any

from sage_rag.agents.testing.wording import joined, phrases_of, reworded, sentences_of
from sage_rag.privacy.entities import EntityType
from sage_rag.privacy.tokens import PLACEHOLDER

UNKNOWN = "unknown"
"""The role of a prompt that is none of ours; answered with the record reworded."""
ASPECTS = (
    "direct_identifiers",
    "sensitive_attributes",
    "context",
    "linkage",
    "consistency",
    "recovery",
)
FINE = "ok"
"""What a review says of an aspect with which nothing is wrong."""
_KINDS = ("reason", "course", "findings", "measures", "outlook")
_LISTED_ATTRIBUTE = re.compile(r"^- (.+?) \(in (.+?)\): ", re.MULTILINE)
_QUOTE = re.compile(r'"(?:[^"\\]|\\.)+"$')
_COPIED_WORDS = 10
_SHORT_WORDS = 5
_MAIL = re.compile(r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+")
_FULL_NAME = re.compile(r"\b[A-Z][a-z]+ [A-Z][a-z]+\b")


@cache
def _openings() -> dict[str, str]:
    """Return each role's first sentence, up to where a prompt is filled in."""
    found = {}
    for file in resources.files("sage_rag.agents").joinpath("prompts").iterdir():
        if file.name.endswith(".md"):
            text = file.read_text("utf-8").split("-->", 1)[-1].strip()
            found[file.name.removesuffix(".md")] = re.split(r"\$|\n", text)[0].strip()
    return found


def role_of(system: str) -> str:
    """Return the name of the prompt file that a system prompt begins with."""
    places = {role: system.find(opening) for role, opening in _openings().items() if opening}
    found = [role for role, place in places.items() if place >= 0]
    return min(found, key=lambda role: places[role], default=UNKNOWN)


def play(system: str, user: str, seed: int = 0) -> dict[str, Any]:
    """Return the answer of the role that the system prompt gives; another seed, another order."""
    role = role_of(system)
    if role in ("extract", "synthesize"):
        facts = extract(system, user, seed)
        together = {"information": facts, "record": generate(system, facts)}
        return together if role == "synthesize" else {"information": facts}
    if role in ("generate", "attrprompt"):
        return generate(system, next(objects_in(user), {}))
    if role in _ANSWERS:
        return _ANSWERS[role](user)
    if role in ("identify", "attrvalues"):
        return _identify(system, user)
    return {name: reworded(text) for name, text in record_in(user).items()}


def objects_in(text: str) -> Iterator[dict[str, Any]]:
    """Yield the JSON objects that stand in a text."""
    decoder, at = json.JSONDecoder(), text.find("{")
    while at >= 0:
        try:
            found, end = decoder.raw_decode(text, at)
        except json.JSONDecodeError:
            end = at + 1
        else:
            if isinstance(found, dict):
                yield found
        at = text.find("{", end)


def record_in(text: str) -> dict[str, str]:
    """Return the first record of a text: an object of strings alone."""
    return _records_in(text)[0]


def _records_in(text: str) -> list[dict[str, str]]:
    """Return all records of a text, or one without fields."""
    objects = (found for found in objects_in(text) if found)
    return [r for r in objects if all(isinstance(v, str) for v in r.values())] or [{}]


def extract(system: str, user: str, seed: int = 0) -> dict[str, list[str]]:
    """Deal each field's phrases out to the attributes that are read from it."""
    record, listed = record_in(user), _listed(system)
    facts: dict[str, list[str]] = {name: [] for name in listed}
    for field, text in record.items():
        names = [name for name, source in listed.items() if source == field] or [field]
        phrases = phrases_of(text)
        turn = seed % len(phrases) if phrases else 0
        phrases = phrases[turn:] + phrases[:turn]
        share = -(-len(phrases) // len(names))
        for place, name in enumerate(names):
            facts[name] = phrases[place * share : (place + 1) * share]
    return facts


def generate(system: str, facts: Mapping[str, Any]) -> dict[str, str]:
    """Write the record that the prompt's example of an answer asks for."""
    facts, examples = facts.get("information", facts), [*objects_in(system)]
    example = examples[-1] if examples else {}
    fields, listed = list(example.get("record", example)), _listed(system)
    told: dict[str, list[str]] = {field: [] for field in fields}
    for fact, said in facts.items():
        phrases = said if isinstance(said, list) else [str(said)]
        told.setdefault(listed.get(fact, fact), []).extend(phrases)
    spare = [phrase for phrases in told.values() for phrase in phrases]
    return {field: sentences_of(told[field] or spare) for field in fields}


def _listed(system: str) -> dict[str, str]:
    """Return the attributes that a prompt lists, each with the field it is read from."""
    return {m.group(1): m.group(2) for m in _LISTED_ATTRIBUTE.finditer(system)}


def _identify(system: str, user: str) -> dict[str, Any]:
    """Name the same kinds of information for every field."""
    asked = re.search(r"\bthe (\d+) (?:most|attributes)", system)
    kinds = _KINDS[: int(asked.group(1)) if asked else len(_KINDS)]
    samples = _records_in(user)
    listed = re.search(r"has the fields: (.+?)\.\s+Name", system, re.DOTALL)
    fields = list(samples[0]) if samples[0] else listed.group(1).split(", ") if listed else []
    return {
        "form": "generic",
        "attributes": [
            {
                "name": f"{kind} of the {field}",
                "field": field,
                "description": f"The {kind} that it speaks of.",
                "samples": list(range(1, len(samples) + 1)),
                "values": [f"{degree} {kind}" for degree in ("common", "rare")],
            }
            for field in fields
            for kind in kinds
        ],
    }


def _questions(user: str) -> dict[str, Any]:
    """Ask for the first phrase of every field."""
    told = {name: phrases_of(text)[-1:] for name, text in record_in(user).items()}
    return {
        "pairs": [
            {"field": name, "question": f"What does the {name} begin with?", "answer": phrase}
            for name, phrases in told.items()
            for phrase in phrases
        ]
    }


def _recognize(user: str) -> dict[str, Any]:
    found = [(EntityType.EMAIL_ADDRESS, value) for value in _MAIL.findall(user)]
    found += [(EntityType.PERSON, value) for value in _FULL_NAME.findall(user)]
    return {"values": [{"type": t, "text": value} for t, value in dict.fromkeys(found)]}


def _review(user: str) -> dict[str, Any]:
    records = _records_in(user)
    original, draft = (" ".join(r.values()).split() for r in (records[0], records[-1]))
    runs = {tuple(original[i : i + _COPIED_WORDS]) for i in range(len(original))}
    copied = [draft[i : i + _COPIED_WORDS] for i in range(len(draft))]
    found = [run for run in copied if len(run) == _COPIED_WORDS and tuple(run) in runs]
    verdict: dict[str, Any] = dict.fromkeys(ASPECTS, FINE)
    if found:
        quote = " ".join(found[0][:_SHORT_WORDS])
        verdict["recovery"] = {"suggestion": "Say this in other words.", "quote": quote}
    return verdict


def _rewrite(user: str) -> dict[str, str]:
    """Mend what each finding quotes at its end; where none quotes anything, say less."""
    draft, (_, _, findings) = record_in(user), user.rpartition("\nFindings:\n")
    quotes = [json.loads(m.group()) for m in map(_QUOTE.search, findings.splitlines()) if m]
    parts = sorted({p for q in quotes for p in q.splitlines() if p.strip()}, key=len, reverse=True)
    if not any(part in text for part in parts for text in draft.values()):
        return {name: _shorter(text) for name, text in draft.items()}
    for part in parts:
        anew = _in_place_of(part)
        draft = {name: text.replace(part, anew) for name, text in draft.items()}
    return draft


def _in_place_of(quoted: str) -> str:
    """Reorder a long passage; of a short one keep placeholders alone."""
    if len(quoted.split()) > _SHORT_WORDS:
        return reworded(quoted, words=2)
    return joined([m.group() for m in PLACEHOLDER.finditer(quoted)])


def _shorter(text: str) -> str:
    """Leave out the last phrase without a placeholder."""
    phrases = phrases_of(text)[::-1]
    plain = [p for p in phrases if not PLACEHOLDER.search(p)]
    if len(phrases) > 1 and plain:
        phrases.remove(plain[-1])
    return sentences_of(phrases)


_ANSWERS: Mapping[str, Callable[[str], dict[str, Any]]] = {
    "recognize": _recognize,
    "review": _review,
    "rewrite": _rewrite,
    "infer": lambda _: {"guesses": []},
    "zerogen": _questions,
}
