"""Courtesies: how a record greets, thanks and takes its leave, said in a few set phrases.

They carry nothing of the matter. A draft whose record greets and thanks does so, too: else it would
not read as one of its kind, nor be found by a question that says hello.
"""

from __future__ import annotations

import re
from functools import cache

from sage_rag.agents.lexicon import load_toml

CLOSING = "Regards,"
"""How a draft signs, before the writer's name."""


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


@cache
def _table(kind: str) -> list[tuple[re.Pattern[str], str]]:
    table = load_toml("lexicon.toml")[kind]
    return [(re.compile(pattern, re.IGNORECASE), phrase) for phrase, pattern in table.items()]
