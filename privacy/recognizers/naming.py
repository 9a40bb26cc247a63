"""Where a name ends: the words that go on with it."""

from __future__ import annotations

from privacy.recognizers.wordlists import (
    CLOSINGS,
    FUNCTION_WORDS,
    ORGANIZATION_HEADS,
    PARTICLES,
    TITLES,
)
from privacy.recognizers.words import STRONG, Role, Word

_MAX_WORDS = 6


def name_end(words: list[Word], i: int) -> int:
    """Return the index of the last word of the name that begins at `i`."""
    last, j = i, i + 1
    while j < len(words) and j - i < _MAX_WORDS:
        word, before = words[j], words[j - 1]
        if not _joins(before, word):
            break
        if word.folded in PARTICLES and not word.capitalised:
            j += 1
            continue
        if not (_is_middle_initial(words, j) or _continues(words[i], before, word)):
            break
        last = j
        j += 1
    return last


def _joins(before: Word, word: Word) -> bool:
    initial = before.initial or (before.folded in {"st", "jr", "sr"} and before.capitalised)
    return word.follows or (initial and word.gap in {". ", ".", " "})


def _is_middle_initial(words: list[Word], j: int) -> bool:
    """Return whether a letter is an initial within a name: in "John A. Smith", A is no article."""
    following = words[j + 1] if j + 1 < len(words) else None
    return bool(
        words[j].initial
        and following
        and following.gap == ". "
        and following.capitalised
        and following.folded not in FUNCTION_WORDS
    )


def _continues(first: Word, before: Word, word: Word) -> bool:
    """Return whether a word goes on with a name that began with `first`."""
    if word.folded in FUNCTION_WORDS or word.folded in ORGANIZATION_HEADS | TITLES:
        return False
    if word.folded in CLOSINGS and not (word.folded == "love" and first.role in STRONG):
        return False
    if not word.capitalised:
        # "my name is maria keller": only words that are nothing but names.
        return not first.capitalised and word.role in {Role.GIVEN, Role.SURNAME, Role.UNKNOWN}
    if word.initial:
        return word.folded != "i" or word.gap == ". "
    if word.shouted and not first.shouted and not first.initial:
        return word.role in STRONG
    if before.initial:
        return True
    return (
        word.role is not Role.NONE
        or word.unlisted
        or (first.role in STRONG and before.folded in PARTICLES and not word.shouted)
        or (first.role in STRONG and before is first and not word.shouted and not word.begins)
    )
