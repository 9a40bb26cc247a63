"""Courtesies: greetings, thanks and closings of a record, in a few set phrases.

They carry no content. A draft has those of its record, so that it reads like one of its kind and is
found by a question with a greeting.
"""

from __future__ import annotations

import re
from functools import cache

from sage_rag.agents.lexicon import load_toml

CLOSING = "Regards,"
"""The closing before the writer's name."""


def courtesies(text: str) -> list[str]:
    """Return the set phrases for the courtesies of a text: a greeting first, then closings."""
    found = [phrase for pattern, phrase in _table("greeting") if pattern.match(text)][:1]
    return found + [phrase for pattern, phrase in _table("closing") if pattern.search(text)]


def is_greeting(sentence: str) -> bool:
    """Return whether a sentence is a greeting of `courtesies`."""
    return any(sentence == phrase for _, phrase in _table("greeting"))


def is_closing(sentence: str) -> bool:
    """Return whether a sentence is a closing of `courtesies`, or a signature after `Regards,`."""
    return sentence.startswith(CLOSING) or any(
        sentence == phrase for _, phrase in _table("closing")
    )


def is_courtesy(sentence: str) -> bool:
    """Return whether a sentence is a greeting or a closing."""
    return is_greeting(sentence) or is_closing(sentence)


@cache
def _table(kind: str) -> list[tuple[re.Pattern[str], str]]:
    table = load_toml("lexicon.toml")[kind]
    return [(re.compile(pattern, re.IGNORECASE), phrase) for phrase, pattern in table.items()]
