"""Variants of annotated texts with other names in them.

A few thousand annotated sentences contain few names, and a network memorises them. So every text
with a person, place or organisation trains at least twice: unchanged, and with other names, often
disguised (`training.recognition.generated.noise`).

Source: mention replacement, Dai and Adel 2020 (arXiv 2010.11683), §3.3. Differs: names come from
generators of many languages, not from the set itself.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from sage_rag.privacy.entities import EntityType
from sage_rag.training.recognition.examples import Example
from sage_rag.training.recognition.generated.draw import Draw
from sage_rag.training.recognition.generated.noise import Mix, disguised, moved_example
from sage_rag.training.recognition.generated.organizations import organization
from sage_rag.training.recognition.generated.persons import Sex, family_name, given_name
from sage_rag.training.recognition.generated.places import city
from sage_rag.training.recognition.generated.words import words

_REPLACED = {
    EntityType.PERSON: 0.85,
    EntityType.LOCATION: 0.4,
    EntityType.ORGANIZATION: 0.25,
    EntityType.DEMOGRAPHIC: 0.5,
}
"""Share of the values of a type that are replaced. Places and organisations matter more for the
meaning of a text than names of people."""
_DESCRIBED = ("jobs", "nationalities", "religions", "ethnic", "peoples", "marital", "politics")
"""Lists of descriptions of a person; one replaces another of the same list."""
_COUNTS = {"tab": 2}
"""Variants of a text, by set; one of every other set. Only TAB marks what judgments describe people
by, in 69 long texts."""
_DISGUISED = 0.45
"""Share of the variants that are disguised."""
_MIX: Mix = (
    (("lower",), 40),
    (("lower", "misspell"), 10),
    (("lower_names",), 12),
    (("misspell",), 10),
    (("upper",), 8),
    (("upper_names",), 5),
    (("scan",), 8),
    (("unpunctuated", "lower"), 7),
)


def variants(examples: Iterable[Example], *, seed: int) -> Iterator[Example]:
    """Yield variants of each text that has a span to replace."""
    for number, example in enumerate(examples):
        if not any(span.entity_type in _REPLACED for span in example.spans):
            continue
        for again in range(_COUNTS.get(example.source, 1)):
            draw = Draw((seed << 32) + (again << 31) + number)
            variant = _replaced(example, draw)
            yield disguised(variant, draw, _MIX) if draw.chance(_DISGUISED) else variant


def _replaced(example: Example, draw: Draw) -> Example:
    """Replace names; equal values get equal replacements."""
    chosen: dict[str, str] = {}
    pieces = list(example.text)
    for span in example.spans:
        value = example.text[span.start : span.end]
        if value not in chosen:
            chance = _REPLACED.get(span.entity_type, 0.0)
            other = _REPLACEMENTS[span.entity_type](value, draw) if draw.chance(chance) else value
            chosen[value] = _in_case_of(value, other)
        pieces[span.start : span.end] = [chosen[value], *[""] * (len(value) - 1)]
    return moved_example(example, pieces)


def _person(value: str, draw: Draw) -> str:
    """Return a name with the same number of words; a single word is a given or a family name."""
    sex: Sex = "female" if draw.chance(0.5) else "male"
    words = value.split()
    if len(words) == 1:
        if len(value) <= 2:
            return value  # an initial
        return given_name(draw, sex) if draw.chance(0.6) else family_name(draw)
    first = words[0] if len(words[0].rstrip(".")) == 1 else given_name(draw, sex)
    middle = words[1:-1] if all(len(w.rstrip(".")) == 1 for w in words[1:-1]) else []
    return " ".join([first, *middle, family_name(draw)])


def _place(value: str, draw: Draw) -> str:
    return city(draw) if value.replace(" ", "").isalpha() else value


def _organization(value: str, draw: Draw) -> str:
    return organization(draw)


def _description(value: str, draw: Draw) -> str:
    """Return another of the same list; a description that no list has stays."""
    lists = (words("people", name) for name in _DESCRIBED)
    return next((draw.pick(some) for some in lists if value in some), value)


_REPLACEMENTS: dict[EntityType, Callable[[str, Draw], str]] = {
    EntityType.PERSON: _person,
    EntityType.LOCATION: _place,
    EntityType.ORGANIZATION: _organization,
    EntityType.DEMOGRAPHIC: _description,
}


def _in_case_of(value: str, other: str) -> str:
    """Return the replacement in upper or lower case if the value is."""
    if value.islower():
        return other.lower()
    return other.upper() if value.isupper() and len(value) > 3 else other
