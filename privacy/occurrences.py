"""Find further occurrences of a known value, for protecting a record and for the gate."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from sage_rag.privacy.entities import EntityType
from sage_rag.privacy.eponyms import finding_after
from sage_rag.privacy.recognizers.lexicon import Kind, default_lexicon, fold
from sage_rag.privacy.recognizers.wordlists import FUNCTION_WORDS
from sage_rag.privacy.spans import Span
from sage_rag.privacy.words import digits

_MIN_DIGITS = 7
_REPEATED = (EntityType.PERSON, EntityType.ORGANIZATION, EntityType.LOCATION)
"""Types found by context: a value can be found in one sentence and missed in the next."""
_NAME_PART = re.compile(r"[^\W\d_]{3,}")
_MIN_LETTERS = 3
"""A single initial occurs in any text: "vitamin K"."""
_FEWEST_DIGITS, _FEWEST_CHARACTERS = 4, 3
"""Digits of a bare number, and letters and digits of any other value that is no name, below which
it names nothing: a tag that reads "5" or "E1" as a code must not hide each 5. Nor does a code
of three letters alone, such as "Tel"."""
_LONGEST_ABBREVIATION = 5
"""A longer word in capitals alone is a word."""
_SCORE = 0.5


def value_pattern(value: str, entity_type: EntityType) -> str | None:
    """Return a regular expression for a value in any text; `None` for a value without one.

    A value without one identifies nothing outside of its sentence: a bare age, a code of two
    characters, an initial. The expression matches at word borders and ignores case. A value of
    mostly digits matches by its digits. A single word matches as written or in capitals, since
    names are words too ("Will"), but not in the name of a disease ("Graves disease"). A person's
    full name also matches by each capitalised part, and by initials with full stops ("M. K."); a
    place and an organisation also match by each word that names them alone.
    """
    value = value.strip()
    number = digits(value)
    if len(number) >= _MIN_DIGITS and len(number) * 2 >= len(value):
        return r"(?<!\d)" + r"[\s().\-/]*".join(number) + r"(?!\d)"
    if not value or value in FUNCTION_WORDS or _is_slight(value, entity_type):
        return None
    if value.isalpha():
        return _as_words(f"{_word(value)}|{_word(value.upper())}")
    whole = "(?i:" + r"\s+".join(map(re.escape, value.split())) + ")"
    if entity_type in (EntityType.ORGANIZATION, EntityType.LOCATION):
        expressions = [whole]
        if entity_type is EntityType.ORGANIZATION and len(short := value.split()[:-1]) >= 2:
            # "Alder Mill" after "Alder Mill Surgery": the last word is the kind of organisation.
            expressions.append(r"\s+".join(map(re.escape, short)))
        return _as_words("|".join([*expressions, *_distinctive_words(value)]))
    if entity_type is not EntityType.PERSON:
        return _as_words(whole)
    parts = _parts(value)
    return _as_words("|".join([whole, *_initials(parts), *map(_word, parts)]))


def _is_slight(value: str, entity_type: EntityType) -> bool:
    """Return whether a value says too little to be looked for: other things are written so, too."""
    if value.isdecimal():
        return entity_type is EntityType.AGE or len(value) < _FEWEST_DIGITS
    size = sum(map(str.isalnum, value))
    if entity_type in _REPEATED:
        return size < 2
    is_word = entity_type is EntityType.ID and value.isalpha()
    return size < _FEWEST_CHARACTERS + is_word


def unify_types(
    texts: Mapping[str, str],
    spans: Mapping[str, Sequence[Span]],
    coarsened: Collection[EntityType] = (),
) -> dict[str, list[Span]]:
    """Return the spans by field, with one type for each name, organisation or place of a record.

    A recognizer judges each occurrence by its sentence, so one name can be a person here and a
    place there. It would get two placeholders, and a question names only one of them. The value
    gets the type with the highest total score; of equal ones, the first in `_REPEATED`. A type of
    `coarsened`, which the policy leaves readable in part, is taken only if there is no other.
    """
    votes: dict[str, dict[EntityType, float]] = defaultdict(lambda: dict.fromkeys(_REPEATED, 0.0))
    for name, span in _spans_of_names(spans):
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


def _spans_of_names(spans: Mapping[str, Sequence[Span]]) -> Iterator[tuple[str, Span]]:
    for name, found in spans.items():
        yield from ((name, span) for span in found if span.entity_type in _REPEATED)


def _value(text: str, span: Span) -> str:
    return text[span.start : span.end].casefold()


def find_repetitions(
    texts: Mapping[str, str], spans: Mapping[str, Sequence[Span]], *, names_only: bool = False
) -> dict[str, list[Span]]:
    """Return spans for all occurrences of a record's values, by field.

    A recognizer finds a value in one sentence by words that are missing in another one. A single
    word matches as written or in capitals, so a record with a person called Will loses every
    other capitalised "Will" too. `names_only`: look for names, organisations and places alone.
    """
    known: dict[EntityType, set[str]] = {}
    for name, found in spans.items():
        for span in found:
            value = texts[name][span.start : span.end]
            is_name = span.entity_type in _REPEATED
            if not names_only or (is_name and sum(map(str.isalpha, value)) >= _MIN_LETTERS):
                known.setdefault(span.entity_type, set()).add(value)
    patterns = [(t, re.compile(p)) for t in known if (p := _alternatives(known[t], t))]
    return {name: list(_matches(text, patterns)) for name, text in texts.items()}


def _matches(text: str, patterns: Iterable[tuple[EntityType, re.Pattern[str]]]) -> Iterator[Span]:
    for entity_type, pattern in patterns:
        for match in pattern.finditer(text):
            yield Span(*match.span(), entity_type, _SCORE)


def _alternatives(values: Iterable[str], entity_type: EntityType) -> str:
    """Return one expression for several values, the longest value first."""
    longest_first = sorted(values, key=lambda v: (-len(v), v))
    return "|".join(p for v in longest_first if (p := value_pattern(v, entity_type)))


def _parts(value: str) -> list[str]:
    return [part for part in _NAME_PART.findall(value) if part[0].isupper()]


def _distinctive_words(value: str) -> Iterator[str]:
    """Yield expressions for the words of a place or an organisation that name it alone.

    "Thornfield" names "Thornfield Clinic". An ordinary word, an abbreviation, and a country,
    a state or a great city do not: other texts have them, too.
    """
    lexicon = default_lexicon()
    for word in dict.fromkeys(_parts(value)):
        folded = fold(word)
        if Kind.GREAT_PLACE in lexicon.kinds_of(folded) or lexicon.is_word(folded):
            continue
        if len(word) > _LONGEST_ABBREVIATION or not word.isupper():
            yield from map(_word, dict.fromkeys((word, word.upper(), word.capitalize())))


def _word(word: str) -> str:
    """Return an expression for a word; a name that a disease has is not found in its name."""
    finding = finding_after(word)
    return re.escape(word) + (f"(?!{finding})" if finding else "")


def _initials(parts: list[str]) -> list[str]:
    """Return expressions for "M. Keller" and "M. K."; "MK" could be any abbreviation."""
    if len(parts) < 2:
        return []
    *given, surname = parts
    letters = "".join(rf"{re.escape(part[0])}\.[ -]?" for part in given)
    return [rf"{letters}{re.escape(surname)}", rf"{letters}{re.escape(surname[0])}\."]


def _as_words(expression: str) -> str:
    return rf"(?<!\w)(?:{expression})(?!\w)"
