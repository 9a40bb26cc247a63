"""English words: stop words, stems, courtesies and what rules leave out, from `lexicon.toml`."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any

from sage_rag.common.stems import stem

WORD = re.compile(r"\[[A-Z_]+_\d+\]|<[A-Z_]+>|\w+(?:['’-]\w+)*")
"""A word of protected text; placeholders and redaction marks are words."""


@dataclass(frozen=True, slots=True)
class RuleLexicon:
    """The content of `lexicon.toml`. Patterns ignore case."""

    stop_words: frozenset[str]
    verbs: frozenset[str]
    dangling: frozenset[str]
    kin_female: frozenset[str]
    kin_male: frozenset[str]
    expansions: Mapping[str, str]
    boilerplate: re.Pattern[str]
    openings: re.Pattern[str]
    fillers: re.Pattern[str]
    broken: re.Pattern[str]
    sensitive: re.Pattern[str]
    rare: re.Pattern[str]
    direct: re.Pattern[str]


@cache
def lexicon() -> RuleLexicon:
    """Return the lexicon, loading it on first use."""
    table = load_toml("lexicon.toml")
    return RuleLexicon(
        stop_words=frozenset(table["stop_words"].split()),
        verbs=frozenset(table["verbs"].split()),
        dangling=frozenset(table["dangling"].split()),
        kin_female=frozenset(table["kin_female"].split()),
        kin_male=frozenset(table["kin_male"].split()),
        expansions=table["expansions"],
        boilerplate=_any_of(table["boilerplate"]),
        # Atomic: openings end with marks, and marks are one, too, so that a line of stars or dots
        # could be divided among them in exponentially many ways.
        openings=re.compile(rf"(?>(?:{'|'.join(table['openings'])})+)", re.IGNORECASE),
        fillers=_any_of(table["fillers"]),
        broken=_any_of(table["broken"]),
        sensitive=_any_of(table["sensitive"]),
        rare=_any_of(table["rare"]),
        direct=_any_of(table["direct"]),
    )


def load_toml(name: str) -> dict[str, Any]:
    """Return a shipped table; `name` is a path in this package."""
    source = resources.files("sage_rag.agents").joinpath(name).read_text("utf-8")
    return tomllib.loads(source)


def _any_of(patterns: Iterable[str]) -> re.Pattern[str]:
    return re.compile("|".join(f"(?:{pattern})" for pattern in patterns), re.IGNORECASE)


def words(text: str) -> list[str]:
    """Return the words of a text as written, placeholders whole."""
    return WORD.findall(text)


def content_stems(text: str) -> list[str]:
    """Return the stems of the words that carry content, in order; placeholders unchanged."""
    stop = lexicon().stop_words
    return [
        word if word[0] in "[<" else stem(word)
        for word in words(text)
        if _bare(word) not in stop and (len(word) > 1 or word.isdecimal())
    ]


def is_boilerplate(sentence: str) -> bool:
    """Return whether a sentence only greets, thanks, wishes well or offers more help."""
    bare = sentence.strip(" .,!?;:-'\"")
    count = len(words(bare))
    if count == 0 or lexicon().openings.fullmatch(bare):
        return True
    return count <= 16 and bool(lexicon().boilerplate.search(bare))


def _bare(word: str) -> str:
    """Return a word in the form of the stop-word list: `do` for `don't`."""
    head = word.casefold().partition("'")[0]
    return head[:-1] if head != word.casefold() and word[-2:] == "'t" and head[-1:] == "n" else head
