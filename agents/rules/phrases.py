"""The phrases of `wording.toml` in a text, found by their first letters."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import cache

from sage_rag.agents.lexicon import load_toml

_LOOKING_BACK = re.compile(r"\{(?P<none>not )?after: (?P<words>[^{}]+)\}")
_WORD_START = re.compile(r"(?<![\w'’-])\w")


class Phrases:
    """Phrases, which are regular expressions, with their alternatives; whole words, any case.

    The phrases with one first letter have a pattern of their own: Python tries the branches of a
    pattern one by one, which takes 20 ms a record for 400 of them.
    """

    def __init__(self, table: Mapping[str, Sequence[str]]) -> None:
        """Prefer phrases of more words, then longer ones.

        Raises:
            ValueError: for a phrase that does not begin with a letter.
        """
        phrases = sorted(table, key=lambda phrase: (-phrase.count(" "), -len(phrase), phrase))
        by_letter = defaultdict[str, list[int]](list)
        for number, phrase in enumerate(phrases):
            for letter in _first_letters(phrase):
                by_letter[letter].append(number)
        self._alternatives = [table[phrase] for phrase in phrases]
        self._patterns = {
            letter: _pattern({number: phrases[number] for number in numbers})
            for letter, numbers in by_letter.items()
        }

    def find(self, text: str) -> Iterator[tuple[re.Match[str], Sequence[str]]]:
        """Yield the matches that do not overlap, from the left, each with its alternatives."""
        end = 0
        for start in _WORD_START.finditer(text):
            pattern = self._patterns.get(start.group().casefold())
            if pattern is None or start.start() < end:
                continue
            if match := pattern.match(text, start.start()):
                end = match.end()
                yield match, self._alternatives[int((match.lastgroup or "g0")[1:])]


@cache
def phrases() -> Phrases:
    """Return the phrases of `wording.toml`."""
    table = {_looking_back(e["from"]): e["to"] for e in load_toml("rules/wording.toml")["edits"]}
    return Phrases(table)


def _pattern(numbered: Mapping[int, str]) -> re.Pattern[str]:
    groups = (f"(?P<g{number}>{phrase})" for number, phrase in numbered.items())
    return re.compile(rf"(?<![\w'’-])(?:{'|'.join(groups)})(?![\w'’-])", re.IGNORECASE)


def _first_letters(phrase: str) -> set[str]:
    """Return the letters with which a phrase can begin, after what it requires before it."""
    rest = phrase
    while rest.startswith(("(?<", "(?:(?<")):
        rest = rest[_group_end(rest) :]
    choice = re.match(r"\(\?:([^()]*)\)(?![?*])", rest)
    letters = {option[:1] for option in (choice[1].split("|") if choice else [rest])}
    if not all(letter.isalpha() and letter.islower() for letter in letters):
        raise ValueError(f"the phrase `{phrase}` does not begin with a small letter")
    return letters


def _group_end(expression: str) -> int:
    """Return the end of the group with which a regular expression begins."""
    depth = 0
    for place, sign in enumerate(expression, 1):
        depth += (sign == "(") - (sign == ")")
        if depth == 0:
            return place
    raise ValueError(f"the group of `{expression}` does not end")


def _looking_back(phrase: str) -> str:
    """Expand `{after: a|b}` and `{not after: a|b}`: one, or none, of these words comes before.

    Each word becomes a look-behind of its own, since Python requires a fixed length.
    """

    def written(match: re.Match[str]) -> str:
        before = match["words"].split("|")
        if match["none"]:
            return "".join(f"(?<!{word} )" for word in before)
        return "(?:" + "|".join(f"(?<={word} )" for word in before) + ")"

    return _LOOKING_BACK.sub(written, phrase)
