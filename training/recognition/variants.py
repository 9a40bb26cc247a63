"""The same sentence with other people in it: what public sets say of context, without their names.

A few thousand annotated sentences hold few names, and a network remembers them. So every text with
a person or a place in it trains twice: as it is, and with other names, often disguised as people
type (`training.recognition.generated.noise`).

Source: mention replacement, Dai and Adel 2020 (arXiv 2010.11683), §3.3. Differs: names come from
generators of many languages, not from the set itself.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from sage_rag.privacy.entities import EntityType
from sage_rag.privacy.spans import Span
from sage_rag.training.recognition.examples import Example
from sage_rag.training.recognition.generated.draw import Draw
from sage_rag.training.recognition.generated.noise import DISGUISES, moved
from sage_rag.training.recognition.generated.organizations import organization
from sage_rag.training.recognition.generated.persons import Sex, family_name, given_name
from sage_rag.training.recognition.generated.places import city

_REPLACED = {
    EntityType.PERSON: 0.85,
    EntityType.LOCATION: 0.4,
    EntityType.ORGANIZATION: 0.25,
}
"""How often a value of a type becomes another: places and bodies carry more of a text's sense."""
_DISGUISED = 0.45
_MIX: tuple[tuple[tuple[str, ...], float], ...] = (
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
    """Yield one variant of each text that has a span to replace."""
    for number, example in enumerate(examples):
        draw = Draw((seed << 32) + number)
        if any(span.entity_type in _REPLACED for span in example.spans):
            yield _disguised(_replaced(example, draw), draw)


def _replaced(example: Example, draw: Draw) -> Example:
    """Put other names in; one value keeps its stand-in through the text."""
    chosen: dict[str, str] = {}
    pieces = list(example.text)
    for span in example.spans:
        value = example.text[span.start : span.end]
        if value not in chosen:
            chance = _REPLACED.get(span.entity_type, 0.0)
            other = _WRITTEN[span.entity_type](value, draw) if draw.chance(chance) else value
            chosen[value] = _as_written(value, other)
        pieces[span.start : span.end] = [chosen[value], *[""] * (len(value) - 1)]
    return _moved(example, pieces)


def _disguised(example: Example, draw: Draw) -> Example:
    if not draw.chance(_DISGUISED):
        return example
    for disguise in draw.weighted([mix for mix, _ in _MIX], [share for _, share in _MIX]):
        example = _moved(example, DISGUISES[disguise](draw, example.text, example.spans))
    return example


def _moved(example: Example, pieces: list[str]) -> Example:
    text, spans = moved(pieces, example.spans)
    doubtful = [Span(start, end, EntityType.MISC) for start, end in example.unsure]
    unsure = tuple((span.start, span.end) for span in moved(pieces, doubtful)[1])
    kinds = example.annotated, example.source, example.document
    return Example(text, tuple(spans), *kinds, unsure)


def _person(value: str, draw: Draw) -> str:
    """Return a name of as many words: one may be the given or the family name."""
    sex: Sex = "female" if draw.chance(0.5) else "male"
    words = value.split()
    if len(words) == 1:
        if len(value) <= 2:
            return value  # an initial, or what is left of one
        return given_name(draw, sex) if draw.chance(0.6) else family_name(draw)
    first = words[0] if len(words[0].rstrip(".")) == 1 else given_name(draw, sex)
    middle = words[1:-1] if all(len(w.rstrip(".")) == 1 for w in words[1:-1]) else []
    return " ".join([first, *middle, family_name(draw)])


def _place(value: str, draw: Draw) -> str:
    return city(draw) if value.replace(" ", "").isalpha() else value


def _body(value: str, draw: Draw) -> str:
    return organization(draw)


_WRITTEN: dict[EntityType, Callable[[str, Draw], str]] = {
    EntityType.PERSON: _person,
    EntityType.LOCATION: _place,
    EntityType.ORGANIZATION: _body,
}


def _as_written(value: str, other: str) -> str:
    """Write the stand-in in the case of what it stands for."""
    if value.islower():
        return other.lower()
    return other.upper() if value.isupper() and len(value) > 3 else other
