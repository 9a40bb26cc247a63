"""Names that something introduces: a title, a kin, a greeting, a closing or a phrase."""

from __future__ import annotations

import re
from collections.abc import Iterator

from privacy.recognizers.naming import name_end
from privacy.recognizers.wordlists import (
    CLOSINGS,
    EPONYMS,
    FUNCTION_WORDS,
    GREETINGS,
    KINSHIP,
    ORGANIZATION_LEADS,
    STRONG_TITLES,
    TITLES,
)
from privacy.recognizers.words import NAMELIKE, STRONG, Role, Word

_TITLE_GAP = re.compile(r"\.? {0,2}|\.?\n")
_KIN_GAP = re.compile(r",? {1,2}|[ ]?\(")
_GREETING_GAP = re.compile(r"[ ,]{0,2}(?:dr\.? )?")
_CLOSING_GAP = re.compile(r"[\s,.!:;*-]{0,6}")
_SELF = re.compile(
    r"\b(?:(?:my (?:\w+ )?)?name ?(?:['’]s|is|:)|i am called|they call me|call me)\s*$"
    r"|\b(?:patient|client|customer|applicant|plaintiff|defendant|attn|from|to|cc|signed|by|re)"
    r"(?: name)?:\s*$",
    re.IGNORECASE,
)
_PRESENT = re.compile(
    r"\b(?:i ?['’]?a?m|this is|it['’]?s|it is|here is|here['’]s|me,|myself,?)\s*$", re.IGNORECASE
)
_HERE = re.compile(r" here\b")


def introduced_names(text: str, words: list[Word]) -> Iterator[tuple[int, int, float]]:
    """Yield names that a title, a kin, a greeting, a closing or a phrase introduces."""
    for i, word in enumerate(words):
        if not (word.capitalised or word.role in STRONG or (i and _titled(words[i - 1]))):
            continue
        before = words[i - 1] if i else None
        last = None
        if before and before.folded == "doctor" and i > 1 and words[i - 2].folded == "chat":
            before = None  # how a well-known corpus replaced doctors' names
        if before and _after_title(before, word):
            last = name_end(words, i)
            if last > i or not (word.initial or word.folded in KINSHIP):
                yield i, last, 0.9
            continue
        if (before and _after_word(before, word)) or _after_phrase(text, word):
            last = name_end(words, i)
        elif word.capitalised and word.role in NAMELIKE and _HERE.match(text, word.end):
            last = i
        elif _signs(text, words, i):
            last = name_end(words, i)
        if last is not None:
            yield i, last, 0.85


def _titled(word: Word) -> bool:
    return word.folded in STRONG_TITLES


def _after_title(title: Word, word: Word) -> bool:
    if title.folded not in TITLES or not _TITLE_GAP.fullmatch(word.gap):
        return False
    if word.folded in FUNCTION_WORDS or word.folded in TITLES or word.folded in CLOSINGS:
        return word.folded == "will" and word.capitalised and not word.begins
    if "\n" in word.gap or ("." in word.gap and " " not in word.gap and not word.capitalised):
        return False
    if title.folded in STRONG_TITLES:
        if word.initial:
            return True
        return word.capitalised or word.role in {Role.GIVEN, Role.SURNAME, Role.UNKNOWN}
    if "." in word.gap:
        return False
    if word.shouted:
        return word.role in STRONG
    return word.capitalised and word.role in NAMELIKE | {Role.SURNAME_OR_WORD} and title.capitalised


def _after_word(before: Word, word: Word) -> bool:
    """Return whether kin ("my son Tomasz") or a greeting ("Dear Maria") stands before."""
    if word.folded in FUNCTION_WORDS and word.folded not in {"hope", "will"}:
        return False
    if word.folded in TITLES or word.folded in EPONYMS or word.folded in KINSHIP:
        return False
    kin = before.folded in KINSHIP or before.folded.endswith(("-old", "yo"))
    if kin and _KIN_GAP.fullmatch(word.gap):
        if word.capitalised and not word.shouted:
            return word.role in NAMELIKE
        return word.role is Role.GIVEN and len(word.folded) > 2 and word.gap == " "
    if before.folded in GREETINGS and _GREETING_GAP.fullmatch(word.gap):
        strange = word.capitalised and not word.shouted
        return (strange and (word.role in NAMELIKE or word.unlisted)) or (
            word.role is Role.GIVEN and word.gap == " " and len(word.folded) > 2
        )
    return False


def _after_phrase(text: str, word: Word) -> bool:
    before = text[max(0, word.start - 30) : word.start]
    if word.folded in FUNCTION_WORDS or word.folded in TITLES:
        return False
    if _SELF.search(before):
        strange = word.unlisted or word.role is Role.SURNAME_OR_WORD
        return word.role in NAMELIKE or (word.capitalised and strange)
    if _PRESENT.search(before):
        if word.capitalised and not word.shouted:
            return word.role in NAMELIKE
        return word.role is Role.GIVEN
    return False


def _signs(text: str, words: list[Word], i: int) -> bool:
    """Return whether a letter ends here: "Regards, Tunde", or a name as the last sentence."""
    word = words[i]
    if word.folded in FUNCTION_WORDS | TITLES | CLOSINGS | GREETINGS | ORGANIZATION_LEADS:
        return False
    if not word.capitalised or word.role is Role.NONE or (word.shouted and word.role not in STRONG):
        return False
    last = name_end(words, i)
    rest = text[words[last].end : words[last].end + 40]
    ended = not rest.strip(" .,!)*-xX\n\r\t") or rest.lstrip(" .,!")[:1] == "\n"
    ended = ended or (last + 1 < len(words) and "\n" in words[last + 1].gap)
    if i and words[i - 1].folded in CLOSINGS and _CLOSING_GAP.fullmatch(word.gap):
        return ended or word.role in STRONG
    # A sentence that is nothing but a name, at the very end.
    return bool(word.begins and ended and word.role in NAMELIKE and i)
