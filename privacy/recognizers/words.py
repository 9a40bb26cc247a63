"""The words of a text as the gazetteer sees them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum

from privacy.recognizers.lexicon import Kind, Lexicon, fold
from privacy.recognizers.wordlists import EPONYMS, FUNCTION_WORDS

_WORD = re.compile(r"[^\W\d_]+(?:['’‑-][^\W\d_]+)*")
_POSSESSIVE = re.compile(r"['’][sS]$|-(?:san|sama|ji)$")
_SENTENCE_END = re.compile(r"[.!?:;\n\"“”(\[•*-]")
_DRUG_ENDING = re.compile(
    r"(?:azole|cillin|mycin|micin|oxacin|statin|sartan|olol|pril|dipine|prazole|tidine|triptan"
    r"|setron|gliptin|formin|parin|xaban|mab|nib|vir|caine|pam|lam|barb|zone|sone|lone|ide|ine"
    r"|itis|osis|emia|aemia|oma|pathy|ectomy|plasty|scopy|graphy|gram|logy|logist|ic|al|ous|tion"
    r"|sion|ment|ness|ity|ium|ology|uria|algia|cele|cyst|gen|phen|fen|lin|vit|cal|zyme|cort|derm"
    r"|um|oris|alis|toin|opram|acea|enem|rhoea|rrhea|cerin|inate|rade|cin|cins|ases?|num|med|drug|pill|flam"
    r"|spas|clav|mox|tab|tol|dine|done)$"
)
"""Endings of medicines and of medical English: an unknown word with one of them is no name."""


_MEDICAL_BEGINNING = re.compile(
    r"(?:cardio|neuro|gastr|hepat|neph|radio|broncho|dermat|haemat|hemat|osteo|ortho|psych|pneum"
    r"|immuno|anti|hyper|hypo|endo|electr|echo|micro|macro|chemo|physio|tachy|brady|thromb|lymph"
    r"|carcin|cyst|laparo|arthr|angio|trans|sub|inter|intra|multi|poly|homeo|strepto|staphyl)"
)
_INNER_CAPITAL = re.compile(
    r"(?<!^Mc)(?<!^Mac)(?<!^De)(?<!^La)(?<!^Le)(?<!^Di)(?<!^Van)(?<=[a-z])[A-Z]|^[A-Z]{2}"
)


class Role(StrEnum):
    """What a word can do in a name."""

    GIVEN = "given"
    GIVEN_OR_WORD = "given or word"
    SURNAME = "surname"
    SURNAME_OR_WORD = "surname or word"
    UNKNOWN = "unknown"
    NONE = "none"


STRONG = frozenset({Role.GIVEN, Role.SURNAME})
NAMELIKE = frozenset({Role.GIVEN, Role.GIVEN_OR_WORD, Role.SURNAME, Role.UNKNOWN})


@dataclass(slots=True)
class Word:
    """One word: its range without a possessive ending, its folded form and what it can be.

    `gap` is the text between the word before and this one; `begins` says that a sentence does;
    `unlisted` that the lexicon knows neither the word nor what it could be inflected from.
    """

    start: int
    end: int
    text: str
    folded: str
    kinds: str
    gap: str
    begins: bool
    role: Role
    unlisted: bool

    @property
    def capitalised(self) -> bool:
        """Whether the first letter is a capital."""
        return self.text[0].isupper()

    @property
    def shouted(self) -> bool:
        """Whether all letters are capitals, and there are several."""
        return len(self.text) > 1 and self.text.isupper()

    @property
    def initial(self) -> bool:
        """Whether this is a single capital letter."""
        return len(self.text) == 1 and self.text.isupper()

    @property
    def follows(self) -> bool:
        """Whether only a space parts this word from the one before."""
        return self.gap in {" ", "\u00a0"}

    @property
    def place(self) -> bool:
        """Whether the lexicon knows a place of this name."""
        return Kind.PLACE in self.kinds


def words_of(text: str, lexicon: Lexicon) -> list[Word]:
    """Return the words of a text in order."""
    words: list[Word] = []
    position = 0
    for match in _WORD.finditer(text):
        gap = text[position : match.start()]
        spelled = _POSSESSIVE.sub("", match.group())
        position = match.start() + len(spelled)
        folded = fold(spelled)
        begins = not words or (bool(_SENTENCE_END.search(gap)) and not words[-1].initial)
        kinds = lexicon.kinds_of(folded)
        role = _role(spelled, folded, kinds, lexicon)
        unlisted = not kinds and _is_unlisted(folded, lexicon)
        words.append(
            Word(match.start(), position, spelled, folded, kinds, gap, begins, role, unlisted)
        )
    return words


def _is_unlisted(folded: str, lexicon: Lexicon) -> bool:
    ordinary = lexicon.is_word(folded) or folded in FUNCTION_WORDS or folded in EPONYMS
    return len(folded) > 2 and folded.isalpha() and not ordinary


def _role(spelled: str, folded: str, kinds: str, lexicon: Lexicon) -> Role:
    if len(folded) == 1:
        return Role.NONE
    if not kinds and any(c in folded for c in "'’-‑"):
        return _compound_role(spelled, folded, lexicon)
    if Kind.DRUG in kinds and Kind.SURNAME not in kinds:
        return Role.NONE
    word = lexicon.is_word(folded) or folded in FUNCTION_WORDS
    if Kind.GIVEN in kinds:
        return Role.GIVEN_OR_WORD if word else Role.GIVEN
    if Kind.SURNAME in kinds:
        return Role.SURNAME_OR_WORD if word or folded in EPONYMS else Role.SURNAME
    if word or kinds or len(folded) < 2 or folded in EPONYMS:
        return Role.NONE
    technical = _DRUG_ENDING.search(folded) or _MEDICAL_BEGINNING.match(folded)
    if spelled.isupper() or technical or _INNER_CAPITAL.search(spelled):
        return Role.NONE
    return Role.UNKNOWN


def _compound_role(spelled: str, folded: str, lexicon: Lexicon) -> Role:
    """Judge "Mei-Ling" and "O'Sullivan" by their parts: one part that is no word is enough."""
    parts = [p for p in re.split(r"['’‑-]", folded) if len(p) > 1]
    if not spelled[0].isupper() or (spelled.isupper() and len(parts) < 2):
        return Role.NONE
    capitals = [p for p in re.split(r"['’‑-]", spelled) if p[:1].isupper()]
    kinds = [lexicon.kinds_of(part) for part in parts]
    known = [k for p, k in zip(parts, kinds, strict=True) if not lexicon.is_word(p)]
    if any(Kind.GIVEN in k for k in known):
        return Role.GIVEN
    if any(Kind.SURNAME in k for k in known):
        return Role.SURNAME
    return Role.UNKNOWN if known and len(capitals) > 1 and not spelled.isupper() else Role.NONE
