"""Sentences of a document that mention the entities of a tuple, quoted word by word."""

from __future__ import annotations

import re
from collections.abc import Sequence
from random import Random

from sage_rag.privacy.entities import EntityType
from sage_rag.privacy.tokens import PLACEHOLDER
from sage_rag.training.synthesis.entities import EntityDocument

OMISSION = " … "
"""Between sentences that do not follow each other: a pronoun of the second does not mean what the
first one names."""
_LONGEST_CHAIN = 8
"""Sentences that are added, at most, before one that leans on them. Of 2,000 excerpts from 50 texts
(mails, consultations, court records), 2 % began with a pronoun that needs an earlier sentence at 2,
0.2 % at 8."""
_MOST_DESCRIBING = 3
"""Sentences of a description, at most, without those that are added."""
_OPENING = (
    r"\W*(?:(?:and|but|so|then|also|however|therefore|moreover|since then|after that|there),? )?"
)
_ADVERBIAL = (
    r"\W*(?:in|on|at|by|from|since|until|before|after|during|for|with|as|when|while|then|later|now"
    r"|today|yesterday|here|there|once|if|because|although)\b(?:(?!\[PERSON_)[^.;:!?]){0,60}?"
)
"""The beginning of a sentence before its subject, such as "In 2018, "."""
_LEANS = re.compile(
    rf"{_OPENING}"
    r"(?:he|she|it|they|him|her|his|hers|its|their|theirs|this|that|these|those|such|the same"
    r"|the (?:latter|former)|both|one)\b"
    r"|\W*(?:and|but|so|then|however|therefore|moreover)\b"
    rf"|{_ADVERBIAL}\b(?:he|she|him|her|his|hers|they|them|their|this|these|those)\b"
    r"|\W*(?:它|其|该|此|这|那|上述|但|而且|并且|因此|于是)"
    r"|(?:(?!\[PERSON_)[^。；：！？]){0,30}?[他她]",
    re.IGNORECASE,
)
_NEEDS_PERSON = re.compile(
    rf"(?:{_OPENING}|{_ADVERBIAL}\b)(?:he|she|him|her|his|hers)\b"
    r"|(?:(?!\[PERSON_)[^。；：！？]){0,30}?[他她]",
    re.IGNORECASE,
)
_WORD = re.compile(r"[^\W\u3400-\u9fff]+|[\u3400-\u9fff]")
_STOPS = (".", "!", "?", "。", "！", "？")
_SPACE = re.compile(r"\s+")


def leans_on_previous(sentence: str) -> bool:
    """Return whether a sentence needs the one before it.

    It does where it begins with a word that refers to that one, where a pronoun follows an opening
    such as "In 2018" and the sentence names no person before, or where it is hardly more than
    entities, such as a signature: no other word, or one without a stop at the end.
    """
    rest = PLACEHOLDER.sub(" ", sentence)
    words = len(_WORD.findall(rest))
    is_bare = rest != sentence and words <= (0 if sentence.endswith(_STOPS) else 1)
    return is_bare or _LEANS.match(sentence) is not None


def covering_sentences(document: EntityDocument, members: Sequence[str], draw: Random) -> list[int]:
    """Return sentences, by number, that mention all members, in the order of the document.

    Sentences with many members come first; ties, and one more or less, are drawn.
    """
    mentioned: dict[int, set[str]] = {}
    for member in members:
        for number in document.mentions[member]:
            mentioned.setdefault(number, set()).add(member)
    left, chosen = set(members), []
    while left:
        weights = {n: len(found & left) + draw.random() for n, found in mentioned.items()}
        best = max(weights, key=weights.__getitem__)
        chosen.append(best)
        left -= mentioned.pop(best)
    return sorted(chosen)


def describing_sentences(document: EntityDocument, entity: str, draw: Random) -> list[int]:
    """Return one to three sentences that mention an entity, in the order of the document."""
    numbers = document.mentions[entity]
    count = draw.randint(1, min(_MOST_DESCRIBING, len(numbers)))
    return sorted(draw.sample(numbers, count))


def excerpt(document: EntityDocument, numbers: Sequence[int]) -> str:
    """Return the sentences as one text of one line.

    A sentence that leans on the one before it is preceded by that one, and by those that it leans
    on in turn.
    Sentences that do not follow each other are separated by an ellipsis.
    """
    chosen = _with_antecedents(document, numbers)
    parts: list[str] = []
    for place, number in enumerate(chosen):
        if place:
            parts.append(_between(document, chosen[place - 1], number))
        parts.append(sentence_text(document, number))
    return "".join(parts)


def _between(document: EntityDocument, first: int, second: int) -> str:
    """Return what stands between two sentences: nothing between Chinese ones in a row."""
    if second != first + 1:
        return OMISSION
    touching = document.sentences[first][1] == document.sentences[second][0]
    return "" if touching else " "


def sentence_text(document: EntityDocument, number: int) -> str:
    """Return a sentence on one line."""
    start, end = document.sentences[number]
    return _SPACE.sub(" ", document.text[start:end])


def _with_antecedents(document: EntityDocument, numbers: Sequence[int]) -> list[int]:
    """Return sentences with those that they lean on.

    A sentence with "he" or "her" before any name needs one that names a person: where the sentence
    before it names no one, the one before that is added, too, and so on.
    """
    wanted = set(numbers)
    for number in numbers:
        needs_person = False
        for before in range(number, max(0, number - _LONGEST_CHAIN), -1):
            text = sentence_text(document, before)
            if not (needs_person or leans_on_previous(text)):
                break
            wanted.add(before - 1)
            needs_person = needs_person or _NEEDS_PERSON.match(text) is not None
            needs_person = needs_person and not _names_person(document, before - 1)
    return sorted(wanted)


def _names_person(document: EntityDocument, number: int) -> bool:
    """Return whether a sentence mentions a person."""
    start, end = document.sentences[number]
    types = (entity_type for entity_type, _ in PLACEHOLDER.findall(document.text, start, end))
    return EntityType.PERSON in types
