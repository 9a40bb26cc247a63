"""Finding people: by what introduces a name, and by words that are names in a row."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import takewhile

from privacy.entities import EntityType
from privacy.recognizers.introductions import introduced_names
from privacy.recognizers.naming import name_end
from privacy.recognizers.unlisted import stands_for_a_place, unlisted_rows
from privacy.recognizers.wordlists import (
    CLOSINGS,
    DRUG_CUES,
    DRUG_FOLLOWERS,
    EPONYM_HEADS,
    EPONYMS,
    FUNCTION_WORDS,
    GREETINGS,
    KINSHIP,
    ORGANIZATION_HEADS,
    ORGANIZATION_LEADS,
    PARTICLES,
    PERSONAL_VERBS,
    PLACE_PREPOSITIONS,
    PLAIN_WORDS,
    TITLES,
)
from privacy.recognizers.words import NAMELIKE, STRONG, Role, Word
from privacy.spans import Span

_MAX_INITIALS = 3
_DOSE = re.compile(
    r"[ -]{0,2}(?:\d[\d./]{0,6} ?(?:mg|mcg|ml|iu)|(?:tablets?|tabs?|capsules?|pills?"
    r"|birth control|syrup"
    r"|cream|gel|injections?|drops)\b)",
    re.IGNORECASE,
)
_FORMS = frozenset("tab tabs cap caps inj syp syr oint".split())
"""Abbreviations before the name of a medicine."""
_NO_FAMILY = (
    FUNCTION_WORDS | TITLES | CLOSINGS | GREETINGS | KINSHIP | PLAIN_WORDS | ORGANIZATION_HEADS
)


def find_people(text: str, words: list[Word]) -> list[Span]:
    """Return the spans of people's names, then every other place where those names stand."""
    found: list[tuple[int, int, float]] = []
    found.extend(introduced_names(text, words))
    found.extend(_rows(text, words))
    unlisted = unlisted_rows(text, words)
    found.extend(row for row in unlisted if not stands_for_a_place(words, row[0]))
    found.extend(_family_first(text, words, found))
    found.extend(_listed(words, found))
    found.extend(_repeated(words, found))
    return [Span(words[a].start, words[b].end, EntityType.PERSON, score) for a, b, score in found]


def _rows(text: str, words: list[Word]) -> Iterator[tuple[int, int, float]]:
    """Yield names that stand without introduction."""
    i = 0
    while i < len(words):
        first = _row_start(words, i)
        last = name_end(words, i) if first else i
        if first:
            while last > i and _weak_end(words, i, last):
                last -= 1
            score = _row_score(text, words, i, last)
            if score:
                yield i, last, score
                i = last + 1
                continue
        i += 1


def _row_start(words: list[Word], i: int) -> bool:
    word = words[i]
    if word.initial:
        following = words[i + 1 : i + 1 + _MAX_INITIALS]
        initials = list(takewhile(lambda w: w.initial and w.gap in {".", ". "}, following))
        rest = words[i + 1 + len(initials) : i + 2 + len(initials)]
        return bool(rest) and rest[0].gap == ". " and rest[0].role in NAMELIKE
    if not word.capitalised:
        return word.role is Role.GIVEN
    if word.folded in ORGANIZATION_LEADS | GREETINGS | _FORMS:
        return False
    if word.folded in PLAIN_WORDS:
        after = words[i + 1] if i + 1 < len(words) else None
        return bool(after and after.follows and after.capitalised and after.role is Role.SURNAME)
    if word.folded in FUNCTION_WORDS or word.folded in TITLES or word.folded in CLOSINGS:
        after = words[i + 1] if i + 1 < len(words) else None
        return bool(
            word.folded in {"will", "hope", "may", "rest"}
            and after
            and after.follows
            and after.capitalised
            and after.role is Role.SURNAME
        )
    return word.role is not Role.NONE


def _weak_end(words: list[Word], first: int, last: int) -> bool:
    """Return whether the last word of a row is an ordinary one before a head of a medical term."""
    word = words[last]
    following = words[last + 1] if last + 1 < len(words) else None
    heads = bool(following and following.follows and following.folded in EPONYM_HEADS)
    return (
        word.role is Role.NONE and not word.initial and (heads or words[first].role not in STRONG)
    )


def _row_score(text: str, words: list[Word], first: int, last: int) -> float:
    row = [w for w in words[first : last + 1] if w.capitalised or w.folded not in PARTICLES]
    roles = [w.role for w in row]
    following = words[last + 1] if last + 1 < len(words) else None
    if following and following.follows:
        medical = following.folded in EPONYM_HEADS and Role.GIVEN not in roles[:-1]
        if medical or (following.folded in ORGANIZATION_HEADS and following.capitalised):
            return 0.0
    if all(w.folded in EPONYMS for w in row):
        return 0.0
    if len(row) == 1:
        return _single_score(text, words, first)
    return _several_score(words, first, row, roles)


def _several_score(words: list[Word], first: int, row: list[Word], roles: list[Role]) -> float:
    lower = not row[0].capitalised
    certain = sum(role in STRONG for role in roles)
    if lower:
        return (
            0.7
            if roles[0] is Role.GIVEN and certain >= 2 and min(len(w.text) for w in row) > 3
            else 0.0
        )
    if any(w.shouted for w in row):
        return (
            0.7
            if Role.GIVEN in roles and len(roles) >= 2 and _not_all_shouted(words, first, row)
            else 0.0
        )
    if all(w.place for w in row) and Role.GIVEN not in roles:
        return 0.0
    if Role.GIVEN in roles:
        return 0.85
    named = [r for r in roles if r is not Role.NONE]
    if len(named) < 2:
        return 0.7 if any(w.initial for w in row) and named and named[0] in NAMELIKE else 0.0
    if Role.GIVEN_OR_WORD in roles:
        if certain or Role.UNKNOWN in roles:
            return 0.7
        return 0.5 if roles[0] is Role.GIVEN_OR_WORD else 0.0
    if Role.SURNAME_OR_WORD in roles[:1]:
        return 0.6 if certain and not row[0].begins else 0.0
    if (
        first
        and words[first - 1].folded in PLACE_PREPOSITIONS
        and not (certain or any(w.initial for w in row))
    ):
        return 0.0
    long = all(len(w.text) > 2 or w.initial for w in row)
    return 0.6 if long and (certain or len(row) < 4) else 0.0


def _not_all_shouted(words: list[Word], first: int, row: list[Word]) -> bool:
    """Return whether capitals mean something here, or every word of the row is only a name."""
    around = words[max(0, first - 2) : first] + words[first + len(row) : first + len(row) + 2]
    quiet = not any(w.shouted for w in around)
    return quiet or all(w.role in STRONG or w.initial for w in row)


def _single_score(text: str, words: list[Word], i: int) -> float:
    word = words[i]
    if not word.capitalised or word.initial or word.folded in EPONYMS | KINSHIP:
        return 0.0
    prepositional = bool(i and words[i - 1].folded in PLACE_PREPOSITIONS)
    if _DOSE.match(text, word.end):
        return 0.0
    if word.role is Role.GIVEN:
        if "C" in word.kinds or (
            word.place and i and words[i - 1].folded in {"in", "near", "from"}
        ):
            return 0.0
        if word.shouted:
            return 0.6 if len(word.text) > 4 else 0.0
        return 0.75 if len(word.text) > 2 else 0.4
    after = words[i + 1] if i + 1 < len(words) else None
    if word.begins and after and after.follows and after.folded in PERSONAL_VERBS:
        return 0.45 if word.role in {Role.SURNAME, Role.UNKNOWN, Role.GIVEN_OR_WORD} else 0.0
    if word.begins or word.shouted or word.place or prepositional or len(word.text) < 4:
        return 0.0
    return 0.45 if word.role in {Role.SURNAME, Role.UNKNOWN} and _person_like(words, i) else 0.0


def _person_like(words: list[Word], i: int) -> bool:
    """Return whether nothing around a lone unlisted name speaks of a medicine, a test, a title."""
    before = words[i - 1] if i else None
    after = words[i + 1] if i + 1 < len(words) else None
    if before and (before.folded in DRUG_CUES or (before.capitalised and before.follows)):
        return False
    if any(c.isdigit() for c in words[i].gap):
        return False
    if after is None:
        return True
    if any(c.isdigit() or c in "/(-+" for c in after.gap):
        return False
    if not after.follows:
        return True
    return not after.capitalised and after.folded not in DRUG_FOLLOWERS | EPONYM_HEADS


def _family_first(
    text: str, words: list[Word], found: list[tuple[int, int, float]]
) -> Iterator[tuple[int, int, float]]:
    """Yield family names of registers: "KELLER, Maria", "Smith, J."."""
    firsts = {first for first, _, _ in found}
    taken = {i for first, last, _ in found for i in range(first, last + 1)}
    for i, word in enumerate(words[:-1]):
        after = words[i + 1]
        if i in taken or after.gap != ", " or not (word.begins and word.capitalised):
            continue
        if word.folded in _NO_FAMILY or word.role not in NAMELIKE | {Role.SURNAME_OR_WORD}:
            continue
        if i + 1 in firsts and after.role in {Role.GIVEN, Role.GIVEN_OR_WORD}:
            yield i, i, 0.7
        elif (
            after.initial
            and text.startswith(".", after.end)
            and not word.place
            and (word.role in NAMELIKE or word.folded in EPONYMS)  # "Rash, E. coli"
        ):
            yield i, i + 1, 0.6


def _listed(
    words: list[Word], found: list[tuple[int, int, float]]
) -> Iterator[tuple[int, int, float]]:
    """Yield names that stand in a list with a name found: "Anna, Botir and Young"."""
    taken = {i for first, last, _ in found for i in range(first, last + 1)}
    forward = [(i, 1) for i in range(len(words))]
    backward = [(i, -1) for i in reversed(range(len(words)))]
    for i, step in (*forward, *backward):
        if i in taken or not _can_be_listed(words, i):
            continue
        near = i - step
        if 0 <= near < len(words) and words[near].folded == "and":
            near -= step
            linked = 0 <= near < len(words) and words[max(i, near)].follows
        else:
            linked = 0 <= near < len(words) and words[max(i, near)].gap == ", "
        if linked and near in taken and words[near].capitalised:
            taken.add(i)
            yield i, i, 0.55


def _can_be_listed(words: list[Word], i: int) -> bool:
    word = words[i]
    if not word.capitalised or word.shouted or word.initial or word.place:
        return False
    if word.folded in FUNCTION_WORDS | TITLES | CLOSINGS | KINSHIP | EPONYMS | PLAIN_WORDS:
        return False
    alone = not any(
        0 <= j < len(words) and words[j].capitalised and words[max(i, j)].follows
        for j in (i - 1, i + 1)
    )
    return alone and word.role in NAMELIKE and (not word.begins or word.role is not Role.UNKNOWN)


def _repeated(
    words: list[Word], found: list[tuple[int, int, float]]
) -> Iterator[tuple[int, int, float]]:
    """Yield every other occurrence of the parts of the names found."""
    # What stands on weak ground is yielded again, so that it does not lose to a place's name.
    taken = {i for first, last, score in found if score > 0.8 for i in range(first, last + 1)}
    scores: dict[str, float] = {}
    for first, last, score in found:
        for word in words[first : last + 1]:
            if (score >= 0.7 or word.role in NAMELIKE) and len(word.folded) > 1:
                scores[word.folded] = max(score, scores.get(word.folded, 0.0))
    for i, word in enumerate(words):
        score = scores.get(word.folded, 0.0)
        if not score or i in taken or word.folded in PARTICLES | PLAIN_WORDS:
            continue
        if word.capitalised:
            if not (word.begins and word.folded in FUNCTION_WORDS) or _addressed(words, i):
                yield i, i, min(score, 0.82)
        elif word.role in {Role.GIVEN, Role.SURNAME, Role.UNKNOWN} and len(word.folded) > 3:
            yield i, i, min(score, 0.6)


def _addressed(words: list[Word], i: int) -> bool:
    """Return whether a sentence begins by speaking to someone: "Will, this is worth a visit"."""
    return i + 1 < len(words) and "," in words[i + 1].gap
