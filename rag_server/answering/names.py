"""Sentences without names: a question that names no one gets an answer that names no one."""

from __future__ import annotations

import re

from sage_rag.privacy.entities import EntityType, Identifiability, identifiability
from sage_rag.privacy.tokens import TOKEN, may_have_token

_TITLE = (
    r"(?:(?:Drs?|Doctor|Mrs?|Ms|Miss|Mx|Prof(?:essor)?|Sir|Madam|Sister|Nurse|Coach|Teacher|Judge"
    r"|Captain|Father|Don|Doña|Señora?|Señorita|Herr|Frau|Monsieur|Madame|Pan|Pani)"
    r"\.?[ ])?"
)
_PERSON = rf"{_TITLE}PERSON_\[[^\[\]\s]*\]"
_NAME = re.compile(_PERSON)
_APPOSITION = re.compile(rf"(?<=\w),[ ]{_PERSON},(?=[ ]\w)")
_LAST = re.compile(rf"(?<=\w),[ ]{_PERSON}(?=[.;:!?])")


def names_someone(text: str) -> bool:
    """Return whether a text has a value that identifies a person alone, or an address."""
    return any(_identifies(match.group(1)) for match in TOKEN.finditer(text))


def without_names(text: str) -> str | None:
    """Return a sentence without its names, or `None` where it cannot go without them.

    A name between commas adds to the words before it: "our nurse, ..., will call" becomes "our
    nurse will call". Any other person's name becomes "the person"; a number or an address that
    identifies someone has no such replacement.
    """
    if not may_have_token(text):
        return text
    bare = _LAST.sub("", _APPOSITION.sub("", text))
    bare = _NAME.sub(lambda m: "The person" if m.start() == 0 else "the person", bare)
    return None if names_someone(bare) else bare


def _identifies(entity_type: str) -> bool:
    return identifiability(EntityType(entity_type)) is Identifiability.DIRECT
