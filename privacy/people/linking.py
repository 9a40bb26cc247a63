"""Find the full names of the mentions of people in a record."""

from __future__ import annotations

import re
from collections.abc import Mapping

from sage_rag.privacy.entities import EntityType
from sage_rag.privacy.people.gender import gender_of
from sage_rag.privacy.people.mentions import linked_people
from sage_rag.privacy.people.names import parse_name
from sage_rag.privacy.spans import Span

_WORD_BEFORE = re.compile(r"([^\W\d_]+\.?)\s+$")
_TITLE_CHARS = 24
"""The range before a name, in characters, in which a title is searched."""


def full_names(
    fields: Mapping[str, str], spans: Mapping[str, list[Span]]
) -> dict[tuple[str, int], str]:
    """Return the fullest name of each mention of a person, by field and start.

    `spans`: those of a record, by field. A person whose mentions all have one spelling is left out:
    that is the fullest name. The title before a mention is read too, though it is outside the span.
    """
    places = [
        (name, span)
        for name, found in spans.items()
        for span in found
        if span.entity_type is EntityType.PERSON
    ]
    mentions = [_with_title(fields[name], span) for name, span in places]
    names: dict[tuple[str, int], str] = {}
    for person in linked_people(mentions, gender_of):
        own = [places[i] for i in person.mentions]
        values = {fields[name][span.start : span.end] for name, span in own}
        if len(values) > 1:
            names |= {(name, span.start): person.name for name, span in own}
    return names


def _with_title(text: str, span: Span) -> str:
    """Return a mention with the title before it, which distinguishes couples."""
    value = text[span.start : span.end]
    before = _WORD_BEFORE.search(text, max(0, span.start - _TITLE_CHARS), span.start)
    if before is None:
        return value
    titled = f"{before[1]} {value}"
    return titled if parse_name(titled).title and not parse_name(value).title else value
