"""The generator: a new record from key information alone."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence

from agents.protocols import Attributes, Draft, Extraction
from agents.rules.lexicon import lexicon, words
from agents.rules.sentences import capitalize, is_clause, sentence_places, uncapitalize
from agents.rules.wording import Wording

_FRAMES_FOR_FRAGMENTS = ("To add to that: ", "Also of note: ", "Further: ")
CLOSING = "Regards,"
"""How a draft signs, before the writer's name."""

_SIGNATURE = re.compile(r"(?:(?:Dr|Prof|Sister|Nurse)\.? )?\[PERSON_\d+\]\.?")
_PRONOUN = re.compile(r"(She|He)\b(?! or )")


class RuleGenerator:
    """Write each field from its attributes in their order, in other words than the extraction's.

    Deterministic: the same extraction gives the same draft; different ones vary.

    Source: Zeng et al. (2024), arXiv 2406.14773, §3.1. Differs: rules, no model.
    """

    async def generate(self, extraction: Extraction, attributes: Attributes) -> Draft:
        """Return a draft with one text per field that the attributes name."""
        seed = hashlib.sha256(repr(sorted(extraction.items())).encode()).hexdigest()
        wording = Wording(seed)
        fields: dict[str, list[str]] = {}
        for attribute in attributes:
            told = fields.setdefault(attribute.field, [])
            told.extend(extraction.get(attribute.name, ()))
        return Draft({name: _tell(items, wording) for name, items in fields.items()})


def _tell(items: Sequence[str], wording: Wording) -> str:
    """Return one field's text."""
    kin = _kin(" ".join(items))
    told: list[str] = []
    signature = ""
    for item in items:
        sentences = [item[a:b] for a, b in sentence_places(item)]
        if _SIGNATURE.fullmatch(sentences[-1]):
            signature = sentences.pop()
        if sentences:
            sentences[0] = _name_pronoun(sentences[0], told, kin)
            told.extend(_frame(sentence, wording) for sentence in wording.reword(sentences))
    if signature:
        told.append(f"{CLOSING} {signature.rstrip('.')}.")
    return " ".join(told)


def _frame(sentence: str, wording: Wording) -> str:
    """Make a sentence of a fragment."""
    if is_clause(sentence) or sentence.endswith("?") or len(words(sentence)) > 12:
        return sentence
    return wording.choose("fragment", _FRAMES_FOR_FRAGMENTS) + uncapitalize(sentence)


def _kin(text: str) -> dict[str, str]:
    """Return whom `He` and `She` mean, as far as the text names a relative."""
    found: dict[str, str] = {}
    known = lexicon()
    for match in re.finditer(
        r"\b[Mm]y (?:\d+[\w-]* (?:months? |years? )?(?:old )?)?([\w-]+)", text
    ):
        relative = match.group(1).lower()
        if relative in known.kin_female:
            found.setdefault("She", f"My {relative}")
        elif relative in known.kin_male:
            found.setdefault("He", f"My {relative}")
    return found


def _name_pronoun(sentence: str, told: Sequence[str], kin: dict[str, str]) -> str:
    """Say who is meant where a pronoun would come before the relative it stands for."""
    match = _PRONOUN.match(sentence)
    who = kin.get(match.group(1)) if match else None
    if who is None or any(who[3:] in earlier for earlier in told):
        return sentence
    return capitalize(who) + sentence[len(match.group()) :] if match else sentence
