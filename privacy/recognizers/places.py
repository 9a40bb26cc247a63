"""Finding places and organisations: by lexicon, heads such as "Hospital", prepositions."""

from __future__ import annotations

import re
from collections.abc import Iterator

from privacy.entities import EntityType
from privacy.recognizers.lexicon import Kind, Lexicon
from privacy.recognizers.wordlists import (
    CLOSINGS,
    EPONYM_HEADS,
    EPONYMS,
    FUNCTION_WORDS,
    GENERIC_BEFORE_HEADS,
    ORGANIZATION_HEADS,
    ORGANIZATION_LEADS,
    PARTICLES,
    PLACE_PREPOSITIONS,
    STRONG_TITLES,
    TITLES,
)
from privacy.recognizers.words import Role, Word
from privacy.spans import Span

_MAX_WORDS = 6
_SURE_HEADS = frozenset(
    "hospital clinic infirmary polyclinic university college inc ltd llc gmbh plc pharmacy corp"
    " krankenhaus klinikum krankenkasse airlines academy school vidyalaya".split()
)
_GAPS = {" ", " & ", "'s ", "’s ", "s' ", "s’ "}
_LINK_WORDS = PARTICLES | {"of", "the", "am", "na", "des", "d"}
_IN = frozenset({"in", "from", "near", "around", "outside", "à", "aus"})
_AFTER_COMMA = re.compile(r", ?")


def find_places(words: list[Word], lexicon: Lexicon) -> list[Span]:
    """Return the spans of places."""
    spans: list[Span] = []
    i = 0
    while i < len(words):
        length, score = _place_at(words, i, lexicon)
        if length:
            last = i + length - 1
            spans.append(Span(words[i].start, words[last].end, EntityType.LOCATION, score))
        i += max(1, length)
    return spans


def _place_at(words: list[Word], i: int, lexicon: Lexicon) -> tuple[int, float]:
    """Return how many words of a place begin at `i`, and how sure that is."""
    word = words[i]
    if not word.capitalised or word.initial:
        return 0, 0.0
    for rest in lexicon.places.get(word.folded, ()):
        following = words[i + 1 : i + 1 + len(rest)]
        if [w.folded for w in following] == list(rest) and all(
            w.capitalised or w.folded in PARTICLES for w in following
        ):
            return 1 + len(rest), 0.8
    before = words[i - 1] if i else None
    prepositional = bool(
        before and before.folded in PLACE_PREPOSITIONS and word.gap in {" ", " the "}
    )
    if word.place:
        return 1, _known_score(words, i, prepositional)
    if prepositional and not word.shouted:
        return _unknown_after_preposition(words, i)
    return 0, 0.0


def _known_score(words: list[Word], i: int, prepositional: bool) -> float:
    word = words[i]
    if word.shouted and len(word.text) < 4:
        return 0.0
    ordinary = word.role in {Role.GIVEN_OR_WORD, Role.SURNAME_OR_WORD} or Kind.WORD in word.kinds
    if prepositional:
        # "said to Logan" speaks of a person, "in Logan" of a town.
        elsewhere = word.role is Role.GIVEN and words[i - 1].folded not in _IN
        sure = 0.8 if not elsewhere or Kind.GREAT_PLACE in word.kinds else 0.5
        return 0.0 if ordinary and word.begins else sure
    if ordinary:
        return 0.0
    if Kind.GREAT_PLACE in word.kinds or word.role is Role.NONE:
        return 0.8
    neighbours = [words[j] for j in (i - 1, i + 1) if 0 <= j < len(words)]
    listed = any(w.place and w.capitalised for w in neighbours) and (
        bool(_AFTER_COMMA.fullmatch(word.gap))
        or (i + 1 < len(words) and bool(_AFTER_COMMA.fullmatch(words[i + 1].gap)))
    )
    if word.role is Role.GIVEN:
        return 0.8 if any(c.isdigit() for c in word.gap) else 0.5
    return 0.8 if listed or _AFTER_COMMA.fullmatch(word.gap) else 0.3


def _unknown_after_preposition(words: list[Word], i: int) -> tuple[int, float]:
    """Take "in Dunfanaghy" for a place: a name that nobody lists, after a word of place."""
    j = i
    while j < len(words) and j - i < 3 and words[j].capitalised and not words[j].shouted:
        word = words[j]
        if (j > i and not word.follows) or word.folded in FUNCTION_WORDS | EPONYMS | TITLES:
            break
        if word.role not in {Role.UNKNOWN, Role.SURNAME, Role.SURNAME_OR_WORD}:
            break
        j += 1
    row = words[i:j]
    if not row or all(w.role is Role.SURNAME_OR_WORD for w in row):
        return 0, 0.0
    following = words[j] if j < len(words) else None
    if following and following.follows and following.folded in EPONYM_HEADS | ORGANIZATION_HEADS:
        return 0, 0.0
    return len(row), 0.6


def find_organizations(words: list[Word]) -> list[Span]:
    """Return the spans of organisations."""
    spans: list[Span] = []
    for first, last in (*_headed(words), *_led(words)):
        spans.append(Span(words[first].start, words[last].end, EntityType.ORGANIZATION, 0.75))
    return spans


def _headed(words: list[Word]) -> Iterator[tuple[int, int]]:
    """Yield names that end in a head: "Harbour Street Surgery"."""
    for i, word in enumerate(words):
        if word.folded not in (ORGANIZATION_HEADS if word.capitalised else _SURE_HEADS):
            continue
        if not word.capitalised and not (i and word.follows and words[i - 1].capitalised):
            continue
        following = words[i + 1] if i + 1 < len(words) else None
        heads_on = following and following.follows and following.capitalised
        if following and heads_on and following.folded in ORGANIZATION_HEADS:
            continue  # the last head of several ends the name
        first = _walk_left(words, i)
        if first < i and _proper(words, first, i):
            yield first, i


def _walk_left(words: list[Word], head: int) -> int:
    first = j = head
    while j > 0 and head - j < _MAX_WORDS:
        word = words[j - 1]
        saint = word.folded == "st" and words[j].gap == ". "
        if words[j].gap not in _GAPS and not saint:
            break
        if word.capitalised and not word.initial and word.folded not in STRONG_TITLES | CLOSINGS:
            first = j - 1
        elif word.folded not in _LINK_WORDS:
            break
        j -= 1
    while first < head and words[first].folded in FUNCTION_WORDS:
        first += 1
    return first


def _proper(words: list[Word], first: int, head: int) -> bool:
    """Return whether a word before the head is no common one: "Public Health" is no name."""
    before = [w for w in words[first:head] if w.folded not in GENERIC_BEFORE_HEADS | _LINK_WORDS]
    telling = [w for w in before if w.folded not in ORGANIZATION_HEADS]
    if not telling:
        return False
    if any(w.role in {Role.GIVEN, Role.SURNAME, Role.UNKNOWN} or w.place for w in telling):
        return True
    names = [w for w in telling if w.role is not Role.NONE]
    if words[head].folded in _SURE_HEADS:
        return len(telling) > 0 and not words[head].begins
    return len(names) >= 1 and len(telling) >= 2


def _led(words: list[Word]) -> Iterator[tuple[int, int]]:
    """Yield names that begin with their kind: "Hospital Valle del Mezquite", "University of X"."""
    for i, word in enumerate(words):
        if not word.capitalised or word.folded not in _LEADS:
            continue
        last, j = i, i + 1
        while j < len(words) and j - i < _MAX_WORDS and words[j].gap in {" ", " & ", "'", "’"}:
            following = words[j]
            if following.capitalised and following.folded not in FUNCTION_WORDS | TITLES:
                last = j
            elif following.folded not in _LINK_WORDS:
                break
            j += 1
        if last > i and any(_tells(w) for w in words[i + 1 : last + 1]):
            yield i, last


_LEADS = frozenset(ORGANIZATION_LEADS | {"klinika"})


def _tells(word: Word) -> bool:
    return word.capitalised and (
        word.role in {Role.UNKNOWN, Role.SURNAME, Role.GIVEN} or word.place
    )
