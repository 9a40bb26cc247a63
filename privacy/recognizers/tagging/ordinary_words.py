"""Remove spans of names that are ordinary words: "the sow", "the tax office", "unit A".

The network is trained to miss no name, so that it takes some nouns of notes without verbs for
names. It compares no two places of a text: a determiner before a phrase, or the same word as a noun
elsewhere. Small letters count only where the text around them has capitals: in "hi doc,
rose called me" they say nothing.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from sage_rag.privacy.entities import EntityType
from sage_rag.privacy.recognizers.lexicon import Kind, default_lexicon, fold
from sage_rag.privacy.recognizers.wordlists import TITLES
from sage_rag.privacy.spans import Span

_SURE, _LIKELY, _DOUBTFUL = 0.9, 0.5, 0.3
"""Scores from which a span stays, whatever the words: after a determiner; without one, in a list or
with a number; and where the only evidence is the same word in small letters elsewhere."""
_REACH = 150
"""Characters before and after a value that show whether the text has capitals."""
_NEAR = 2000
"""Characters before and after a value in which the same words are searched, so that the time is
linear in the length of the text."""
_FEWEST_LETTERS = 3
"""A single letter can be an initial, and "a" is in each text."""

_SMALL_WORDS = re.compile(r"[^\W\d_A-Z]+(?:[ -][^\W\d_A-Z]+)*")
_WORD = re.compile(r"[^\W\d_]+")
_THING = re.compile(r"(?P<noun>[^\W\d_]{3,})[ ](?:[A-Z]|\d{1,3})")
"""One of several: "unit A", "silo 6"."""
_LETTERED = re.compile(r"(?P<letter>[A-Z])\.?(?:[ ](?P<word>[^\W\d_]+))?")
_LINE_BEFORE = re.compile(r"(?:\A|\n)[ \t#*]*\Z")
_ITEM_AFTER = re.compile(r"\.?[ ](?![A-Z]\.)")
"""A letter of a list; "B.:" speaks, and "B. C." has two initials."""
_ARTICLE = re.compile(r"\b(?:the|an?|these|those|each|every|no|any|some|another)[ ]\Z", re.I)
_OWNER = re.compile(r"\b(?:my|your|his|its|our|their)[ ]\Z", re.I)
_NAME_BEFORE = re.compile(r"[A-Z][\w.'’-]*[ ]\Z")
_NAME_AFTER = re.compile(r"[ ][A-Z@]")
_NOUN_BEFORE = r"(?<!\w)(?:the|an?|no|each|every|of|any|some|in|for|with)[ ]"
_CAPITALISED = re.compile(r"(?<!\w)[A-Z][a-z]")
_SMALL_I = re.compile(r"(?<![\w.'’(])i(?:['’](?:m|ve|d|ll))?(?=[ ])")

_ROLES = r"(?:AI|[Aa]ssistant|ASSISTANT|[Bb]ot|BOT|[Cc]hat ?[Bb]ot|(?:Chat)?GPT)"
_ASKERS = r"(?:[Hh]uman|HUMAN|[Uu]ser|USER|[Qq]uestion|QUESTION|[Ss]ystem|SYSTEM)"
_LABEL_END = r"[*_]{0,3}[ \t]{0,3}:"
_ROLE = re.compile(_ROLES)
_ROLE_AFTER = re.compile(_LABEL_END)
_PROMPT_AFTER = re.compile(rf"{_LABEL_END}[*_\s]*\Z")
_LABEL_BEFORE = re.compile(r"(?:\A|\n)[ \t#>*_]{0,9}\Z")
_OTHER_LABEL = re.compile(rf"(?:\A|\n)[ \t#>*_]{{0,9}}{_ASKERS}{_LABEL_END}")
"""The labels of a transcript that a person and a program write in turn."""

_PEOPLE = frozenset((Kind.GIVEN, Kind.SURNAME))
_NAMES = _PEOPLE | {Kind.PLACE, Kind.GREAT_PLACE}


def without_ordinary_words(text: str, spans: Sequence[Span]) -> list[Span]:
    """Return the spans without those of people, places and organisations that are ordinary words.

    A part of a longer value stays: "northern" before "Europe".
    """
    starts, ends = {span.start for span in spans}, {span.end for span in spans}
    return [
        span
        for span in spans
        if not _is_role(text, span)
        and (span.end + 1 in starts or span.start - 1 in ends or not _is_ordinary(text, span))
    ]


def _is_role(text: str, span: Span) -> bool:
    """Return whether a value labels the words of a program: "AI:" at the end of a prompt.

    "AI:" can also be the initials of a speaker. So nothing may follow the label, or else the text
    near it must have the label of the other side, as "User:".
    """
    if not _ROLE.fullmatch(text, span.start, span.end):
        return False
    begin = max(0, span.start - _NEAR)
    if not _LABEL_BEFORE.search(text[begin : span.start]):
        return False
    if _PROMPT_AFTER.match(text, span.end):
        return True
    near = text[begin : span.end + _NEAR]
    return bool(_ROLE_AFTER.match(text, span.end) and _OTHER_LABEL.search(near))


def _is_ordinary(text: str, span: Span) -> bool:
    is_person = span.entity_type is EntityType.PERSON
    if span.score >= _SURE or not (
        is_person or span.entity_type in (EntityType.LOCATION, EntityType.ORGANIZATION)
    ):
        return False
    value = text[span.start : span.end]
    if _SMALL_WORDS.fullmatch(value):
        return _are_nouns(text, span)
    if not is_person or span.score >= _LIKELY:
        return False
    near = text[max(0, span.start - _NEAR) : span.end + _NEAR]
    if thing := _THING.fullmatch(value):
        return _is_thing(near, thing["noun"])
    if item := _LETTERED.fullmatch(value):
        return _is_item(text, span, item, near)
    return span.score < _DOUBTFUL and _is_noun_elsewhere(near, value)


def _are_nouns(text: str, span: Span) -> bool:
    """Return whether words in small letters are nouns.

    After an article any are; elsewhere only words that are in no list of names.
    """
    before = text[max(0, span.start - _REACH) : span.start]
    after = text[span.end : span.end + _REACH]
    has_capitals = _CAPITALISED.search(before) or _CAPITALISED.search(after)
    if not has_capitals or _SMALL_I.search(before) or _SMALL_I.search(after):
        return False
    words = _WORD.findall(text[span.start : span.end])
    if not all(map(_is_word, words)):
        return False
    if _ARTICLE.search(before):
        return True
    if any(_kinds(word) & _NAMES for word in words):
        return False
    if _OWNER.search(before):
        return True
    alone = not _NAME_BEFORE.search(before) and not _NAME_AFTER.match(after)
    return alone and span.score < _LIKELY


def _is_thing(text: str, noun: str) -> bool:
    """Return whether a noun before a letter or number is that of a thing.

    A surname can be before an initial: "Sample C". Then the text has to have the noun in small
    letters, or with another letter.
    """
    if not _is_word(noun) or Kind.GIVEN in _kinds(noun):
        return False
    if noun.islower() or Kind.SURNAME not in _kinds(noun):
        return True
    name = re.escape(noun)
    marks = set(re.findall(rf"(?<!\w){name}[ ]([A-Z]|\d{{1,3}})(?!\w)", text))
    return len(marks) > 1 or bool(re.search(rf"(?<!\w){name.lower()}s?(?!\w)", text))


def _is_item(text: str, span: Span, item: re.Match[str], near: str) -> bool:
    """Return whether a letter begins an item of a list: "C. Supply" below "B. Shoes".

    Another line has to begin with the letter before or after it, and a word after it is no name.
    """
    word = item["word"]
    if word and (not _is_word(word) or _kinds(word) & _PEOPLE):
        return False
    before = text[max(0, span.start - _REACH) : span.start]
    if not _LINE_BEFORE.search(before) or not (word or _ITEM_AFTER.match(text, span.end)):
        return False
    code = ord(item["letter"])
    next_to_it = "".join(c for c in (chr(code - 1), chr(code + 1)) if "A" <= c <= "Z")
    return bool(re.search(rf"(?m)^[ \t#*]*[{next_to_it}]\.[ ](?![A-Z]\.)", near))


def _is_noun_elsewhere(text: str, value: str) -> bool:
    """Return whether capitalised words are a thing that the text also has in small letters.

    A word that can be a surname ("Baker") counts only where a determiner or the like precedes it.
    """
    words = value.split(" ")
    if len(value) < _FEWEST_LETTERS or not all(map(str.isalpha, words)) or fold(value) in TITLES:
        return False
    small, kinds = re.escape(value.lower()), _kinds(words[-1])
    if len(words) > 1:  # "Almond Croissant" and "Almond croissant"; names keep their capitals
        is_phrase = value.istitle() and any(map(_is_word, words)) and not kinds & _PEOPLE
        begin = f"(?<!\\w)[{value[0]}{small[0]}]"
        return is_phrase and bool(re.search(rf"{begin}{small[1:]}s?(?!\w)", text))
    if not _is_word(value) or Kind.GIVEN in kinds:
        return False
    before = _NOUN_BEFORE if kinds & _PEOPLE else r"(?<!\w)"
    return bool(re.search(rf"{before}{small}s?(?!\w)", text))


def _is_word(word: str) -> bool:
    return default_lexicon().is_word(fold(word))


def _kinds(word: str) -> frozenset[str]:
    return frozenset(default_lexicon().kinds_of(fold(word)))
