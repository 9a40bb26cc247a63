"""Where a known value stands again: the one answer for protecting a record and for the gate."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from sage_rag.privacy.entities import EntityType
from sage_rag.privacy.recognizers.wordlists import FUNCTION_WORDS
from sage_rag.privacy.spans import Span
from sage_rag.privacy.words import digits

_MIN_DIGITS = 7
_REPEATED = (EntityType.PERSON, EntityType.ORGANIZATION, EntityType.LOCATION)
"""Types told by context, so that a value is found in one sentence and overlooked in the next."""
_NAME_PART = re.compile(r"[^\W\d_]{3,}")
_MIN_LETTERS = 3
"""An initial alone stands in any text: "vitamin K"."""
_SCORE = 0.5


def value_pattern(value: str, entity_type: EntityType) -> str | None:
    """Return an expression for a value wherever it stands; `None` where nothing tells it.

    At word borders and under case folding; values that are mostly digits by their digits alone;
    single words as written or in capitals, since names are words too ("Will"); and of a person's
    full name each capitalised part for itself, and the initials with full stops ("M. K.").
    """
    value = value.strip()
    number = digits(value)
    if len(number) >= _MIN_DIGITS and len(number) * 2 >= len(value):
        return r"(?<!\d)" + r"[\s().\-/]*".join(number) + r"(?!\d)"
    if (
        not value
        or value in FUNCTION_WORDS
        or (value.isdecimal() and entity_type is EntityType.AGE)
    ):
        return None  # a bare number is no age outside its sentence
    if value.isalpha():
        return _whole(rf"{re.escape(value)}|{re.escape(value.upper())}")
    whole = "(?i:" + r"\s+".join(map(re.escape, value.split())) + ")"
    if entity_type is EntityType.ORGANIZATION and len(short := value.split()[:-1]) >= 2:
        # "Alder Mill" after "Alder Mill Surgery": the last word says what kind of body it is.
        return _whole("|".join([whole, r"\s+".join(map(re.escape, short))]))
    if entity_type is not EntityType.PERSON:
        return _whole(whole)
    parts = _parts(value)
    return _whole("|".join([whole, *_initials(parts), *map(re.escape, parts)]))


def unify_types(
    texts: Mapping[str, str],
    spans: Mapping[str, Sequence[Span]],
    coarsened: Collection[EntityType] = (),
) -> dict[str, list[Span]]:
    """Return the spans with one type for each name, body or place of a record, by field.

    A recognizer judges each occurrence by its sentence, so that a person can be a place in the
    next one; as two values they would become two placeholders, of which a question names one. The
    type with the highest sum of scores is taken, of equals the first in the order of `_REPEATED`;
    one of `coarsened`, which a policy leaves readable in part, only where nothing is for another.
    """
    votes: dict[str, dict[EntityType, float]] = defaultdict(lambda: dict.fromkeys(_REPEATED, 0.0))
    for name, span in _named(spans):
        votes[_value(texts[name], span)][span.entity_type] += span.score
    winner = {
        value: max(_REPEATED, key=lambda t: (score[t] > 0 and t not in coarsened, score[t]))
        for value, score in votes.items()
    }
    return {
        name: [
            replace(span, entity_type=winner[_value(texts[name], span)])
            if span.entity_type in _REPEATED
            else span
            for span in found
        ]
        for name, found in spans.items()
    }


def _named(spans: Mapping[str, Sequence[Span]]) -> Iterator[tuple[str, Span]]:
    for name, found in spans.items():
        yield from ((name, span) for span in found if span.entity_type in _REPEATED)


def _value(text: str, span: Span) -> str:
    return text[span.start : span.end].casefold()


def find_repetitions(
    texts: Mapping[str, str], spans: Mapping[str, Sequence[Span]]
) -> dict[str, list[Span]]:
    """Return spans for the other occurrences of a record's names, bodies and places, by field.

    What a recognizer found in one field, or in one sentence, stands in others without the words
    that told it there. A single word counts as written or in capitals, so a record with somebody
    called Will loses its other capitalised "Will" too.
    """
    known: dict[EntityType, set[str]] = {}
    for name, span in _named(spans):
        value = texts[name][span.start : span.end]
        if sum(map(str.isalpha, value)) >= _MIN_LETTERS:
            known.setdefault(span.entity_type, set()).add(value)
    patterns = [(t, re.compile(p)) for t in known if (p := _any(known[t], t))]
    return {name: list(_occurrences(text, patterns)) for name, text in texts.items()}


def _occurrences(
    text: str, patterns: Iterable[tuple[EntityType, re.Pattern[str]]]
) -> Iterator[Span]:
    for entity_type, pattern in patterns:
        for match in pattern.finditer(text):
            yield Span(*match.span(), entity_type, _SCORE)


def _any(values: Iterable[str], entity_type: EntityType) -> str:
    """Return one expression for several values, the longest first."""
    longest_first = sorted(values, key=lambda v: (-len(v), v))
    return "|".join(p for v in longest_first if (p := value_pattern(v, entity_type)))


def _parts(value: str) -> list[str]:
    return [part for part in _NAME_PART.findall(value) if part[0].isupper()]


def _initials(parts: list[str]) -> list[str]:
    """Return expressions for "M. Keller" and "M. K."; without full stops it is any abbreviation."""
    if len(parts) < 2:
        return []
    *given, surname = parts
    letters = "".join(rf"{re.escape(part[0])}\.[ -]?" for part in given)
    return [rf"{letters}{re.escape(surname)}", rf"{letters}{re.escape(surname[0])}\."]


def _whole(expression: str) -> str:
    return rf"(?<!\w)(?:{expression})(?!\w)"
