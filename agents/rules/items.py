"""Items: sentences that have their meaning only together, in the record's order.

An item is kept or left out as one, or loses its end, since a sentence depends on those before it.
Some sentences restrict the one before them (`However`, `Otherwise`, `Do not take it if`): that one
does not stay without them.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from sage_rag.agents.lexicon import lexicon, words
from sage_rag.agents.rules.courtesies import is_courtesy
from sage_rag.agents.rules.dependence import depends, instructs, restricts, supposes, warns
from sage_rag.agents.rules.sentences import is_clause
from sage_rag.common.questions import asks

Item = tuple[str, ...]
"""Sentences in the record's order; the first depends on none before it."""

_NAMED = re.compile(r"\[PERSON_\d+\]")
_ROLES = frozenset(
    "doctor doc physician surgeon dentist nurse consultant therapist applicant applicants claimant"
    " defendant plaintiff government judge lawyer court".split()
)
_ANNOUNCES = re.compile(
    r"\b(?:following|follows|below|these|those|are|includes?|like|things|points|steps|tests"
    r"|questions|up)(?: \w+){0,2}[.:]?$",
    re.IGNORECASE,
)
"""The end of a sentence before a list: its entries are fragments."""

_COUNTS = re.compile(
    r"\b(?P<count>two|three|four|five|[2-5]) (?:\w+ )?(?:possibilities|options|reasons|causes|ways"
    r"|things|steps|types|kinds|choices|possible \w+)[.:]?$",
    re.IGNORECASE,
)
"""The end of a sentence before a list of whole sentences."""
_NUMBERS = {"two": 2, "three": 3, "four": 4, "five": 5}
_INTRODUCES = re.compile(r"\ban? ((?:[a-z-]+ ){0,2}[a-z-]{4,})\b", re.IGNORECASE)
_NAMES_AGAIN = re.compile(r"\b(?:the|these|those) ((?:[a-z-]+ )?[a-z-]{4,})\b", re.IGNORECASE)
_UNIQUE = frozenset(
    "first second third last next best most more only whole right left main upper lower other same"
    " back front side sides middle past hospital clinic internet world morning afternoon evening"
    " night time times year years month months week weeks days hours".split()
)
"""Words after `the` that need no introduction."""
_REACH = 3
"""Items back to which the introduction of a thing is looked for."""


def group(sentences: Sequence[str]) -> list[Item]:
    """Return the sentences of a field as items, in order.

    An empty sentence is a gap: what depends on it is left out. Courtesies stand alone.
    """
    several = len(_persons(" ".join(sentences))) > 1
    items: list[list[str]] = [[]]
    last, listing, announced, supposing = "", False, 0, False
    for sentence in sentences:
        listing = bool(_ANNOUNCES.search(last)) or (listing and not is_clause(last))
        announced = _announced(last) or max(0, announced - 1)
        supposing = supposes(last) or (supposing and instructs(last))
        entry = announced or (listing and not is_clause(sentence)) or _named_in(last, sentence)
        entry = entry or (supposing and instructs(sentence)) or restricts(sentence, last)
        alone = not sentence or is_courtesy(sentence) or is_courtesy(last)
        if alone or not (entry or depends(sentence, several_persons=several)):
            items.append([])
        items[-1].append(sentence)
        items = _joined(items)
        last = sentence
    return [tuple(item) for item in items if item and item[0]]


def _joined(items: list[list[str]]) -> list[list[str]]:
    """Join the last item and those back to the one that introduces what it names with `the`."""
    if len(items[-1]) != 1:
        return items
    named = {w for match in _NAMES_AGAIN.findall(items[-1][0].lower()) for w in match.split()}
    named -= _UNIQUE | _ROLES
    for number in range(len(items) - 2, max(-1, len(items) - 2 - _REACH), -1):
        said = {word for sentence in items[number] for word in words(sentence.lower())}
        if named & said:
            joined = [sentence for item in items[number:] for sentence in item]
            return [*items[:number], joined]
    return items


def _announced(sentence: str) -> int:
    """Return how many sentences belong to one that ends with their number; 0 for others."""
    found = _COUNTS.search(sentence)
    return _NUMBERS.get(found["count"].lower(), 0) or int(found["count"]) if found else 0


def _named_in(last: str, sentence: str) -> bool:
    """Return whether a sentence names what the last one introduces: "a cream", then "the cream"."""
    introduced = set(" ".join(_INTRODUCES.findall(last)).lower().split())
    again = " ".join(_NAMES_AGAIN.findall(sentence)).lower().split()
    return not introduced.isdisjoint(again)


def part_to_leave_out(parts: Sequence[tuple[str, int]], run: int, limit: int) -> int:
    """Return the index of the sentence to leave out, so that a repeated run is gone.

    `parts`: the sentences and how many of the run's `run` tokens each has. `limit`: the tokens of a
    run that is too long. The largest part goes, but a courtesy goes first where that is enough, and
    a question or a warning only where no other part is enough.
    """

    def rank(at: int) -> tuple[bool, bool, int]:
        sentence, size = parts[at]
        enough = run - size < limit
        needed = asks(sentence) or warns(sentence)
        return enough and is_courtesy(sentence), enough and not needed, size

    return max(range(len(parts)), key=rank)


def shorten(item: Sequence[str], count: int) -> Item:
    """Return at most the first `count` sentences of an item, none that the next one restricts."""
    while 0 < count < len(item) and restricts(item[count], item[count - 1]):
        count -= 1
    return tuple(item[:count])


def _persons(text: str) -> set[str]:
    """Return the relatives, named persons, and persons by their roles, of a text."""
    known = lexicon()
    people = known.kin_female | known.kin_male | _ROLES
    named = {match.group() for match in _NAMED.finditer(text)}
    return named | {word for word in map(str.lower, words(text)) if word in people}
